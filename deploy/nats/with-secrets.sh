#!/bin/sh
# with-secrets.sh <configuration>: starts nats-server with the passwords and the certificate of the installation, and
# hands it changed ones while it runs. nats-server reads its environment at start only, so they are in files that are
# written here, in memory.
#
# Passwords: the file of each name that permissions.conf asks for, in the folder of secrets, holds `<password>`,
# `<user>-2:<password>`, or both with a comma between. Letters and digits.
# TLS, for clients and for the routes of a cluster: when the folder of certificates has one of tls.crt, tls.key and ca.crt
# (as cert-manager writes them), it must have all.
#
# Each 10 s the files, and the configuration, are compared with those in force. A reload ends the connections of users whose password is gone, and
# no others; a certificate counts for new connections.
set -eu
configuration=$1
folder=$(dirname "$configuration")
secrets=${SECRETS_FOLDER:-/run/secrets}
certificates=${CERTIFICATES_FOLDER:-/run/certificates}
in_force=${IN_FORCE_FOLDER:-/run/nats}
umask 077

refuse() {
  echo "with-secrets.sh: $1" >&2
  exit 1
}

random_password() {
  head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'
}

# The users of permissions.conf, each with the password of its file. As variables: the file itself stays as it is.
write_users() {
  names=$(sed -n 's/.*password: \$\([A-Z_]*_PASSWORD\)[ ,}].*/\1/p' "$folder/permissions.conf")
  for name in $names; do
    [ -r "$secrets/$name" ] || refuse "$secrets/$name cannot be read"
    first=$(random_password)
    second=$(random_password)
    given=$(tr ',\r\n' '   ' <"$secrets/$name")
    case $given in
      *[!A-Za-z0-9:\ -]*) refuse "$secrets/$name holds other characters than letters and digits" ;;
      *[A-Za-z0-9]*) ;;
      *) refuse "$secrets/$name is empty" ;;
    esac
    for password in $given; do
      case $password in
        *-2:*) second=${password#*:} ;;
        *) first=$password ;;
      esac
    done
    echo "$name: \"$first\""
    echo "${name}_2: \"$second\""
  done
  cat "$folder/permissions.conf"
}

has_certificate() {
  missing=''
  present=''
  for file in tls.crt tls.key ca.crt; do
    if [ -r "$certificates/$file" ]; then present="$present $file"; else missing="$missing $file"; fi
  done
  [ -n "$present" ] || return 1
  [ -z "$missing" ] || refuse "$certificates has$present and lacks$missing: TLS needs all three"
}

# Of the clients, or with an authority to check them against of the routes: there both sides show the certificate.
write_tls() {
  echo "tls {"
  echo "  cert_file: \"$certificates/tls.crt\""
  echo "  key_file: \"$certificates/tls.key\""
  [ "$1" = clients ] || echo "  ca_file: \"$certificates/ca.crt\""
  echo "  timeout: 5"
  echo "}"
}

write_no_tls() {
  echo "# No certificate is given."
}

# In the configuration, `include ./tls-clients.conf` and `include ./tls-routes.conf` say where. What may be refused comes
# first: a refusal leaves the files in force as they are, and with them TLS.
write_all() {
  mkdir -p "$in_force"
  write_users >"$in_force/permissions.new"
  if has_certificate; then write=write_tls; else write=write_no_tls; fi
  for part in clients routes; do "$write" "$part" >"$in_force/tls-$part.conf"; done
  mv "$in_force/permissions.new" "$in_force/permissions.conf"
  cp "$configuration" "$in_force/server.conf"
}

sum_of_files() {
  cat "$secrets"/NATS_*_PASSWORD "$certificates"/*.crt "$certificates"/tls.key "$folder"/*.conf 2>/dev/null | cksum
}

# The shell below becomes nats-server, so its number is the one to signal, and nobody outlives it.
hand_over_changes() {
  while sleep "${COMPARE_SECONDS:-10}" && kill -0 $$ 2>/dev/null; do
    now=$(sum_of_files)
    [ "$now" = "$before" ] && continue
    before=$now
    (write_all) && kill -HUP $$ && echo "with-secrets.sh: changed files are handed over" >&2
  done
}

# A server that hangs, as on a disk that was full, is killed within 30 s (alive.sh), and the container starts again. Until its
# first answer a server may refuse, because it starts. Process 1 cannot be killed from inside: in Kubernetes the liveness
# probe does it, Compose has `init: true`.
end_when_hanging() {
  [ $$ -ne 1 ] || return 0
  failures=0
  has_started=no
  while sleep "${PROBE_SECONDS:-5}" && kill -0 $$ 2>/dev/null; do
    status=0
    sh "$(dirname "$0")/alive.sh" || status=$?
    # 124 or 143: ended by `timeout`.
    if [ $status -eq 0 ]; then
      has_started=yes
      failures=0
    elif [ $status -ge 124 ] || [ $has_started = yes ]; then
      failures=$((failures + 1))
    fi
    [ $failures -lt 3 ] && continue
    echo "with-secrets.sh: nats-server hangs and is killed" >&2
    kill -KILL $$
  done
}

before=$(sum_of_files)
write_all
hand_over_changes &
end_when_hanging &
exec nats-server -c "$in_force/server.conf"
