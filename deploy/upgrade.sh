#!/bin/sh
# Upgrades the service of compose.yaml without a gap: builds the new image, migrates, and replaces the processes one by one, each
# when the one before is ready. Back up first, and read the changelog (docs/operating.md, "Upgrades").
#   deploy/upgrade.sh    in the folder of the new version, with .env and secrets/ of the old one
set -eu
cd "$(dirname "$0")/.."

# Fails without Docker or with wrong settings, before anything changes.
docker compose config --quiet
docker compose build
# The processes of the old version work on the new tables meanwhile.
docker compose run --rm --no-deps migrate
for process in worker-1 worker-2 api-1 api-2; do
  echo "Replacing $process …"
  # Stops here if the new process does not become ready: the others still run the old version.
  docker compose up --detach --no-deps --wait --wait-timeout 120 "$process"
done
docker compose run --rm --no-deps api-1 doctor
