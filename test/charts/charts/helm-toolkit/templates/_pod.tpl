{{/*
What an init container waits for: dependencies.static.<key>, per network backend
dependencies.dynamic.targeted.<backend>.<key>, and dependencies.dynamic.job_rabbit_init.<key>;
nothing without a key. Jobs
that manifests switch off are dropped. Call: list <root> <key> <backends>. Gives env
variables.
*/}}
{{- define "toolkit.dependencies" -}}
{{- $root := index . 0 -}}
{{- $sources := list -}}
{{- with index . 1 -}}
  {{- $sources = list (index $root.Values.dependencies.static .) -}}
  {{- range $backend := index $ 2 -}}
    {{- $sources = append $sources (index (index $root.Values.dependencies.dynamic.targeted $backend | default dict) (index $ 1)) -}}
  {{- end -}}
  {{- $dynamic := $root.Values.dependencies.dynamic | default dict -}}
  {{- $sources = append $sources (index ($dynamic.job_rabbit_init | default dict) .) -}}
{{- end -}}
{{- $endpoints := list -}}
{{- $jobs := list -}}
{{- $selectors := list -}}
{{- $pods := list -}}
{{- $resources := list -}}
{{- range $source := compact $sources -}}
  {{- range $source.services -}}
    {{- $endpoints = append $endpoints (list .service .endpoint) -}}
  {{- end -}}
  {{- $wanted := $source.jobs -}}
  {{- if kindIs "string" $wanted -}}
    {{- $wanted = list (printf "%s-%s" $root.Chart.Name ($wanted | replace "_" "-")) -}}
  {{- end -}}
  {{- range $job := $wanted -}}
    {{- if kindIs "map" $job -}}
      {{- $selectors = append $selectors $job -}}
    {{- else if include "toolkit.enabled" (list $root (printf "job_%s" (rest (splitList "-" $job) | join "_"))) -}}
      {{- $jobs = append $jobs $job -}}
    {{- end -}}
  {{- end -}}
  {{- range $source.pod -}}{{- $pods = append $pods . -}}{{- end -}}
  {{- range $source.custom_resources -}}
    {{- $resources = append $resources (merge (dict "namespace" $root.Release.Namespace) .) -}}
  {{- end -}}
{{- end -}}
{{- $services := list -}}
{{- range $endpoint := $endpoints | uniq -}}
  {{- $services = append $services (include "toolkit.endpoint.service" (list $root (index $endpoint 0) (index $endpoint 1))) -}}
{{- end -}}
- {name: POD_NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}
- {name: NAMESPACE, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.namespace}}}
- {name: INTERFACE_NAME, value: eth0}
- {name: DEPENDENCY_SERVICE, value: {{ join "," $services | quote }}}
{{- if $selectors }}
- {name: DEPENDENCY_JOBS_JSON, value: {{ toJson $selectors | quote }}}
{{- else }}
- {name: DEPENDENCY_JOBS, value: {{ join "," ($jobs | uniq) | quote }}}
{{- end }}
- {name: DEPENDENCY_DAEMONSET, value: ""}
- {name: DEPENDENCY_CONTAINER, value: ""}
- {name: DEPENDENCY_POD_JSON, value: {{ if $pods }}{{ toJson $pods | quote }}{{ else }}""{{ end }}}
- {name: DEPENDENCY_CUSTOM_RESOURCE, value: {{ if $resources }}{{ toJson $resources | quote }}{{ else }}""{{ end }}}
{{- end -}}

{{/* OS_* of the Secret secrets.identity.<user>: list <root> <user> <prefix of the names> <keys>. */}}
{{- define "toolkit.identity.env" -}}
{{- $secret := index (index . 0).Values.secrets.identity (index . 1) -}}
{{- $prefix := index . 2 -}}
{{- range $key := index . 3 }}
- {name: {{ $prefix }}{{ $key }}, valueFrom: {secretKeyRef: {name: {{ $secret }}, key: {{ $key }}}}}
{{- end -}}
{{- end -}}

