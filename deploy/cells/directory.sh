#!/bin/sh
# Writes the router's directory: for each person, the keyed hash of the e-mail address and the cell. The addresses stay in the cells'
# databases, which calculate the hashes. Prints the number of addresses, and of those that are in more than one cell: they lead to the
# cell in which they signed up first.
#   CELLS             the cells' names, separated by spaces
#   DATABASE_URL_01   the database of cell 01, and so on; the role must be able to read people (id, email)
#   DIRECTORY_KEY     the same as HAProxy's: openssl rand -base64 32
#   DIRECTORY         the file (/etc/haproxy/cells/directory.map)
set -eu
: "${CELLS:?}" "${DIRECTORY_KEY:?}"
export DIRECTORY_KEY
directory=${DIRECTORY:-/etc/haproxy/cells/directory.map}
people=$(mktemp)
trap 'rm -f "$people" "$directory.new"' EXIT

for cell in $CELLS; do
  eval "url=\$DATABASE_URL_$cell"
  # HMAC-SHA-256 (RFC 2104). Ids are ordered by time.
  psql -X -qAt -F ' ' -v ON_ERROR_STOP=1 -v cell="$cell" -d "$url" <<'SQL' >> "$people"
\getenv key DIRECTORY_KEY
with key as (select decode(:'key', 'base64') as key),
  byte as (
    select n, case when n < length(key) then get_byte(key, n) else 0 end as byte from key, generate_series(0, 63) n
  ),
  pad as (
    select string_agg(set_byte('\x00', 0, byte # 54), '' order by n) as inner_pad,
      string_agg(set_byte('\x00', 0, byte # 92), '' order by n) as outer_pad
    from byte
  )
select id, encode(sha256(outer_pad || sha256(inner_pad || convert_to(email, 'UTF8'))), 'hex'), :'cell'
from people, pad
where email is not null;
SQL
done

sort "$people" | awk '!seen[$2]++ { print $2, $3 }' > "$directory.new"
mv "$directory.new" "$directory"
awk 'END { print NR }' "$people" "$directory"
