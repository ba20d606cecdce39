{{- /* What the code fixes of each app. */}}
{{- define "offizin.fixed" -}}
gateway: { component: edge, port: 3000 }
connector-edge: { component: edge, port: 3001 }
order-core: { component: service, port: 3010 }
catalog: { component: service }
webhook-worker: { component: service }
{{- end }}

{{- /*
Every Deployment of an app, by its name: the app, the labels that select its pods, and its values. A further connector is
one of connector-edge, with the shop as its instance.
*/}}
{{- define "offizin.instances" -}}
{{- $fixed := include "offizin.fixed" . | fromYaml }}
{{- $all := dict }}
{{- range $app, $values := .Values.apps }}
{{- $fact := get $fixed $app }}
{{- $labels := dict "app.kubernetes.io/name" $app "app.kubernetes.io/component" $fact.component }}
{{- if eq $app "connector-edge" }}{{ $_ := set $labels "app.kubernetes.io/instance" "shared" }}{{ end }}
{{- $_ := set $all $app (dict "app" $app "component" $fact.component "port" $fact.port "labels" $labels "values" $values) }}
{{- end }}
{{- range $shop, $given := .Values.connectors }}
{{- $connector := get $all "connector-edge" }}
{{- $labels := merge (dict "app.kubernetes.io/instance" $shop) $connector.labels }}
{{- $values := include "offizin.over" (dict "base" $connector.values "over" $given) | fromYaml }}
{{- $own := dict "app" $connector.app "component" $connector.component "port" $connector.port "labels" $labels "values" $values }}
{{- $_ := set $all (printf "connector-edge-%s" $shop) $own }}
{{- end }}
{{- toYaml $all }}
{{- end }}

{{- /* Name, namespace and labels of an object: dict root, name, and if wanted labels and annotations. */}}
{{- define "offizin.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- $common := dict "app.kubernetes.io/part-of" "offizin" "app.kubernetes.io/managed-by" .root.Release.Service }}
  {{- $_ := set $common "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version) }}
  {{- toYaml (merge (dict) (.labels | default dict) $common) | nindent 2 }}
{{- with .annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The reference of an image: dict at (its place in the values), image, and if wanted the tag that is meant by none. */}}
{{- define "offizin.image" -}}
{{- $tag := .image.tag | default (ternary "" (.tag | default "") (ne .image.digest "")) }}
{{- if and (not .image.digest) (or (not $tag) (eq $tag "latest")) }}
{{- fail (printf "%s.tag %q floats: name a version, or the image by its digest." .at $tag) }}
{{- end }}
{{- .image.repository }}{{ with $tag }}:{{ . }}{{ end }}{{ with .image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "offizin.appImage" -}}
{{ include "offizin.image" (dict "at" "image" "image" .Values.image "tag" .Chart.AppVersion) }}
{{- end }}

{{- /* The name of a Secret that is there before: dict at (its place in the values), name. */}}
{{- define "offizin.secret" -}}
{{- if not .name }}{{ fail (printf "%s is empty: name the Secret." .at) }}{{ end }}
{{- .name }}
{{- end }}

{{- /* Peers of a policy, which Kubernetes refuses when there are none: dict root, at, peers. */}}
{{- define "offizin.peers" -}}
{{- if not .peers }}{{ fail (printf "%s is empty: name the peers that the network policy lets through, or switch networkPolicy.enabled off." .at) }}{{ end }}
{{- toYaml .peers }}
{{- end }}

{{- /* `over` over `base`, also where it holds false, 0 or an empty text: mergeOverwrite leaves these out. As YAML. */}}
{{- define "offizin.over" -}}
{{- $all := deepCopy .base }}
{{- range $name, $value := .over }}
{{- if and (kindIs "map" $value) (kindIs "map" (get $all $name)) }}
{{- $_ := set $all $name (include "offizin.over" (dict "base" (get $all $name) "over" $value) | fromYaml) }}
{{- else }}
{{- $_ := set $all $name $value }}
{{- end }}
{{- end }}
{{- toYaml $all }}
{{- end }}

{{- define "offizin.natsUrl" -}}
{{- .Values.nats.url | default (printf "%s://nats:4222" (ternary "tls" "nats" .Values.nats.tls.enabled)) }}
{{- end }}

{{- /* Without a tool that runs the hooks in time: the own PostgreSQL starts after them. */}}
{{- define "offizin.migratesOnStart" -}}
{{- if or .Values.migrations.onStart .Values.postgres.enabled }}true{{ end }}
{{- end }}

{{- /* Where the database of a service is, by the service. */}}
{{- define "offizin.databases" -}}
{{- $all := dict }}
{{- $shared := pick .Values.database "addresses" "port" }}
{{- if .Values.postgres.enabled }}
{{- $shared = dict "addresses" (list (dict "podSelector" (dict "matchLabels" (dict "app.kubernetes.io/name" "postgres")))) "port" 5432 }}
{{- end }}
{{- range $service := list "order-core" "catalog" "webhook-worker" }}
{{- $own := get $.Values.database.services $service | default dict }}
{{- $_ := set $all $service (merge (dict "isOwn" (not (empty $own))) $own $shared) }}
{{- end }}
{{- toYaml $all }}
{{- end }}
