{{/*
A chart's description with the hashes that its pods carry, so that they roll when
a file changes. Call: dict root template out; sets out.spec.
*/}}
{{- define "toolkit.spec" -}}
{{- $spec := include .template .root | fromYaml -}}
{{- if $spec.Error -}}{{- fail (printf "%s: %s" .template $spec.Error) -}}{{- end -}}
{{- $_ := set $spec "binHash" (include "toolkit.bin" (list .root $spec "") | sha256sum) -}}
{{- $_ := set $spec "etcHash" (include "toolkit.config" (list .root $spec) | sha256sum) -}}
{{- $_ := set .out "spec" $spec -}}
{{- end -}}

{{/*
Every object of a chart, from the description that the chart's own named template
prints as YAML. Call: dict root template. The description's keys: config, bin, binManifest, scriptless,
backend, snippets, credentials, deployments, statefulsets, daemonsets, jobs,
cronjobs, tests, services, budgets, objects. An item is left out when
manifests.<item.manifest> is false.
*/}}
{{- define "toolkit.render" -}}
{{- $root := .root -}}
{{- $template := .template -}}
{{- $out := dict -}}
{{- include "toolkit.spec" (dict "root" $root "template" $template "out" $out) -}}
{{- $spec := $out.spec -}}
{{- $jobs := list -}}
{{- range $spec.jobs -}}{{- $jobs = append $jobs (include "toolkit.job.item" (list $root .) | fromYaml) -}}{{- end -}}
{{- if and $spec.config (include "toolkit.enabled" (list $root "configmap_etc")) }}
---
{{ include "toolkit.etc" (list $root $spec (printf "%s-etc" $root.Chart.Name)) }}
{{- end }}
{{- if and (not $spec.scriptless) (include "toolkit.enabled" (list $root ($spec.binManifest | default "configmap_bin"))) }}
---
{{ include "toolkit.bin" (list $root $spec ($spec.bin | default (printf "%s-bin" $root.Chart.Name))) }}
{{- end }}
{{- if $root.Values.secrets }}
{{ include "toolkit.secrets" (list $root $spec) }}
{{- end }}
{{- $accounts := list -}}
{{- range $kind := list "deployment" "statefulset" "daemonset" "job" "cronjob" "test" -}}
{{- $items := index $spec (printf "%ss" $kind) -}}
{{- if eq $kind "job" -}}{{- $items = $jobs -}}{{- end -}}
{{- range $i, $item := $items -}}
{{- if include "toolkit.enabled" (list $root $item.manifest) -}}
{{- $account := $item.account | default $item.name -}}
{{- if not (or $item.bare (has $account $accounts)) -}}
{{- $accounts = append $accounts $account }}
---
{{ include "toolkit.account" $item }}
{{- end }}
---
{{- if $item.overrides }}
{{ include "toolkit.grouped" (dict "root" $root "template" $template "item" $item "index" $i) }}
{{- else }}
{{ include (printf "toolkit.%s" $kind) (list $root $spec $item) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- range $kind := list "service" "budget" -}}
{{- range index $spec (printf "%ss" $kind) -}}
{{- if include "toolkit.enabled" (list $root .manifest) }}
---
{{ include (printf "toolkit.%s" $kind) (list $root .) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $spec.objects }}
{{- if include "toolkit.enabled" (list $root .manifest) }}
---
{{ toYaml (omit . "manifest") }}
{{- end }}
{{- end }}
{{- range $root.Values.extraObjects }}
---
{{ tpl (toYaml .) $root }}
{{- end }}
{{- end -}}
