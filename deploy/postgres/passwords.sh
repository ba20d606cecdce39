#!/bin/sh
# Gives the services' roles their passwords, each from the file of its name in the folder of secrets. Run by the image
# of PostgreSQL when its volume is empty; anywhere else with PGHOST, PGUSER, PGPASSWORD and PGDATABASE, at any time.
# In parentheses: the image reads a script that has lost its executable bit into its own shell.
(
  set -eu
  script=${PASSWORDS_SQL:-/etc/offizin/passwords.sql}
  secrets=${SECRETS_FOLDER:-/run/secrets}
  for name in $(sed -n 's/^\\getenv [a-z_]* \([A-Z_]*\)$/\1/p' "$script"); do
    value=$(cat "$secrets/$name")
    export "$name=$value"
  done
  psql -v ON_ERROR_STOP=1 --no-psqlrc -U "${PGUSER:-$POSTGRES_USER}" -d "${PGDATABASE:-$POSTGRES_DB}" -f "$script"
)
