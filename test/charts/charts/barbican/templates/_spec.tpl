{{- define "barbican.spec" -}}
{{- $name := include "toolkit.endpoint.name" (list . "key_manager" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "key_manager" "service" "api") -}}
config:
  barbican.conf:
    ini: barbican
    with:
      DEFAULT:
        transport_url: {{ include "toolkit.endpoint.transport" (list . "barbican") | quote }}
        host_href: {{ include "toolkit.endpoint.uri" (list . "key_manager" "public" "api") | quote }}
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "barbican") | quote }}}
      keystone_authtoken: {{ include "toolkit.authtoken" (list . "barbican") }}
  logging.conf: {ini: logging}
  old_keks: {text: simple_crypto_kek_rewrap.old_kek}
  policy.yaml: {yaml: policy}
deployments:
  - name: barbican-api
    component: api
    manifest: deployment_api
    node: api
    depends: api
    replicas: api
    anti: true
    containers: [{name: barbican-api, tag: barbican_api, command: [uwsgi, --ini, /etc/barbican/barbican-api-uwsgi.ini], ports: {b-api: {{ $port }}}}]
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: /etc/barbican/barbican.conf, section: database}]}
  - {kind: db-sync, weight: -4}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [key-manager]}
  - {kind: ks-endpoints, weight: -2, types: [key-manager]}
  - {kind: ks-user, weight: -1, users: [barbican]}
  {{- if .Values.bootstrap.enabled }}
  - {kind: bootstrap, weight: 5, openrc: {{ .Values.bootstrap.ks_user }}}
  {{- end }}
tests:
  - name: {{ .Release.Name }}-test
    component: test
    manifest: pod_test
    node: test
    restart: Never
    containers: [{name: barbican-test, tag: scripted_test, command: [/tmp/barbican-test.sh], openrc: admin}]
services:
  - {name: {{ $name }}, component: api, manifest: service_api, ports: {b-api: {{ $port }}}}
budgets:
  - {name: barbican-api, component: api, manifest: pdb_api, available: {{ .Values.pod.lifecycle.disruption_budget.api.min_available }}}
{{- end -}}
