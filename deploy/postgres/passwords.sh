#!/bin/sh
# Runs roles.sql and passwords.sql: makes the services' roles, where one is missing, and gives them their passwords, each from
# the file of its name in the folder of secrets. It may be run at any time. The image of PostgreSQL runs it when its volume is
# empty. In its container it needs nothing, anywhere else PGHOST, PGUSER, PGPASSWORD, PGDATABASE and SECRETS_FOLDER.
# In parentheses: the image reads a script that has lost its executable bit into its own shell.
(
  set -eu
  roles=${ROLES_SQL:-$(dirname "$0")/roles.sql}
  passwords=${PASSWORDS_SQL:-$(dirname "$0")/passwords.sql}
  secrets=${SECRETS_FOLDER:-/run/secrets}
  for name in $(sed -n 's/^\\getenv [a-z_]* \([A-Z_]*\)$/\1/p' "$passwords"); do
    value=$(cat "$secrets/$name")
    export "$name=$value"
  done
  psql -v ON_ERROR_STOP=1 --no-psqlrc --single-transaction -f "$roles" -f "$passwords" \
    -U "${PGUSER:-${POSTGRES_USER:-postgres}}" -d "${PGDATABASE:-${POSTGRES_DB:-offizin}}"
)
