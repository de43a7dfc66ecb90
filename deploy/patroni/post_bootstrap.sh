#!/bin/sh
# Patroni runs this once, on the first primary, with the URL of its superuser.
set -eu
psql -X -q -v ON_ERROR_STOP=1 -d "$1" <<SQL
create role sixdigit login password '@SERVICE_PASSWORD@';
-- Lets the doctor count the standbys.
grant pg_read_all_stats to sixdigit;
create database sixdigit owner sixdigit;
SQL
