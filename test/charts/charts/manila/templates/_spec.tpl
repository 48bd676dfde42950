{{- define "manila.spec" -}}
{{- $conf := "/etc/manila/manila.conf" -}}
{{- $client := include "toolkit.authtoken" (list . "manila") -}}
{{- $name := include "toolkit.endpoint.name" (list . "sharev2" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "sharev2" "service" "api") -}}
config:
  manila.conf:
    ini: manila
    with:
      DEFAULT: {transport_url: {{ include "toolkit.endpoint.transport" (list . "manila") | quote }}}
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "manila") | quote }}}
      {{- range $section := list "keystone_authtoken" "neutron" "nova" "cinder" "glance" }}
      {{ $section }}: {{ $client }}
      {{- end }}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
deployments:
  {{- $parts := list "api" "data" "scheduler" }}
  {{- if not .Values.manifests.statefulset_share }}{{- $parts = append $parts "share" }}{{- end }}
  {{- range $what := $parts }}
  - name: manila-{{ $what }}
    component: {{ $what }}
    manifest: deployment_{{ $what }}
    node: {{ $what }}
    depends: {{ $what }}
    replicas: {{ $what }}
    anti: true
    {{- if eq $what "api" }}
    grace: {{ $.Values.pod.lifecycle.termination_grace_period.api.timeout }}
    containers: [{name: manila-api, tag: manila_api, command: [uwsgi, --ini, /etc/manila/manila-api-uwsgi.ini], ports: {m-api: {{ $port }}}}]
    {{- else if eq $what "share" }}
    {{- include "manila.share" $ | nindent 4 }}
    {{- else }}
    containers: [{name: manila-{{ $what }}, tag: manila_{{ $what }}, command: [manila-{{ $what }}, --config-file, {{ $conf }}, --config-dir, /etc/manila/manila.conf.d]}]
    {{- end }}
  {{- end }}
statefulsets:
  - name: manila-share
    component: share
    manifest: statefulset_share
    node: share
    depends: share
    replicas: share
    service: manila-share
    anti: true
    {{- include "manila.share" . | nindent 4 }}
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: {{ $conf }}, section: database}]}
  - {kind: db-sync, weight: -4}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [sharev2]}
  - {kind: ks-endpoints, weight: -2, types: [sharev2]}
  - {kind: ks-user, weight: -1, users: [manila]}
  {{- if .Values.bootstrap.enabled }}
  - {kind: bootstrap, weight: 5, depends: "", openrc: {{ .Values.bootstrap.ks_user }}}
  {{- end }}
cronjobs:
  - name: manila-db-purge
    component: db-purge
    manifest: cron_db_purge
    node: job
    depends: db_purge
    restart: OnFailure
    schedule: {{ toJson .Values.jobs.db_purge }}
    containers: [{name: db-purge, tag: manila_db_purge, command: [/tmp/db-purge.sh]}]
services:
  - {name: {{ $name }}, component: api, manifest: service_api, ports: {m-api: {{ $port }}}}
budgets:
  - {name: manila-api, component: api, manifest: pdb_api, available: {{ .Values.pod.lifecycle.disruption_budget.api.min_available }}}
{{- end -}}

{{/* What serves the shares, in a Deployment or in a StatefulSet. */}}
{{- define "manila.share" -}}
host: true
init: [{name: manila-share-init, tag: manila_share, command: [/tmp/manila-share-init.sh]}]
containers: [{name: manila-share, tag: manila_share, command: [/tmp/manila-share.sh]}]
{{- end -}}
