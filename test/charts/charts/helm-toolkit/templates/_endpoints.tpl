{{/*
Look-ups in .Values.endpoints. Each takes a list: <root> <type> <interface>, and
a port's name where one is needed. A type is written with "_" in the values.
*/}}

{{/* The short host name: the name of a Service. */}}
{{- define "toolkit.endpoint.name" -}}
{{- $type := index (index . 0).Values.endpoints (index . 1 | replace "-" "_") -}}
{{- index $type.hosts (index . 2) | default $type.hosts.default -}}
{{- end -}}

{{/* namespace:name, as init containers name what they wait for. */}}
{{- define "toolkit.endpoint.service" -}}
{{- $type := index (index . 0).Values.endpoints (index . 1 | replace "-" "_") -}}
{{- $type.namespace | default (index . 0).Release.Namespace }}:{{ include "toolkit.endpoint.name" . -}}
{{- end -}}

{{/* name.namespace, a host name within the cluster. */}}
{{- define "toolkit.endpoint.domain" -}}
{{- $type := index (index . 0).Values.endpoints (index . 1 | replace "-" "_") -}}
{{- include "toolkit.endpoint.name" . }}.{{ $type.namespace | default (index . 0).Release.Namespace -}}
{{- end -}}

{{/* The host name that clients use. */}}
{{- define "toolkit.endpoint.host" -}}
{{- $root := index . 0 -}}
{{- $type := index $root.Values.endpoints (index . 1 | replace "-" "_") -}}
{{- $found := "" -}}
{{- range $interface := list (index . 2) "default" -}}
  {{- $override := index $type.host_fqdn_override $interface -}}
  {{- if kindIs "map" $override -}}{{- $override = $override.host -}}{{- end -}}
  {{- $found = $found | default $override -}}
{{- end -}}
{{- $found | default (printf "%s.svc.%s" (include "toolkit.endpoint.domain" .) $root.Values.endpoints.cluster_domain_suffix) -}}
{{- end -}}

{{- define "toolkit.endpoint.port" -}}
{{- $ports := index (index . 0).Values.endpoints (index . 1 | replace "-" "_") "port" (index . 3) -}}
{{- index $ports (index . 2) | default $ports.default -}}
{{- end -}}

{{/* A setting that is one string or one per interface: <root> <type> <interface> <setting>. */}}
{{- define "toolkit.endpoint.setting" -}}
{{- $value := index (index . 0).Values.endpoints (index . 1 | replace "-" "_") (index . 3) -}}
{{- if kindIs "map" $value -}}{{- $value = index $value (index . 2) | default $value.default -}}{{- end -}}
{{- $value | default "" -}}
{{- end -}}

{{/* scheme://host[:port]/path, without a port that the scheme implies. */}}
{{- define "toolkit.endpoint.uri" -}}
{{- $of := list (index . 0) (index . 1) (index . 2) -}}
{{- $scheme := include "toolkit.endpoint.setting" (append $of "scheme") | default "http" -}}
{{- $port := include "toolkit.endpoint.port" . -}}
{{- $default := dict "http" "80" "https" "443" -}}
{{- $scheme }}://{{ include "toolkit.endpoint.host" $of -}}
{{- if ne $port (index $default $scheme | default "") }}:{{ $port }}{{ end -}}
{{- include "toolkit.endpoint.setting" (append $of "path") -}}
{{- end -}}

{{/* user:password of endpoints.<type>.auth.<user>: <root> <type> <user>. */}}
{{- define "toolkit.endpoint.credentials" -}}
{{- $auth := index (index . 0).Values.endpoints (index . 1) "auth" (index . 2) -}}
{{- $auth.username }}:{{ $auth.password | urlquery -}}
{{- end -}}

{{/* A database's URL: <root> <type> <user>. */}}
{{- define "toolkit.endpoint.database" -}}
{{- $of := list (index . 0) (index . 1) "internal" -}}
{{- include "toolkit.endpoint.setting" (append $of "scheme") }}://{{ include "toolkit.endpoint.credentials" . }}@{{ include "toolkit.endpoint.host" $of }}:{{ include "toolkit.endpoint.port" (append $of "mysql") }}{{ include "toolkit.endpoint.setting" (append $of "path") -}}
{{- end -}}

{{/* The broker's management URL: <root> <user>. */}}
{{- define "toolkit.endpoint.management" -}}
{{- $of := list (index . 0) "oslo_messaging" "internal" -}}
{{- include "toolkit.endpoint.setting" (append $of "scheme") }}://{{ include "toolkit.endpoint.credentials" (list (index . 0) "oslo_messaging" (index . 1)) }}@{{ include "toolkit.endpoint.host" $of }}:{{ include "toolkit.endpoint.port" (append $of "http") }}{{ include "toolkit.endpoint.setting" (append $of "path") -}}
{{- end -}}

{{/* transport_url: every member of the broker's StatefulSet, unless its host is overridden: <root> <user>. */}}
{{- define "toolkit.endpoint.transport" -}}
{{- $root := index . 0 -}}
{{- $broker := $root.Values.endpoints.oslo_messaging -}}
{{- $of := list $root "oslo_messaging" "internal" -}}
{{- $who := include "toolkit.endpoint.credentials" (list $root "oslo_messaging" (index . 1)) -}}
{{- $where := printf "%s:%s" (include "toolkit.endpoint.host" $of) (include "toolkit.endpoint.port" (append $of "amqp")) -}}
{{- $members := list (printf "%s@%s" $who $where) -}}
{{- if and $broker.statefulset (not (or $broker.host_fqdn_override.internal $broker.host_fqdn_override.default)) -}}
  {{- $members = list -}}
  {{- range $i := until (int $broker.statefulset.replicas) -}}
    {{- $members = append $members (printf "%s@%s-%d.%s" $who $broker.statefulset.name $i $where) -}}
  {{- end -}}
{{- end -}}
{{- include "toolkit.endpoint.setting" (append $of "scheme") }}://{{ join "," $members }}{{ include "toolkit.endpoint.setting" (append $of "path") -}}
{{- end -}}

{{/* host:port of the cache, or of every member of its StatefulSet where one is named: <root>. */}}
{{- define "toolkit.endpoint.cache" -}}
{{- $root := index . 0 -}}
{{- $where := printf "%s:%s" (include "toolkit.endpoint.host" (list $root "oslo_cache" "internal")) (include "toolkit.endpoint.port" (list $root "oslo_cache" "internal" "memcache")) -}}
{{- $members := list $where -}}
{{- with $root.Values.endpoints.oslo_cache.statefulset -}}
  {{- $members = list -}}
  {{- range $i := until (int .replicas) -}}
    {{- $members = append $members (printf "%s-%d.%s" $root.Values.endpoints.oslo_cache.statefulset.name $i $where) -}}
  {{- end -}}
{{- end -}}
{{- join "," $members -}}
{{- end -}}
