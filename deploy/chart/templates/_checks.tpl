{{- /* Values that are right one by one and wrong together. Each ends the rendering with a sentence. */}}
{{- define "offizin.checks" -}}
{{- if not .Values.hosts.api }}{{ fail "hosts.api is empty: name the host of API and console." }}{{ end }}
{{- include "offizin.checkHosts" . }}
{{- include "offizin.checkConnections" . }}
{{- if and .Values.keda.enabled .Values.nats.url }}
{{- fail "keda.enabled needs the servers of this chart, whose monitoring it reads: leave nats.url empty." }}
{{- end }}
{{- end }}

{{- define "offizin.checkHosts" -}}
{{- $owners := dict .Values.hosts.api "hosts.api" }}
{{- $given := dict "hosts.shops" .Values.hosts.shops }}
{{- range $shop, $connector := .Values.connectors }}{{ $_ := set $given (printf "connectors.%s" $shop) (list $connector.host) }}{{ end }}
{{- range $owner, $hosts := $given }}
{{- range $hosts }}
{{- if hasKey $owners . }}{{ fail (printf "The host %s belongs to %s and to %s: a host leads to one app." . (get $owners .) $owner) }}{{ end }}
{{- $_ := set $owners . $owner }}
{{- end }}
{{- end }}
{{- end }}

{{- /*
A replica takes DATABASE_POOL connections and one for the relay of its outbox. A roll-out starts one replica more. Beside
them: two of a migration, and three that PostgreSQL keeps for its administrator.
*/}}
{{- define "offizin.checkConnections" -}}
{{- $databases := include "offizin.databases" . | fromYaml }}
{{- $shared := 0 }}
{{- range $app, $one := include "offizin.instances" . | fromYaml }}
{{- if hasKey $databases $app }}
{{- $replicas := include "offizin.mostReplicas" (dict "root" $ "one" $one) | int }}
{{- $most := mul (add $replicas 1) (add (get $one.values.env "DATABASE_POOL" | default "16" | int) 1) }}
{{- $database := get $databases $app }}
{{- if and $database.isOwn $database.maxConnections }}
{{- include "offizin.checkLimit" (dict "at" (printf "database.services.%s.maxConnections" $app) "limit" $database.maxConnections "most" (add $most 5)) }}
{{- else }}
{{- $shared = add $shared $most }}
{{- end }}
{{- end }}
{{- end }}
{{- include "offizin.checkLimit" (dict "at" "database.maxConnections" "limit" .Values.database.maxConnections "most" (add $shared 5)) }}
{{- end }}

{{- define "offizin.checkLimit" -}}
{{- if gt (int .most) (int .limit) }}
{{- fail (printf "The replicas take up to %d connections of PostgreSQL and %s is %d: lower replicas or DATABASE_POOL, or raise both limits." (int .most) .at (int .limit)) }}
{{- end }}
{{- end }}
