{{- /* The settings of an app beside those of `env`, as YAML: dict root, one (of offizin.instances). */}}
{{- define "offizin.appEnv" -}}
{{ include "offizin.commonEnv" . }}
NATS_USER: {{ .one.app }}
STREAM_REPLICAS: {{ ternary .root.Values.nats.streamReplicas .root.Values.nats.servers (ne .root.Values.nats.url "") | toString | quote }}
{{- if eq .one.component "edge" }}
ORDER_CORE_URL: http://order-core:3010
{{- with .root.Values.trustedProxies }}
# So that limits count callers and not the controller.
TRUSTED_PROXIES: {{ join "," . | quote }}
{{- end }}
{{- else if include "offizin.migratesOnStart" .root }}
MIGRATE_ON_START: 'true'
{{- end }}
{{- if eq .one.app "gateway" }}
PUBLIC_BASE_URL: https://{{ .root.Values.hosts.api }}
{{- else if eq .one.app "order-core" }}
CONSOLE_BASE_URL: https://{{ .root.Values.hosts.api }}
{{- with .root.Values.documentStore }}
{{- if .enabled }}
{{ include "offizin.documentStoreEnv" . }}
DOCUMENT_STORE_MODE: {{ .mode }}
DOCUMENT_STORE_AFTER_DAYS: {{ .afterDays | toString | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .root.Values.tracing }}
{{- if .endpoint }}
# Each process decides by the id of the trace, so all decide alike; a caller's wish to be recorded does not count.
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .endpoint | quote }}
OTEL_TRACES_SAMPLER: traceidratio
OTEL_TRACES_SAMPLER_ARG: {{ .ratio | toString | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* How many replicas there may be: dict root, one. */}}
{{- define "offizin.mostReplicas" -}}
{{- if and .root.Values.keda.enabled (eq .one.app "webhook-worker") }}{{ .root.Values.keda.maxReplicas }}
{{- else if .one.values.autoscaling.enabled }}{{ .one.values.autoscaling.maxReplicas }}
{{- else }}{{ .one.values.replicas }}
{{- end }}
{{- end }}

{{- define "offizin.leastReplicas" -}}
{{- if and .root.Values.keda.enabled (eq .one.app "webhook-worker") }}{{ .root.Values.keda.minReplicas }}
{{- else if .one.values.autoscaling.enabled }}{{ .one.values.autoscaling.minReplicas }}
{{- else }}{{ .one.values.replicas }}
{{- end }}
{{- end }}
