#!/bin/sh
# Runs a task with the settings and secrets of sixdigit@.service. Run it as root, because only root can read the secrets.
#   deploy/task.sh doctor
#   deploy/task.sh operator add you@example.com
# SETTINGS is the folder with the settings (default: /etc/sixdigit).
set -eu
folder=${SETTINGS:-/etc/sixdigit}
set -a
NODE_ENV=production
DATA_DIR=/var/lib/sixdigit
. "$folder/sixdigit.env"
set +a
for file in "$folder"/secrets/*; do
  name=$(basename "$file" | tr '[:lower:]' '[:upper:]')_FILE
  export "$name=$file"
done
cd "$(dirname "$0")/.."
exec node_modules/.bin/node server/src/main.ts "$@"
