#!/bin/sh
# Upgrades the service of compose.yaml without downtime: builds the new image, migrates, and replaces the processes one by one,
# waiting until each is ready. Before you run it, make a backup and read the changelog (docs/operating.md, "Upgrades").
#   deploy/upgrade.sh    run in the new version's folder, with the old version's .env and secrets/
set -eu
cd "$(dirname "$0")/.."

# Fails before any change if Docker is missing or the settings are invalid.
docker compose config --quiet
docker compose build
# Until they are replaced, the old version's processes use the new tables.
docker compose run --rm --no-deps migrate
for process in worker-1 worker-2 api-1 api-2; do
  echo "Replacing $process …"
  # If the new process does not become ready, the script stops, and the others still run the old version.
  docker compose up --detach --no-deps --wait --wait-timeout 120 "$process"
done
docker compose run --rm --no-deps api-1 doctor
