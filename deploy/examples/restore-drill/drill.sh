# What the Job of drill.yaml runs: waits for the restored database, checks it, and reads every row once.
set -eu
started=$(date +%s)
passed() { echo $(($(date +%s) - started)); }

until pg_isready --quiet; do sleep 5; done
echo "restored after $(passed) s"
psql --no-psqlrc --set ON_ERROR_STOP=1 --file "$(dirname "$0")/check.sql"
pg_dump --file /dev/null
echo "every row can be read: $(passed) s"
