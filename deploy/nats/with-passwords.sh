#!/bin/sh
# with-passwords.sh <configuration>: starts nats-server with the passwords that permissions.conf asks for, each from
# the file of its name in the folder of secrets. The server can take a password from its environment only; this way
# none stands in the description of a container.
set -eu
configuration=$1
secrets=${SECRETS_FOLDER:-/run/secrets}
for name in $(sed -n 's/.*password: \$\([A-Z_]*\).*/\1/p' "$(dirname "$configuration")/permissions.conf"); do
  value=$(cat "$secrets/$name")
  export "$name=$value"
done
exec nats-server -c "$configuration"
