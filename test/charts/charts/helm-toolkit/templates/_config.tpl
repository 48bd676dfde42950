{{/*
An oslo.config file from a map of sections. A list is joined with commas, a map
{type: multistring, values: [...]} repeats its key.
*/}}
{{- define "toolkit.ini" -}}
{{- range $name, $section := . -}}
{{- if kindIs "map" $section }}
[{{ $name }}]
{{- range $key, $value := $section -}}
{{- if kindIs "slice" $value }}
{{ $key }} = {{ join "," $value }}
{{- else if kindIs "map" $value -}}
{{- range $value.values }}
{{ $key }} = {{ . }}
{{- end -}}
{{- else if not (kindIs "invalid" $value) }}
{{ $key }} = {{ $value }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}
{{ end -}}

{{/*
The files of a chart's configuration as the data of a Secret. Call: list <root>
<spec>. spec.config maps a file to {ini|yaml|json|text: path below .Values.conf},
with: sections that fill what the values leave empty.
*/}}
{{- define "toolkit.config" -}}
{{- $conf := (index . 0).Values.conf -}}
{{- range $file, $from := (index . 1).config -}}
  {{- $value := dict -}}
  {{- with coalesce $from.ini $from.yaml $from.json $from.text -}}
    {{- $value = $conf -}}
    {{- range splitList "." . -}}{{- $value = index ($value | default dict) . -}}{{- end -}}
  {{- end -}}
  {{- if hasKey $from "ini" -}}
    {{- $value = include "toolkit.ini" (merge (deepCopy ($value | default dict)) ($from.with | default dict)) | trim -}}
  {{- else if hasKey $from "yaml" -}}
    {{- $value = toYaml ($value | default dict) -}}
  {{- else if hasKey $from "json" -}}
    {{- $value = toJson ($value | default dict) -}}
  {{- end }}
{{ $file }}: {{ $value | default "" | b64enc | quote }}
{{- end -}}
{{- end -}}

{{/* The Secret of a chart's configuration: list <root> <spec> <name>. */}}
{{- define "toolkit.etc" -}}
apiVersion: v1
kind: Secret
metadata:
  name: {{ index . 2 }}
type: Opaque
data: {{ include "toolkit.config" . | nindent 2 }}
{{- end -}}

{{/*
The ConfigMap of a chart's scripts: list <root> <spec> <name>. Nothing runs
them: the test bed's player acts by their names.
*/}}
{{- define "toolkit.bin" -}}
{{- $scripts := list -}}
{{- range $kind := list "deployments" "statefulsets" "daemonsets" "jobs" "cronjobs" "tests" -}}
  {{- range $item := index (index $ 1) $kind -}}
    {{- range $container := concat ($item.init | default list) ($item.containers | default list) -}}
      {{- range $word := $container.command -}}
        {{- if hasPrefix "/tmp/" (toString $word) -}}{{- $scripts = append $scripts (base $word) -}}{{- end -}}
      {{- end -}}
    {{- end -}}
    {{- with $item.kind -}}{{- $scripts = append $scripts (include "toolkit.job.script" .) -}}{{- end -}}
  {{- end -}}
{{- end -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ index . 2 }}
data:
{{- range $script := $scripts | uniq | sortAlpha }}
  {{ $script }}: "# acted out by the test bed\n"
{{- end }}
{{- end -}}

{{/*
The [keystone_authtoken] section that every service has, as YAML. Without a
pinned memcache_secret_key every rendering draws another one, which rolls the
pods. Call: list <root>, or list <root> <user> to put the credentials in too.
*/}}
{{- define "toolkit.authtoken" -}}
{{- $root := index . 0 -}}
{{- $url := include "toolkit.endpoint.uri" (list $root "identity" "internal" "api") -}}
{{- $cache := include "toolkit.endpoint.cache" (list $root) -}}
{{- $section := dict "auth_uri" $url "auth_url" $url "auth_type" "password" "memcached_servers" $cache
      "memcache_secret_key" ($root.Values.endpoints.oslo_cache.auth.memcache_secret_key | default (randAlphaNum 64)) -}}
{{- if gt (len .) 1 -}}
  {{- $auth := index $root.Values.endpoints.identity.auth (index . 1) -}}
  {{- $section = merge $section (pick $auth "password" "project_domain_name" "project_name" "region_name" "user_domain_name" "username") -}}
{{- end -}}
{{- toJson $section -}}
{{- end -}}
