{{- define "placement.spec" -}}
{{- $name := include "toolkit.endpoint.name" (list . "placement" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "placement" "service" "api") -}}
config:
  placement.conf:
    ini: placement
    with:
      placement_database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "placement") | quote }}}
      keystone_authtoken: {{ include "toolkit.authtoken" (list .) }}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
snippets: placement-ks-etc
credentials: {keystone_authtoken: placement}
deployments:
  - name: placement-api
    component: api
    manifest: deployment
    node: api
    depends: api
    replicas: api
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.api.timeout }}
    containers:
      - {name: placement-api, tag: placement, command: [uwsgi, --ini, /etc/placement/placement-api-uwsgi.ini], ports: {p-api: {{ $port }}}}
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: /etc/placement/placement.conf, section: placement_database}]}
  - {kind: db-sync, weight: -3}
  - {kind: ks-service, weight: -2, types: [placement]}
  - {kind: ks-user, weight: -1, users: [placement]}
  - {kind: ks-endpoints, weight: 1, types: [placement]}
services:
  - {name: {{ $name }}, component: api, manifest: service, ports: {p-api: {{ $port }}}}
budgets:
  - {name: placement-api, component: api, manifest: pdb, available: {{ .Values.pod.lifecycle.disruption_budget.api.min_available }}}
{{- end -}}
