{{/* The script of a kind of job that the toolkit knows. */}}
{{- define "toolkit.job.script" -}}
{{- . }}.{{ ternary "py" "sh" (eq . "db-init") -}}
{{- end -}}

{{/*
The containers of a job of a known kind: list <root> <item>. What they get in
their environment is the interface that the scripts of OpenStack-Helm have.
*/}}
{{- define "toolkit.job.containers" -}}
{{- $root := index . 0 -}}
{{- $item := index . 1 -}}
{{- $chart := $root.Chart.Name -}}
{{- $tag := $item.kind | replace "-" "_" -}}
{{- $command := printf "[/bin/bash, -c, /tmp/%s]" (include "toolkit.job.script" $item.kind) -}}
containers:
{{- if eq $item.kind "db-init" }}
{{- range $i, $db := $item.databases }}
- name: {{ $chart }}-db-init-{{ $i }}
  tag: db_init
  command: [/tmp/db-init.py]
  from:
    ROOT_DB_CONNECTION: [{{ index $root.Values.secrets ($db.root | default $db.type) "admin" }}, DB_CONNECTION]
    {{- with $db.user }}
    DB_CONNECTION: [{{ index $root.Values.secrets $db.type . }}, DB_CONNECTION]
    {{- end }}
  {{- with $db.file }}
  env: {OPENSTACK_CONFIG_FILE: {{ . }}, OPENSTACK_CONFIG_DB_SECTION: {{ $db.section }}, OPENSTACK_CONFIG_DB_KEY: {{ $db.key | default "connection" }}}
  {{- end }}
{{- end }}
{{- else if eq $item.kind "db-sync" }}
- name: {{ $chart }}-db-sync
  tag: {{ $chart }}_db_sync
  command: {{ $command }}
  env: {{ toJson ($item.env | default dict) }}
  from: {{ toJson ($item.from | default dict) }}
{{- else if eq $item.kind "ks-user" }}
{{- range $user := $item.users }}
{{- $role := index $root.Values.endpoints.identity.auth $user "role" }}
- name: {{ $user | replace "_" "-" }}-ks-user
  tag: ks_user
  command: {{ $command }}
  openrc: admin
  creates: {{ $user }}
  env:
    SERVICE_OS_SERVICE_NAME: {{ $chart }}
    SERVICE_OS_ROLES: {{ ternary $role (list $role) (kindIs "slice" $role) | join "," | quote }}
{{- end }}
{{- else if eq $item.kind "ks-service" }}
{{- range $type := $item.types }}
- name: {{ $type }}-ks-service-registration
  tag: ks_service
  command: {{ $command }}
  openrc: admin
  env: {OS_SERVICE_TYPE: {{ $type }}, OS_SERVICE_NAME: {{ index $root.Values.endpoints ($type | replace "-" "_") "name" }}}
{{- end }}
{{- else if eq $item.kind "ks-endpoints" }}
{{- range $type := $item.types }}
{{- range $interface := list "admin" "internal" "public" }}
- name: {{ $type }}-ks-endpoints-{{ $interface }}
  tag: ks_endpoints
  command: {{ $command }}
  openrc: admin
  env:
    OS_SVC_ENDPOINT: {{ $interface }}
    OS_SERVICE_TYPE: {{ $type }}
    OS_SERVICE_NAME: {{ index $root.Values.endpoints ($type | replace "-" "_") "name" }}
    OS_SERVICE_ENDPOINT: {{ include "toolkit.endpoint.uri" (list $root $type $interface "api") | quote }}
{{- end }}
{{- end }}
{{- else if eq $item.kind "rabbit-init" }}
- name: rabbit-init
  tag: rabbit_init
  command: {{ $command }}
  from:
    RABBITMQ_ADMIN_CONNECTION: [{{ $root.Values.secrets.oslo_messaging.admin }}, RABBITMQ_CONNECTION]
    RABBITMQ_USER_CONNECTION: [{{ index $root.Values.secrets.oslo_messaging $chart }}, RABBITMQ_CONNECTION]
  {{- with $root.Values.conf.rabbitmq }}
  env: {RABBITMQ_AUXILIARY_CONFIGURATION: {{ toJson . | quote }}}
  {{- end }}
{{- else if eq $item.kind "bootstrap" }}
- name: bootstrap
  tag: bootstrap
  command: {{ $command }}
  openrc: {{ $item.openrc | default "admin" }}
  env: {{ toJson ($item.env | default dict) }}
{{- end }}
{{- end -}}

