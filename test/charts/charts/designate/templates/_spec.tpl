{{- define "designate.spec" -}}
{{- $database := include "toolkit.endpoint.database" (list . "oslo_db" "designate") -}}
{{- $grace := .Values.pod.lifecycle.termination_grace_period -}}
{{- $budgets := .Values.pod.lifecycle.disruption_budget -}}
{{- $port := include "toolkit.endpoint.port" (list . "dns" "internal" "api") -}}
{{- $mdns := include "toolkit.endpoint.port" (list . "mdns" "internal" "ipc") -}}
{{- $parts := list "api" "central" "mdns" "producer" "sink" "worker" -}}
config:
  designate.conf:
    ini: designate
    with:
      DEFAULT: {transport_url: {{ include "toolkit.endpoint.transport" (list . "designate") | quote }}}
      database: {connection: {{ $database | quote }}}
      "storage:sqlalchemy": {connection: {{ $database | quote }}}
      "service:api": {api_base_uri: {{ include "toolkit.endpoint.uri" (list . "dns" "internal" "api") | quote }}}
      keystone_authtoken: {{ include "toolkit.authtoken" (list . "designate") }}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
deployments:
  {{- range $what := $parts }}
  - name: designate-{{ $what }}
    component: {{ $what }}
    manifest: deployment_{{ $what }}
    node: {{ $what }}
    depends: {{ $what }}
    replicas: {{ $what }}
    anti: true
    {{- if eq $what "api" }}
    grace: {{ $grace.api.timeout }}
    containers: [{name: designate-api, tag: designate_api, command: [/tmp/designate-api.sh], ports: {dns-api: {{ $port }}}}]
    {{- else if eq $what "mdns" }}
    grace: {{ $grace.mdns.timeout }}
    containers: [{name: designate-mdns, tag: designate_mdns, command: [bash, /tmp/designate-mdns.sh], ports: {d-mdns: {{ $mdns }}, d-mdns-udp: {{ $mdns }}}}]
    {{- else }}
    {{- if eq $what "worker" }}
    init:
      - name: designate-worker-init
        tag: designate_worker
        command: [bash, -c, "eval \"echo \\\"$(cat /tmp/designate_pools.template)\\\"\" > /etc/designate/pools.yaml && designate-manage pool update"]
    {{- end }}
    containers: [{name: designate-{{ $what }}, tag: designate_{{ $what }}, command: [bash, /tmp/designate-{{ $what }}.sh]}]
    {{- end }}
  {{- end }}
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: /etc/designate/designate.conf, section: database}]}
  - {kind: db-sync, weight: -4}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [dns]}
  - {kind: ks-endpoints, weight: -2, types: [dns]}
  - {kind: ks-user, weight: -1, users: [designate]}
cronjobs:
  - name: designate-service-cleaner
    component: service-cleaner
    manifest: cron_job_service_cleaner
    node: service_cleaner
    restart: OnFailure
    schedule: {{ toJson .Values.jobs.service_cleaner }}
    containers: [{name: designate-service-cleaner, tag: designate_service_cleaner, command: [/tmp/designate-service-cleaner.sh]}]
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "dns" "internal") }}, component: api, manifest: service_api, ports: {dns-api: {{ $port }}}}
  - {name: {{ include "toolkit.endpoint.name" (list . "mdns" "internal") }}, component: mdns, manifest: service_mdns, ports: {d-mdns: {{ $mdns }}, d-mdns-udp: {{ $mdns }}}}
budgets:
  {{- range $what := $parts }}
  - {name: designate-{{ $what }}, component: {{ $what }}, manifest: pdb_{{ $what }}, available: {{ (index $budgets $what).min_available }}}
  {{- end }}
{{- end -}}
