{{/* What a chart's pods are labelled as: its name, but for a few. Call: <root>. */}}
{{- define "toolkit.application" -}}
{{- $names := dict "ceph-adapter-rook" "ceph" "prometheus-kube-state-metrics" "kube-state-metrics" "prometheus-node-exporter" "node_exporter" "prometheus-process-exporter" "process_exporter" -}}
{{- index $names .Chart.Name | default .Chart.Name -}}
{{- end -}}

{{/*
Labels of a component, also its selector. Call: list <root> <component>.
*/}}
{{- define "toolkit.labels" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
application: {{ include "toolkit.application" $root }}
component: {{ $component }}
release_group: {{ $root.Release.Name }}
app.kubernetes.io/name: {{ include "toolkit.application" $root }}
app.kubernetes.io/component: {{ $component }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- end -}}

{{/*
The node selector that labels.<key> names; a key may be a path. Call: list <root> <key>.
*/}}
{{- define "toolkit.nodeselector" -}}
{{- $root := index . 0 -}}
{{- $label := $root.Values.labels -}}
{{- range splitList "." (index . 1) -}}{{- $label = index $label . -}}{{- end -}}
{{ $label.node_selector_key }}: {{ $label.node_selector_value | quote }}
{{- end -}}

{{/*
Whether an object is switched on: true unless manifests.<key> is false. Prints
"yes" or nothing. Call: list <root> <key>, an empty key meaning always; a key may be a path.
*/}}
{{- define "toolkit.enabled" -}}
{{- $root := index . 0 -}}
{{- $key := index . 1 -}}
{{- $on := $root.Values.manifests -}}
{{- range splitList "." $key -}}
  {{- if and (kindIs "map" $on) (hasKey $on .) -}}{{- $on = index $on . -}}{{- else -}}{{- $on = true -}}{{- end -}}
{{- end -}}
{{- if or (not $key) $on -}}
yes
{{- end -}}
{{- end -}}
