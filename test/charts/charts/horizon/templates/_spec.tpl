{{- define "horizon.spec" -}}
{{- $name := include "toolkit.endpoint.name" (list . "dashboard" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "dashboard" "internal" "web") -}}
config:
  local_settings:
    ini: horizon.local_settings
    with:
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "horizon") | quote }}}
      identity: {url: {{ include "toolkit.endpoint.uri" (list . "identity" "internal" "api") | quote }}}
      cache: {server: "{{ include "toolkit.endpoint.cache" (list .) }}"}
deployments:
  - name: horizon
    component: server
    manifest: deployment
    node: dashboard
    depends: dashboard
    replicas: server
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.horizon.timeout }}
    containers: [{name: horizon, tag: horizon, command: [/tmp/horizon.sh, start], ports: {web: {{ $port }}}}]
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, user: horizon}]}
  - component: db-sync
    weight: -4
    containers: [{name: horizon-db-sync, tag: horizon_db_sync, command: [/tmp/db-sync.sh]}]
tests:
  - name: horizon-test
    component: test
    manifest: pod_helm_test
    node: test
    depends: tests
    restart: Never
    containers: [{name: horizon-test, tag: test, command: [/tmp/selenium-test.py], openrc: admin, env: {HORIZON_URI: {{ include "toolkit.endpoint.uri" (list . "dashboard" "public" "web") | quote }}}}]
services:
  - {name: {{ $name }}, component: server, manifest: service, ports: {web: {{ $port }}}}
budgets:
  - {name: horizon, component: server, manifest: pdb, available: {{ .Values.pod.lifecycle.disruption_budget.horizon.min_available }}}
{{- end -}}
