#!/bin/sh
# alive.sh: ends with 0 when JetStream answers and each of its streams can store. A full disk may end either until the
# server is started again, while most health pages stay green: JetStream hangs (seen with NATS 2.9, shown by /jsz only),
# or a stream refuses messages (2.15, shown by the plain /healthz only).
url=${MONITORING_URL:-http://127.0.0.1:8222}
answers() {
  timeout 2 wget -q -O /dev/null "$url/$1" 2>/dev/null
}
answers jsz && answers healthz
