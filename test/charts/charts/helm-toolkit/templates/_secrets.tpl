{{/* A Secret of plain strings: list <name> <map>. */}}
{{- define "toolkit.secret" -}}
apiVersion: v1
kind: Secret
metadata:
  name: {{ index . 0 }}
type: Opaque
data:
{{- range $key, $value := index . 1 }}
  {{ $key }}: {{ $value | toString | b64enc | quote }}
{{- end }}
{{- end -}}

{{/* What a client of Keystone needs, from endpoints.identity.auth.<user>: list <root> <user>. */}}
{{- define "toolkit.secret.identity" -}}
{{- $root := index . 0 -}}
{{- $auth := index $root.Values.endpoints.identity.auth (index . 1) -}}
OS_AUTH_URL: {{ include "toolkit.endpoint.uri" (list $root "identity" "internal" "api") | quote }}
OS_REGION_NAME: {{ $auth.region_name | quote }}
OS_USERNAME: {{ $auth.username | quote }}
OS_PASSWORD: {{ $auth.password | toString | quote }}
{{- if $auth.domain_name }}
OS_DOMAIN_NAME: {{ $auth.domain_name | quote }}
{{- else }}
OS_INTERFACE: {{ $auth.interface | default "internal" | quote }}
OS_PROJECT_DOMAIN_NAME: {{ $auth.project_domain_name | quote }}
OS_PROJECT_NAME: {{ $auth.project_name | quote }}
OS_USER_DOMAIN_NAME: {{ $auth.user_domain_name | quote }}
OS_DEFAULT_DOMAIN: {{ $auth.default_domain_id | default "default" | quote }}
{{- end }}
{{- end -}}

{{/*
The Secrets that .Values.secrets names: databases, broker, identities, and the
snippets with the service's own credentials. Call: list <root> <spec>.
*/}}
{{- define "toolkit.secrets" -}}
{{- $root := index . 0 -}}
{{- $spec := index . 1 -}}
{{- range $type, $users := $root.Values.secrets -}}
{{- if and (hasPrefix "oslo_db" $type) (include "toolkit.enabled" (list $root (replace "oslo_db" "secret_db" $type))) -}}
{{- range $user, $name := $users }}
---
{{ include "toolkit.secret" (list $name (dict "DB_CONNECTION" (include "toolkit.endpoint.database" (list $root $type $user)))) }}
{{- end -}}
{{- else if and (eq $type "oslo_messaging") (include "toolkit.enabled" (list $root "secret_rabbitmq")) -}}
{{- range $user, $name := $users }}
---
{{ include "toolkit.secret" (list $name (dict "RABBITMQ_CONNECTION" (include "toolkit.endpoint.management" (list $root $user)))) }}
{{- end -}}
{{- else if and (eq $type "identity") $root.Values.manifests.secret_keystone -}}
{{- range $user, $name := $users }}
{{- if index $root.Values.endpoints.identity.auth $user }}
---
{{ include "toolkit.secret" (list $name (include "toolkit.secret.identity" (list $root $user) | fromYaml)) }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $spec.snippets (include "toolkit.enabled" (list $root "secret_ks_etc")) }}
{{- $files := dict -}}
{{- range $section, $user := $spec.credentials -}}
  {{- $auth := index $root.Values.endpoints.identity.auth $user -}}
  {{- $keys := pick $auth "password" "project_domain_name" "project_name" "region_name" "user_domain_name" "username" -}}
  {{- $_ := set $files (printf "%s_%s.conf" $root.Chart.Name $section) (printf "%s\n" (include "toolkit.ini" (dict $section $keys) | trim)) -}}
{{- end }}
---
{{ include "toolkit.secret" (list $spec.snippets $files) }}
{{- end -}}
{{- end -}}
