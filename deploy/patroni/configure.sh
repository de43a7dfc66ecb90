#!/bin/sh
# Writes the configuration of one machine of the cluster. Run it as root; it replaces files in /etc. See docs/high-availability.md.
#   configure.sh node1             etcd, Patroni, PgBouncer and HAProxy of a node: node1, node2 or node3
#   configure.sh node2 existing    the same for a node that joins a running etcd, in place of a lost one
#   configure.sh node4 10.0.0.4    a further copy without etcd, which never becomes the primary: any other name, and its address
#   configure.sh service           HAProxy of a machine that only runs API and worker processes
# SETTINGS is the file with addresses and passwords (/etc/sixdigit/cluster.env).
set -eu
umask 022
fail() {
  echo "$1" >&2
  exit 1
}
usage='Usage: configure.sh node1 | node2 | node3 [existing] | <name> <address> | service'
settings=${SETTINGS:-/etc/sixdigit/cluster.env}
cd "$(dirname "$0")"
[ -r "$settings" ] || fail "$settings cannot be read: copy deploy/patroni/cluster.env there and fill it in."
. "$settings"

NAME=${1:-}
ETCD_STATE=new
IS_COPY=false
case $NAME:${2:-} in
  node[123]: | node[123]:existing)
    ETCD_STATE=${2:-new}
    eval "ADDRESS=\${NODE${NAME#node}:-}"
    ;;
  service:) ADDRESS=127.0.0.1 ;;
  [a-z]*:[0-9]*)
    ADDRESS=$2
    IS_COPY=true
    ;;
  *) fail "$usage" ;;
esac

# Patroni before 3.0.3 (Debian 12 has 3.0.2) can lose commits with etcd's version 3 API. Etcd 3.6 has only that API, so Patroni 4 of
# Debian 13 uses it.
case ${DEBIAN:-12} in
  12)
    ETCD_DRIVER=etcd
    ETCD_V2=true
    ;;
  13)
    ETCD_DRIVER=etcd3
    ETCD_V2=false
    ;;
  *) fail "DEBIAN in $settings must be 12 or 13." ;;
esac

names='NAME ADDRESS NODE1 NODE2 NODE3'
[ "$NAME" = service ] || names="$names IS_COPY ETCD_STATE ETCD_DRIVER ETCD_V2 NETWORK POSTGRESQL SHARED_BUFFERS
  SERVICE_PASSWORD SUPERUSER_PASSWORD REPLICATION_PASSWORD REWIND_PASSWORD RESTAPI_PASSWORD"
script=
for name in $names; do
  eval "value=\${$name:-}"
  [ -n "$value" ] || fail "$name is missing in $settings."
  case $value in *[!A-Za-z0-9./]*) fail "$name in $settings may contain only letters, digits, dots and slashes." ;; esac
  script="$script;s|@$name@|$value|g"
done

# write <template> <path> <owner> <mode>
write() {
  mkdir -p "$(dirname "$2")"
  # No other user can read the file before its mode is set.
  (umask 077 && sed "${script#;}" "$1" > "$2.new")
  chown "$3" "$2.new"
  chmod "$4" "$2.new"
  mv "$2.new" "$2"
}

write haproxy.cfg /etc/haproxy/haproxy.cfg root:root 644
write restart.conf /etc/systemd/system/haproxy.service.d/sixdigit.conf root:root 644
[ "$NAME" != service ] || exit 0
# A certificate of this node, unless there is one already. Clients encrypt, but do not verify it (sslmode=require).
mkdir -p /etc/patroni
if [ ! -e /etc/patroni/server.key ]; then
  (umask 077 && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj "/CN=$NAME" \
    -addext "subjectAltName=IP:$ADDRESS" -keyout /etc/patroni/server.key -out /etc/patroni/server.crt 2> /dev/null)
  chown root:postgres /etc/patroni/server.key /etc/patroni/server.crt
  chmod 640 /etc/patroni/server.key /etc/patroni/server.crt
fi
write patroni.yml /etc/patroni/config.yml root:postgres 640
write post_bootstrap.sh /etc/patroni/post_bootstrap.sh root:postgres 750
write pgbouncer.ini /etc/pgbouncer/pgbouncer.ini root:postgres 640
write userlist.txt /etc/pgbouncer/userlist.txt root:postgres 640
for unit in patroni pgbouncer; do
  write restart.conf "/etc/systemd/system/$unit.service.d/sixdigit.conf" root:root 644
done
[ "$IS_COPY" = false ] || exit 0
write etcd.env /etc/default/etcd root:root 644
write restart.conf /etc/systemd/system/etcd.service.d/sixdigit.conf root:root 644