{{/*
A job's item with everything that its kind implies: list <root> <item>.
*/}}
{{- define "toolkit.job.item" -}}
{{- $root := index . 0 -}}
{{- $item := index . 1 -}}
{{- $kind := $item.kind | default $item.component | default "" -}}
{{- $default := dict
      "name" (printf "%s-%s" $root.Chart.Name $kind)
      "component" $kind
      "node" "job"
      "depends" ($kind | replace "-" "_")
      "manifest" (printf "job_%s" ($kind | replace "-" "_"))
      "restart" "OnFailure" -}}
{{- range $key := list "depends" "manifest" -}}
  {{- if hasKey $item $key -}}{{- $default = omit $default $key -}}{{- end -}}
{{- end -}}
{{- if $item.kind -}}
  {{- $default = merge $default (dict "backoff" 1000) (include "toolkit.job.containers" . | fromYaml) -}}
{{- end -}}
{{- toYaml (merge (deepCopy $item) $default) -}}
{{- end -}}

{{/* A Job: list <root> <spec> <item>, the item completed by toolkit.job.item. */}}
{{- define "toolkit.job" -}}
{{- $root := index . 0 -}}
{{- $item := index . 2 -}}
apiVersion: batch/v1
kind: Job
metadata: {{ include "toolkit.metadata" (list $root $item) | nindent 2 }}
  {{- if not $item.plain }}
  annotations:
    helm.sh/hook: {{ $item.hook | default "post-install,post-upgrade" }}
    {{- if hasKey $item "weight" }}
    helm.sh/hook-weight: {{ $item.weight | toString | quote }}
    {{- end }}
    {{- with $item.policy }}
    helm.sh/hook-delete-policy: {{ . | quote }}
    {{- end }}
  {{- end }}
spec:
  {{- with $item.backoff }}
  backoffLimit: {{ . }}
  {{- end }}
  template: {{ include "toolkit.pod" . | nindent 4 }}
{{- end -}}

{{/* A CronJob: list <root> <spec> <item>. item.schedule has cron, history and starting_deadline. */}}
{{- define "toolkit.cronjob" -}}
{{- $root := index . 0 -}}
{{- $item := index . 2 -}}
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {{ $item.name }}
spec:
  schedule: {{ $item.schedule.cron | quote }}
  concurrencyPolicy: Forbid
  successfulJobsHistoryLimit: {{ $item.schedule.history.success }}
  failedJobsHistoryLimit: {{ $item.schedule.history.failed }}
  {{- with $item.schedule.starting_deadline }}
  startingDeadlineSeconds: {{ . }}
  {{- end }}
  jobTemplate:
    metadata:
      labels: {{ include "toolkit.labels" (list $root $item.component) | nindent 8 }}
    spec:
      template: {{ include "toolkit.pod" . | nindent 8 }}
{{- end -}}

{{/* A pod that `helm test` runs: list <root> <spec> <item>. */}}
{{- define "toolkit.test" -}}
{{- $pod := include "toolkit.pod" . | fromYaml -}}
{{- $meta := merge (dict "name" (index . 2).name) $pod.metadata -}}
{{- $_ := set $meta.annotations "helm.sh/hook" "test-success" -}}
{{- toYaml (dict "apiVersion" "v1" "kind" "Pod" "metadata" $meta "spec" $pod.spec) -}}
{{- end -}}
