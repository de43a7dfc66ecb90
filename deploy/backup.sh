#!/bin/sh
# Dumps a database (PGHOST, PGUSER, PGDATABASE) into BACKUP_DIR at regular intervals, and deletes old dumps.
#   backup.sh          makes a backup every BACKUP_EVERY_HOURS (24) and keeps the newest BACKUP_KEEP (14)
#   backup.sh once     makes one backup
#   backup.sh check    succeeds if the newest backup is less than two intervals old
# BACKUP_METRICS names a file for the textfile collector of Prometheus's node exporter, which gets the time of the newest backup.
# A dump gets its final name only when it is complete. To restore one, see docs/operating.md.
set -eu
umask 077
folder=${BACKUP_DIR:-/backups}
hours=${BACKUP_EVERY_HOURS:-24}
keep=${BACKUP_KEEP:-14}
if [ -n "${PGPASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat "$PGPASSWORD_FILE")
  export PGPASSWORD
fi

dumps() { find "$folder" -maxdepth 1 -name 'sixdigit-*.dump' | sort; }

once() {
  name="$folder/sixdigit-$(date -u +%Y%m%dT%H%M%SZ).dump"
  pg_dump --format=custom --no-owner --file="$name.unfinished"
  # A dump without a readable table of contents cannot be restored.
  pg_restore --list "$name.unfinished" > /dev/null
  mv "$name.unfinished" "$name"
  echo "Backed up to $name"
  if [ -n "${BACKUP_METRICS:-}" ]; then
    printf '# TYPE sixdigit_newest_backup_timestamp_seconds gauge\nsixdigit_newest_backup_timestamp_seconds %s\n' "$(date +%s)" \
      > "$BACKUP_METRICS.new"
    chmod 644 "$BACKUP_METRICS.new"
    mv "$BACKUP_METRICS.new" "$BACKUP_METRICS"
  fi
  excess=$(($(dumps | wc -l) - keep))
  if [ "$excess" -gt 0 ]; then dumps | head -n "$excess" | while read -r old; do rm -f "$old"; done; fi
}

case ${1:-} in
  once) once ;;
  check) [ -n "$(find "$folder" -maxdepth 1 -name 'sixdigit-*.dump' -mmin "-$((hours * 120))")" ] ;;
  '')
    rm -f "$folder"/sixdigit-*.unfinished
    while :; do
      if once; then sleep $((hours * 3600)); else echo 'The backup failed. It will be retried in five minutes.' >&2; sleep 300; fi
    done
    ;;
  *) echo 'Usage: backup.sh [once | check]' >&2; exit 2 ;;
esac
