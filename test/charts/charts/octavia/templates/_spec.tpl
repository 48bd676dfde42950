{{- define "octavia.spec" -}}
{{- $conf := "/etc/octavia/octavia.conf" -}}
{{- $admin := .Values.endpoints.identity.auth.admin -}}
{{- $client := include "toolkit.authtoken" (list . "octavia") -}}
{{- $name := include "toolkit.endpoint.name" (list . "load_balancer" "internal") -}}
config:
  octavia.conf:
    ini: octavia
    with:
      DEFAULT: {transport_url: {{ include "toolkit.endpoint.transport" (list . "octavia") | quote }}}
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "octavia") | quote }}}
      task_flow: {persistence_connection: {{ include "toolkit.endpoint.database" (list . "oslo_db_persistence" "octavia") | quote }}}
      keystone_authtoken: {{ $client }}
      service_auth: {{ toJson (merge (pick $admin "password" "project_domain_name" "project_name" "user_domain_name" "username") (omit (fromJson $client) "region_name")) }}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
deployments:
  - name: octavia-api
    component: api
    manifest: deployment_api
    node: api
    depends: api
    replicas: api
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.api.timeout }}
    # It listens where its own configuration says, and not at the port of the endpoint.
    containers: [{name: octavia-api, tag: octavia_api, command: [uwsgi, --ini, /etc/octavia/octavia-api-uwsgi.ini], ports: {o-api: 9876}}]
  {{- range $what := list "driver_agent" "housekeeping" }}
  {{- $program := printf "octavia-%s" ($what | replace "_" "-") }}
  - name: {{ $program }}
    component: {{ $what }}
    manifest: deployment_{{ $what }}
    node: {{ $what }}
    depends: {{ $what }}
    replicas: {{ $what }}
    anti: true
    host: {{ eq $what "housekeeping" }}
    containers: [{name: {{ $program }}, tag: octavia_{{ $what }}, command: [{{ $program }}, --config-file, {{ $conf }}, --config-dir, /etc/octavia/octavia.conf.d]}]
  {{- end }}
daemonsets:
  {{- range $what := list "health_manager" "worker" }}
  {{- $program := printf "octavia-%s" ($what | replace "_" "-") }}
  - name: {{ $program }}
    overrides: {{ $what }}
    component: {{ $what }}
    manifest: daemonset_{{ $what }}
    node: {{ $what }}
    depends: {{ $what }}
    upgrades: {{ $what }}
    host: true
    init:
      - {name: {{ $program }}-get-port, tag: octavia_{{ $what }}_init, command: [/tmp/{{ $program }}-get-port.sh], openrc: admin}
      - {name: {{ $program }}-nic-init, tag: openvswitch_vswitchd, command: [/tmp/{{ $program }}-nic-init.sh]}
    containers: [{name: {{ $program }}, tag: octavia_{{ $what }}, command: [/tmp/{{ $program }}.sh, start]}]
  {{- end }}
jobs:
  - kind: db-init
    weight: -5
    databases:
      - {type: oslo_db, file: {{ $conf }}, section: database}
      - {type: oslo_db, file: {{ $conf }}, section: task_flow, key: persistence_connection}
  - {kind: db-sync, weight: -4}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [load-balancer]}
  - {kind: ks-endpoints, weight: -2, types: [load-balancer]}
  - {kind: ks-user, weight: -1, users: [octavia]}
  {{- if .Values.bootstrap.enabled }}
  - {kind: bootstrap, weight: 5, depends: "", openrc: {{ .Values.bootstrap.ks_user }}}
  {{- end }}
services:
  - {name: {{ $name }}, component: api, manifest: service_api, ports: {o-api: {{ include "toolkit.endpoint.port" (list . "load_balancer" "service" "api") }}}}
budgets:
  - {name: octavia-api, component: api, manifest: pdb_api, available: {{ .Values.pod.lifecycle.disruption_budget.api.min_available }}}
{{- end -}}
