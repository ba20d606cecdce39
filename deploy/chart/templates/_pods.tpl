{{- /*
What every pod is made of, beside its containers and volumes: dict root, labels (that select it), values (`pods`, with
those of the one pod over them), and if wanted user, serviceAccount, volume (it has one), alone (one replica).
*/}}
{{- define "offizin.pod" -}}
serviceAccountName: {{ .serviceAccount | default (include "offizin.serviceAccount" .root) }}
automountServiceAccountToken: false
# Else Kubernetes sets GATEWAY_PORT and ORDER_CORE_PORT, from the Services of that name, to tcp://….
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user | default 1000 }}
  runAsGroup: {{ .user | default 1000 }}
  fsGroup: {{ .user | default 1000 }}
  {{- if .volume }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- range $name := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $.values $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- if and .values.spread (not .alone) }}
topologySpreadConstraints:
  {{- range .values.spread }}
  - maxSkew: {{ .maxSkew | default 1 }}
    topologyKey: {{ .topologyKey }}
    whenUnsatisfiable: {{ .whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- toYaml $.labels | nindent 8 }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* Labels and annotations of a pod: dict labels, values, and if wanted annotations. */}}
{{- define "offizin.podMetadata" -}}
labels:
  {{- toYaml (merge (dict "app.kubernetes.io/part-of" "offizin") .labels .values.labels) | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) .values.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "offizin.container" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "offizin.env" -}}
{{- range $name, $value := . }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- /*
Settings of a process that are the same for all: dict root. The authority of the broker's certificate and a private one
are mounted by offizin.volumes.
*/}}
{{- define "offizin.commonEnv" -}}
NATS_URL: {{ include "offizin.natsUrl" .root }}
{{- if .root.Values.nats.tls.enabled }}
NATS_TLS_CA_FILE: /run/certificates/ca.crt
{{- end }}
{{- if .root.Values.certificateAuthority.existingSecret }}
NODE_EXTRA_CA_CERTS: /run/authority/ca.crt
{{- end }}
{{- end }}

{{- /* dict root, broker (false: of a migration), store */}}
{{- define "offizin.volumeMounts" -}}
- { name: secrets, mountPath: /run/secrets, readOnly: true }
{{- if and .broker .root.Values.nats.tls.enabled }}
- { name: certificates, mountPath: /run/certificates, readOnly: true }
{{- end }}
{{- if .root.Values.certificateAuthority.existingSecret }}
- { name: authority, mountPath: /run/authority, readOnly: true }
{{- end }}
{{- if and .store .root.Values.documentStore.enabled }}
- { name: document-store, mountPath: /run/document-store, readOnly: true }
{{- end }}
{{- end }}

{{- /* The same, and secret: the process's own. 288 is 0440. */}}
{{- define "offizin.volumes" -}}
- name: secrets
  secret:
    secretName: {{ .secret }}
    defaultMode: 288
    {{- if not .broker }}
    # A migration needs nothing else.
    items: [{ key: DATABASE_URL, path: DATABASE_URL }]
    {{- end }}
{{- if and .broker .root.Values.nats.tls.enabled }}
# The authority only: no app reads the key.
- name: certificates
  secret:
    secretName: {{ include "offizin.secret" (dict "at" "nats.tls.existingSecret" "name" .root.Values.nats.tls.existingSecret) }}
    items: [{ key: ca.crt, path: ca.crt }]
{{- end }}
{{- with .root.Values.certificateAuthority }}
{{- if .existingSecret }}
- name: authority
  secret:
    secretName: {{ .existingSecret }}
    items: [{ key: {{ .key }}, path: ca.crt }]
{{- end }}
{{- end }}
{{- if and .store .root.Values.documentStore.enabled }}
# Not in the Secret of order-core, which its migration mounts, too.
- name: document-store
  secret:
    secretName: {{ include "offizin.secret" (dict "at" "documentStore.existingSecret" "name" .root.Values.documentStore.existingSecret) }}
    defaultMode: 288
{{- end }}
{{- end }}

{{- define "offizin.documentStoreEnv" -}}
DOCUMENT_STORE_URL: {{ .url | quote }}
DOCUMENT_STORE_REGION: {{ .region | quote }}
DOCUMENT_STORE_ACCESS_KEY_ID_FILE: /run/document-store/DOCUMENT_STORE_ACCESS_KEY_ID
DOCUMENT_STORE_SECRET_ACCESS_KEY_FILE: /run/document-store/DOCUMENT_STORE_SECRET_ACCESS_KEY
{{- end }}

{{- define "offizin.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary "offizin" "default" .Values.serviceAccount.create) }}
{{- end }}