{{/*
A container: list <root> <container>. Beside Kubernetes' own fields: tag (of
images.tags), openrc (whose identity it acts with), creates (which user it makes)
and from (env variable to [Secret, key]).
*/}}
{{- define "toolkit.container" -}}
{{- $root := index . 0 -}}
{{- $container := index . 1 -}}
name: {{ $container.name }}
image: {{ index $root.Values.images.tags $container.tag | quote }}
imagePullPolicy: {{ $root.Values.images.pull_policy }}
command: {{ toJson $container.command }}
env:
{{- with $container.openrc }}
- {name: OS_IDENTITY_API_VERSION, value: "3"}
{{- include "toolkit.identity.env" (list $root . "" (list "OS_AUTH_URL" "OS_REGION_NAME" "OS_INTERFACE" "OS_PROJECT_DOMAIN_NAME" "OS_PROJECT_NAME" "OS_USER_DOMAIN_NAME" "OS_USERNAME" "OS_PASSWORD" "OS_DEFAULT_DOMAIN")) }}
- {name: OS_ENDPOINT_TYPE, valueFrom: {secretKeyRef: {name: {{ index $root.Values.secrets.identity . }}, key: OS_INTERFACE}}}
{{- end }}
{{- with $container.creates }}
{{- include "toolkit.identity.env" (list $root . "SERVICE_" (list "OS_REGION_NAME" "OS_PROJECT_DOMAIN_NAME" "OS_PROJECT_NAME" "OS_USER_DOMAIN_NAME" "OS_USERNAME" "OS_PASSWORD")) }}
{{- end }}
{{- range $name, $ref := $container.from }}
- {name: {{ $name }}, valueFrom: {secretKeyRef: {name: {{ index $ref 0 }}, key: {{ index $ref 1 }}}}}
{{- end }}
{{- range $name, $value := $container.env }}
- {name: {{ $name }}, value: {{ $value | toString | quote }}}
{{- end }}
{{- with $container.ports }}
ports:
{{- range $name, $port := . }}
- {name: {{ $name }}, containerPort: {{ $port }}}
{{- end }}
{{- end }}
{{- end -}}

{{/*
A pod's metadata and spec. Call: list <root> <spec> <item>. The item has:
component, pods (the pods' component, where it is another), account, node, depends, init, containers, restart, host, anti, grace,
intolerant (of all taints), everywhere (on all nodes, with tolerations), bare (without a ServiceAccount and what waits), tolerates (the entry of pod.tolerations, where it is not the chart's), etc and bin (names, where they are not the chart's), snippets, volumes, expressions.
*/}}
{{- define "toolkit.pod" -}}
{{- $root := index . 0 -}}
{{- $spec := index . 1 -}}
{{- $item := index . 2 -}}
{{- $etc := $item.etc | default (printf "%s-etc" $root.Chart.Name) -}}
{{- $bin := $item.bin | default $spec.bin | default (printf "%s-bin" $root.Chart.Name) -}}
{{- $tolerations := index ($root.Values.pod.tolerations | default dict) ($item.tolerates | default $root.Chart.Name) | default dict -}}
metadata:
  labels: {{ include "toolkit.labels" (list $root ($item.pods | default $item.component)) | nindent 4 }}
  annotations:
    configmap-bin-hash: {{ $spec.binHash }}
    {{- if $spec.config }}
    configmap-etc-hash: {{ $spec.etcHash }}
    {{- end }}
    {{- range $name, $value := $item.hashes }}
    {{ $name }}: {{ $value | toString | sha256sum }}
    {{- end }}
