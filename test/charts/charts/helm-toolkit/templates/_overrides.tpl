{{/*
DaemonSets that differ by node. A group is {suffix, expressions, values}: its
name's end, the node affinity that selects its nodes, and the values it renders
with. Call: dict root item out; sets out.groups. Later labels win over earlier
ones, hosts win over labels; "default" takes the nodes that no other group has.
*/}}

{{/* conf.overrides.<chart>_<item>.{labels,hosts}[].conf: overrides the chart's conf only. */}}
{{- define "toolkit.groups.conf" -}}
{{- $root := .root -}}
{{- $overrides := index ($root.Values.conf.overrides | default dict) (printf "%s_%s" $root.Chart.Name .item.overrides) | default dict -}}
{{- $hosts := list -}}
{{- range $overrides.hosts -}}
  {{- $hosts = append $hosts (dict "key" "kubernetes.io/hostname" "values" (list .name) "operator" "NotIn") -}}
{{- end -}}
{{- $labels := list -}}
{{- range $overrides.labels -}}
  {{- $labels = append $labels (merge (dict "operator" "NotIn") .label) -}}
{{- end -}}
{{- $groups := list -}}
{{- range $i, $host := $overrides.hosts -}}
  {{- $expressions := list (merge (dict "operator" "In") (index $hosts $i)) -}}
  {{- $groups = append $groups (dict "suffix" (trunc 20 $host.name) "expressions" $expressions "conf" $host.conf) -}}
{{- end -}}
{{- range $i, $label := $overrides.labels -}}
  {{- $own := merge (dict "operator" "In") (index $labels $i) -}}
  {{- $expressions := concat (list $own) (slice $labels (add1 $i)) $hosts -}}
  {{- $groups = append $groups (dict "suffix" $label.label.key "expressions" $expressions "conf" $label.conf) -}}
{{- end -}}
{{- $default := dict "suffix" "default" "conf" dict -}}
{{- if $overrides -}}{{- $_ := set $default "expressions" (concat $labels $hosts) -}}{{- end -}}
{{- $named := list -}}
{{- range append $groups $default -}}
  {{- $name := printf "%s-%s-%s" $root.Chart.Name $.item.overrides .suffix -}}
  {{- if hasKey . "expressions" -}}
    {{- $name = printf "%s-%s" $name (.expressions | quote | sha256sum | trunc 8) -}}
  {{- end -}}
  {{- $conf := mergeOverwrite (omit (deepCopy $root.Values.conf) "overrides") (deepCopy (.conf | default dict)) -}}
  {{- $values := merge (dict "conf" $conf) (omit $root.Values "conf") -}}
  {{- $named = append $named (dict "name" ($name | lower | replace "_" "-") "expressions" .expressions "values" $values) -}}
{{- end -}}
{{- $_ := set .out "groups" $named -}}
{{- end -}}

{{/* overrides.<chart>_<item>.labels."<key>::<value>".values: overrides any value. */}}
{{- define "toolkit.groups.root" -}}
{{- $root := .root -}}
{{- $overrides := index ($root.Values.overrides | default dict) (printf "%s_%s" $root.Chart.Name .item.overrides) | default dict -}}
{{- $labels := dict -}}
{{- range $name, $_ := $overrides.labels -}}
  {{- $pair := splitList "::" $name -}}
  {{- $_ := set $labels $name (dict "key" (first $pair) "operator" "NotIn" "values" (list (last $pair))) -}}
{{- end -}}
{{- $prefix := printf "%s-%s" $root.Chart.Name .item.overrides | replace "_" "-" -}}
{{- $groups := list -}}
{{- range $name, $label := $overrides.labels -}}
  {{- $expressions := list (merge (dict "operator" "In") (index $labels $name)) -}}
  {{- range $other, $expression := omit $labels $name -}}{{- $expressions = append $expressions $expression -}}{{- end -}}
  {{- $values := mergeOverwrite (omit (deepCopy $root.Values) "overrides") (deepCopy $label.values) -}}
  {{- $groups = append $groups (dict "name" (printf "%s-%s" $prefix ($expressions | quote | sha256sum | trunc 16)) "expressions" $expressions "values" $values "annotation" $name) -}}
{{- end -}}
{{- if ne (toString (index $overrides "overrides_default")) "false" -}}
  {{- $expressions := list -}}
  {{- range $name, $expression := $labels -}}{{- $expressions = append $expressions $expression -}}{{- end -}}
  {{- $groups = append $groups (dict "name" (printf "%s-default" $prefix) "expressions" $expressions "values" $root.Values) -}}
{{- end -}}
{{- $_ := set .out "groups" $groups -}}
{{- end -}}

{{/*
The DaemonSets of one item, one per group, each with its own configuration.
Call: dict root spec template item index. The spec is made anew from the group's
values.
*/}}
{{- define "toolkit.grouped" -}}
{{- $out := dict -}}
{{- $style := .item.style | default "conf" -}}
{{- include (printf "toolkit.groups.%s" $style) (dict "root" .root "item" .item "out" $out) -}}
{{- range $group := $out.groups -}}
  {{- $root := dict "Values" $group.values "Chart" $.root.Chart "Release" $.root.Release "Template" $.root.Template -}}
  {{- include "toolkit.spec" (dict "root" $root "template" $.template "out" $out) -}}
  {{- $spec := $out.spec -}}
  {{- $item := index $spec.daemonsets $.index -}}
  {{- $own := dict "name" $group.name "account" $item.name "etc" $group.name -}}
  {{- if eq $style "root" -}}
    {{- $own = dict "name" $group.name "account" $item.name "etc" (printf "%s-etc" $group.name) "bin" (printf "%s-bin" $group.name) -}}
    {{- with $group.annotation -}}{{- $_ := set $own "annotations" (dict "daemonset_override" .) -}}{{- end }}
---
{{ include "toolkit.bin" (list $root $spec $own.bin) }}
  {{- end -}}
  {{- with $group.expressions -}}{{- $_ := set $own "expressions" . -}}{{- end }}
---
{{ include "toolkit.etc" (list $root $spec $own.etc) }}
---
{{ include "toolkit.daemonset" (list $root $spec (merge $own $item)) }}
{{- end -}}
{{- end -}}
