{{/*
Labels of a component, also its selector. Call: list <root> <component>.
*/}}
{{- define "toolkit.labels" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
application: {{ ternary "ceph" $root.Chart.Name (eq $root.Chart.Name "ceph-adapter-rook") }}
component: {{ $component }}
release_group: {{ $root.Release.Name }}
app.kubernetes.io/name: {{ ternary "ceph" $root.Chart.Name (eq $root.Chart.Name "ceph-adapter-rook") }}
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
