#!/bin/sh
# Upgrades the service of compose.yaml without downtime: builds the new image, migrates, and replaces the processes one by one,
# waiting until each is ready. Before you run it, make a backup and read the changelog (docs/operating.md, "Upgrades").
#   deploy/upgrade.sh                run in the new version's folder, with the old version's .env, secrets/, backups/,
#                                    deploy/more.env, and your changes of compose.yaml
#   deploy/upgrade.sh SMTP_URL …     the same, although these settings of the running service are gone or have changed
set -eu
cd "$(dirname "$0")/.."
if [ -d .git ]; then
  COMMIT=$(git rev-parse HEAD)
  export COMMIT
fi

# Prints the names of settings that the running service has and the new one would lose or change.
#   lost_settings <names and values of the running service> <those of the new one>
lost_settings() {
  grep -vxF -f "$2" "$1" | sed 's/=.*//' | grep -vxE "$ignored" | sort -u || true
}
# Set by images.
ignored='PATH|NODE_VERSION|YARN_VERSION|NODE_COMPILE_CACHE|HOSTNAME|HOME|PWD|SHLVL|_'
for name in "$@"; do ignored="$ignored|$name"; done

# Fails before any change if Docker is missing or the settings are invalid.
docker compose config --quiet
docker compose build
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
newest_backup='find /backups -name "sixdigit-*.dump" | sort | tail -n 1'
api=$(docker compose ps --quiet api-1)
if [ -n "$api" ]; then
  docker exec "$api" sh -c 'env; ls -d /run/secrets/*' > "$folder/now"
  docker compose run --rm --no-deps --entrypoint sh api-1 -c 'env; ls -d /run/secrets/*' > "$folder/new"
  backup=$(docker compose ps --quiet backup)
  if [ -n "$backup" ]; then
    docker exec "$backup" sh -c "$newest_backup" >> "$folder/now"
    docker compose run --rm --no-deps --entrypoint sh backup -c "$newest_backup" >> "$folder/new"
  fi
  lost=$(lost_settings "$folder/now" "$folder/new")
  if [ -n "$lost" ]; then
    echo 'The new folder lacks or changes these settings and secrets of the running service:' >&2
    echo "$lost" | sed 's/^/  /' >&2
    echo 'Copy .env, secrets/, backups/, deploy/more.env and your changes of compose.yaml. To upgrade without them, name them as arguments.' >&2
    exit 1
  fi
fi
# Until they are replaced, the old version's processes use the new tables.
docker compose run --rm --no-deps migrate
for process in worker-1 worker-2 api-1 api-2; do
  echo "Replacing $process …"
  # If the new process does not become ready, the script stops, and the others still run the old version.
  docker compose up --detach --no-deps --wait --wait-timeout 120 "$process"
done
docker compose run --rm --no-deps api-1 doctor