spec:
  {{- if not $item.bare }}
  serviceAccountName: {{ $item.account | default $item.name }}
  {{- end }}
  {{- with $item.restart }}
  restartPolicy: {{ . }}
  {{- end }}
  {{- if $item.host }}
  hostNetwork: true
  dnsPolicy: ClusterFirstWithHostNet
  {{- end }}
  {{- with $item.grace }}
  terminationGracePeriodSeconds: {{ . }}
  {{- end }}
  {{- if not (and $item.everywhere $tolerations.enabled) }}
  nodeSelector: {{ include "toolkit.nodeselector" (list $root $item.node) | nindent 4 }}
  {{- end }}
  {{- if and $tolerations.enabled (not $item.intolerant) }}
  tolerations: {{ toYaml $tolerations.tolerations | nindent 2 }}
  {{- end }}
  {{- if or $item.anti $item.expressions }}
  affinity:
    {{- if $item.anti }}
    podAntiAffinity: {{ include "toolkit.antiaffinity" (list $root $item.component) | nindent 6 }}
    {{- end }}
    {{- with $item.expressions }}
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: {{ toYaml . | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- if not $item.bare }}
  initContainers:
  - name: init
    image: {{ $root.Values.images.tags.dep_check | quote }}
    imagePullPolicy: {{ $root.Values.images.pull_policy }}
    command: [kubernetes-entrypoint]
    env: {{ include "toolkit.dependencies" (list $root $item.depends ($spec.backend | default list)) | nindent 4 }}
  {{- range $item.init }}
  - {{ include "toolkit.container" (list $root .) | nindent 4 | trim }}
    volumeMounts: {{ include "toolkit.mounts" (list $root $spec $item) | nindent 4 }}
  {{- end }}
  {{- end }}
  containers:
  {{- range $item.containers }}
  - {{ include "toolkit.container" (list $root .) | nindent 4 | trim }}
    volumeMounts: {{ include "toolkit.mounts" (list $root $spec $item) | nindent 4 }}
  {{- end }}
  volumes:
  {{- if not $spec.scriptless }}
  - {name: bin, configMap: {name: {{ $bin }}, defaultMode: 0555}}
  {{- end }}
  {{- if $spec.config }}
  - {name: etc, secret: {secretName: {{ $etc }}, defaultMode: 0444}}
  {{- end }}
  {{- if $spec.snippets }}
  - {name: snippets, projected: {sources: [{secret: {name: {{ $spec.snippets }}}}]}}
  {{- end }}
  {{- range $item.volumes }}
  - {{ toJson . }}
  {{- end }}
{{- end -}}

{{/* Where a pod's volumes appear in its containers. */}}
{{- define "toolkit.mounts" -}}
{{- $root := index . 0 -}}
{{- if not (index . 1).scriptless }}
- {name: bin, mountPath: /tmp}
{{- end }}
{{- if (index . 1).config }}
- {name: etc, mountPath: /etc/{{ $root.Chart.Name }}}
{{- end }}
{{- if (index . 1).snippets }}
- {name: snippets, mountPath: /etc/{{ $root.Chart.Name }}/{{ $root.Chart.Name }}.conf.d}
{{- end }}
{{- range (index . 2).mounts }}
- {{ toJson . }}
{{- end }}
{{- end -}}

{{/* Keeps a component's pods apart, as pod.affinity.anti says: list <root> <component>. */}}
{{- define "toolkit.antiaffinity" -}}
{{- $root := index . 0 -}}
{{- $anti := $root.Values.pod.affinity.anti -}}
{{- $type := index $anti.type (index . 1) | default $anti.type.default -}}
{{- $key := index $anti.topologyKey (index . 1) | default $anti.topologyKey.default -}}
{{- $weight := $anti.weight | default dict -}}
{{- $term := dict "topologyKey" $key "labelSelector" (dict "matchExpressions" (list
      (dict "key" "release_group" "operator" "In" "values" (list $root.Release.Name))
      (dict "key" "application" "operator" "In" "values" (list (include "toolkit.application" $root)))
      (dict "key" "component" "operator" "In" "values" (list (index . 1))))) -}}
{{- if hasPrefix "preferred" $type -}}
{{ $type }}:
- weight: {{ index $weight (index . 1) | default $weight.default | default 10 }}
  podAffinityTerm: {{ toYaml $term | nindent 4 }}
{{- else -}}
{{ $type }}:
- {{ toYaml $term | nindent 2 | trim }}
{{- end -}}
{{- end -}}
