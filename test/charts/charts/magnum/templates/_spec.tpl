{{- define "magnum.spec" -}}
{{- $auth := .Values.endpoints.identity.auth -}}
{{- $name := include "toolkit.endpoint.name" (list . "container_infra" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "container_infra" "internal" "api") -}}
config:
  magnum.conf:
    ini: magnum
    with:
      DEFAULT: {transport_url: {{ include "toolkit.endpoint.transport" (list . "magnum") | quote }}}
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "magnum") | quote }}}
      keystone_authtoken: {{ include "toolkit.authtoken" (list . "magnum") }}
      trust:
        trustee_domain_name: {{ $auth.magnum_stack_user.domain_name | quote }}
        trustee_domain_admin_name: {{ $auth.magnum_stack_user.username | quote }}
        trustee_domain_admin_password: {{ $auth.magnum_stack_user.password | quote }}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
deployments:
  - name: magnum-api
    component: api
    manifest: deployment_api
    node: api
    depends: api
    replicas: api
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.api.timeout }}
    containers: [{name: magnum-api, tag: magnum_api, command: [uwsgi, --ini, /etc/magnum/magnum-api-uwsgi.ini], ports: {m-api: {{ $port }}}}]
statefulsets:
  - name: magnum-conductor
    component: conductor
    manifest: statefulset_conductor
    node: conductor
    depends: conductor
    replicas: conductor
    service: magnum-conductor
    anti: true
    init: [{name: magnum-conductor-init, tag: magnum_conductor, command: [/tmp/magnum-conductor-init.sh]}]
    containers: [{name: magnum-conductor, tag: magnum_conductor, command: [magnum-conductor, --config-file, /etc/magnum/magnum.conf, --config-file, /tmp/pod-shared/magnum.conf]}]
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: /etc/magnum/magnum.conf, section: database}]}
  - {kind: db-sync, weight: -4}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [container-infra]}
  - {kind: ks-endpoints, weight: -2, types: [container-infra]}
  - {kind: ks-user, weight: -1, users: [magnum]}
  - component: ks-user-domain
    name: magnum-domain-ks-user
    unlabelled: true
    account: magnum-ks-user-domain
    pods: ks-user
    depends: ks_user
    policy: before-hook-creation
    containers:
      - name: magnum-ks-domain-user
        tag: ks_user
        command: [/tmp/ks-domain-user.sh]
        openrc: admin
        env: {SERVICE_OS_SERVICE_NAME: magnum, SERVICE_OS_ROLE: {{ $auth.magnum_stack_user.role }}}
        from:
          {{- range $key := list "OS_REGION_NAME" "OS_DOMAIN_NAME" "OS_USERNAME" "OS_PASSWORD" }}
          SERVICE_{{ $key }}: [{{ $.Values.secrets.identity.magnum_stack_user }}, {{ $key }}]
          {{- end }}
  {{- if .Values.bootstrap.enabled }}
  - {kind: bootstrap, weight: 5, openrc: {{ .Values.bootstrap.ks_user }}}
  {{- end }}
services:
  - {name: {{ $name }}, component: api, manifest: service_api, ports: {m-api: {{ $port }}}}
budgets:
  - {name: magnum-api, component: api, manifest: pdb_api, available: {{ .Values.pod.lifecycle.disruption_budget.api.min_available }}}
{{- end -}}
