# The first start makes the database and runs the scripts of /docker-entrypoint-initdb.d on a server without a network, as
# the entry point of the image postgres does. Arguments are settings of the server.
set -eu
data=/var/lib/postgresql/18/docker
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$data" /var/run/postgresql
  chown -R postgres: /var/lib/postgresql /var/run/postgresql
  chmod 700 "$data"
  exec setpriv --reuid=postgres --regid=postgres --clear-groups /bin/sh "$0" "$@"
fi
export PGUSER=postgres PGHOST=/var/run/postgresql
if [ ! -s "$data/PG_VERSION" ]; then
  # shellcheck disable=SC2086 # a list of arguments
  initdb -D "$data" -U postgres --pwfile="$POSTGRES_PASSWORD_FILE" \
    --auth-local=trust --auth-host=scram-sha-256 ${POSTGRES_INITDB_ARGS:-}
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
  pg_ctl -D "$data" -w -o "-c listen_addresses='' -c unix_socket_directories=$PGHOST" start
  psql -v ON_ERROR_STOP=1 -d postgres -c "CREATE DATABASE \"$POSTGRES_DB\""
  for script in /docker-entrypoint-initdb.d/*; do
    case $script in
      *.sql) psql -v ON_ERROR_STOP=1 -d "$POSTGRES_DB" -f "$script" ;;
      *.sh) (. "$script") ;;
    esac
  done
  pg_ctl -D "$data" -w -m fast stop
fi
exec postgres -D "$data" -c "listen_addresses=*" -c "unix_socket_directories=$PGHOST" "$@"
