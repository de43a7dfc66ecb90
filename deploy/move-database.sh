#!/usr/bin/env bash
# Moves the database to another PostgreSQL server while the service runs behind PgBouncer. Callers wait about a second and get no
# errors. For preparations and steps, see docs/operating.md, "Move the database to another server".
#   SOURCE_URL         the old server, as a superuser, bypassing PgBouncer
#   TARGET_URL         an empty database on the new server, as a superuser
#   SOURCE_FOR_TARGET  the old server's URL as the new server reaches it (default: SOURCE_URL)
#   POOLER_URL         PgBouncer's admin console
#   DATABASE           the database's name in PgBouncer (default: sixdigit)
#   SWITCH             a command that writes the new server into pgbouncer.ini
set -euo pipefail
: "${SOURCE_URL:?}" "${TARGET_URL:?}" "${POOLER_URL:?}" "${SWITCH:?}"
DATABASE=${DATABASE:-sixdigit}
SOURCE_FOR_TARGET=${SOURCE_FOR_TARGET:-$SOURCE_URL}
NAME=sixdigit_move

on() { psql -X -qAt -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }
source_says() { on "$SOURCE_URL" "$1"; }
target_says() { on "$TARGET_URL" "$1"; }
pooler() { on "$POOLER_URL" "$1"; }
fail() {
  echo "$1" >&2
  exit 1
}
TABLES="select string_agg(t, ' ' order by t) from (select %s as t from %s) t"

[ "$(source_says 'show wal_level')" = logical ] || fail 'The old server needs wal_level = logical and a restart.'
[ "$(target_says "select count(*) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')")" = 0 ] ||
  fail 'The database on the new server is not empty.'
unidentified=$(source_says "select string_agg(c.oid::regclass::text, ', ') from pg_class c
  where relkind = 'r' and relpersistence = 'p' and relnamespace = 'public'::regnamespace and relreplident = 'd'
    and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)")
[ -z "$unidentified" ] || fail "These tables have no replica identity: $unidentified"

echo 'Copying the schema …'
pg_dump --schema-only --no-publications --no-subscriptions -d "$SOURCE_URL" |
  psql -X -q -v ON_ERROR_STOP=1 -d "$TARGET_URL" > /dev/null

echo 'Copying the rows and replicating changes …'
source_says "create publication $NAME for all tables"
psql -X -q -v ON_ERROR_STOP=1 -v source="$SOURCE_FOR_TARGET" -d "$TARGET_URL" <<SQL
create subscription $NAME connection :'source' publication $NAME;
SQL
until [ "$(target_says "select count(*) filter (where srsubstate <> 'r') = 0 and count(*) > 0 from pg_subscription_rel")" = t ]; do
  sleep 0.5
done
# Without statistics, PostgreSQL would plan the first statements badly.
target_says analyze
published=$(source_says "$(printf "$TABLES" tablename "pg_publication_tables where pubname = '$NAME'")")
followed=$(target_says "$(printf "$TABLES" relname 'pg_subscription_rel r join pg_class c on c.oid = r.srrelid')")
[ "$published" = "$followed" ] || fail 'A table was created or removed during the copy. Drop the subscription and the copied schema, then start again.'
until [ "$(source_says "select pg_current_wal_lsn() - confirmed_flush_lsn < 1000000 from pg_replication_slots where slot_name = '$NAME'")" = t ]; do
  sleep 0.2
done

# Until the switch, any failure leaves the service on the old server.
undo() {
  PGOPTIONS='-c default_transaction_read_only=off' source_says "alter database \"$DATABASE_OF_SOURCE\" reset default_transaction_read_only" || true
  pooler "RESUME $DATABASE" || true
  cat >&2 <<TEXT
The move failed. The service continues on the old server. Before the next attempt, run
  on the new server: drop subscription $NAME; drop schema public cascade; create schema public;
  on the old server: drop publication $NAME;
TEXT
}
DATABASE_OF_SOURCE=$(source_says 'select current_database()')
trap undo ERR
began=$(date +%s%N)
# Waits only briefly for running transactions, because callers wait as well.
timeout 3 psql -X -q -v ON_ERROR_STOP=1 -d "$POOLER_URL" -c "PAUSE $DATABASE"
sequences=$(psql -X -qAt -v ON_ERROR_STOP=1 -d "$SOURCE_URL" <<SQL
alter database "$DATABASE_OF_SOURCE" set default_transaction_read_only = on;
select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() \g /dev/null
select pg_current_wal_lsn() as last \gset
select set_config('sixdigit.last', :'last', false) \g /dev/null
do \$\$
begin
  for n in 1 .. 2000 loop
    if (select confirmed_flush_lsn >= current_setting('sixdigit.last')::pg_lsn from pg_replication_slots where slot_name = '$NAME') then
      return;
    end if;
    perform pg_sleep(0.001);
  end loop;
  raise exception 'The new server does not have every change yet';
end
\$\$;
select format('select setval(%L, %s, %L);', format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value),
  last_value is not null) from pg_sequences;
SQL
)
target_says "$sequences" > /dev/null
trap - ERR
bash -c "$SWITCH"
pooler RELOAD
pooler "RESUME $DATABASE"
echo "Switched: callers waited for $((($(date +%s%N) - began) / 1000000)) ms."

target_says "drop subscription $NAME"
PGOPTIONS='-c default_transaction_read_only=off' source_says "drop publication $NAME"
echo 'Moved. The old database is now read-only.'
