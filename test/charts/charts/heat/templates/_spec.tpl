{{- define "heat.spec" -}}
{{- $conf := "/etc/heat/heat.conf" -}}
{{- $identity := include "toolkit.endpoint.uri" (list . "identity" "internal" "api") -}}
{{- $auth := .Values.endpoints.identity.auth -}}
{{- $grace := .Values.pod.lifecycle.termination_grace_period -}}
{{- $api := include "toolkit.endpoint.port" (list . "orchestration" "service" "api") -}}
{{- $cfn := include "toolkit.endpoint.port" (list . "cloudformation" "service" "api") -}}
config:
  heat.conf:
    ini: heat
    with:
      DEFAULT:
        transport_url: {{ include "toolkit.endpoint.transport" (list . "heat") | quote }}
        stack_domain_admin: {{ $auth.heat_stack_user.username | quote }}
        stack_domain_admin_password: {{ $auth.heat_stack_user.password | quote }}
        heat_metadata_server_url: {{ include "toolkit.endpoint.uri" (list . "cloudformation" "public" "api") | quote }}
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "heat") | quote }}}
      keystone_authtoken: {{ include "toolkit.authtoken" (list . "heat") }}
      trustee: {{ toJson (merge (dict "auth_url" $identity "auth_type" "password") (pick $auth.heat_trustee "username" "password" "user_domain_name")) }}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
deployments:
  {{- range $what := list "api" "cfn" "engine" }}
  - name: heat-{{ $what }}
    component: {{ $what }}
    manifest: deployment_{{ $what }}
    node: {{ $what }}
    depends: {{ $what }}
    replicas: {{ $what }}
    anti: true
    grace: {{ index $grace $what "timeout" }}
    {{- if eq $what "api" }}
    containers: [{name: heat-api, tag: heat_api, command: [uwsgi, --ini, /etc/heat/heat-api-uwsgi.ini], ports: {h-api: {{ $api }}}}]
    {{- else if eq $what "cfn" }}
    containers: [{name: heat-cfn, tag: heat_cfn, command: [uwsgi, --ini, /etc/heat/heat-api-cfn-uwsgi.ini], ports: {h-cfn: {{ $cfn }}}}]
    {{- else }}
    containers: [{name: heat-engine, tag: heat_engine, command: [heat-engine, --config-file, {{ $conf }}, --config-dir, /etc/heat/heat.conf.d]}]
    {{- end }}
  {{- end }}
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: {{ $conf }}, section: database}]}
  - {kind: db-sync, weight: -4}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [orchestration, cloudformation]}
  - {kind: ks-endpoints, weight: -2, types: [orchestration, cloudformation]}
  - {kind: ks-user, weight: -1, users: [heat, heat_trustee]}
  - component: ks-user-domain
    name: heat-domain-ks-user
    account: heat-ks-user-domain
    pods: ks-user
    depends: ks_user
    policy: before-hook-creation
    containers:
      - name: heat-ks-domain-user
        tag: ks_user
        command: [/tmp/ks-domain-user.sh]
        openrc: admin
        env: {SERVICE_OS_SERVICE_NAME: heat, SERVICE_OS_ROLE: {{ $auth.heat_stack_user.role }}}
        from:
          {{- range $key := list "OS_REGION_NAME" "OS_DOMAIN_NAME" "OS_USERNAME" "OS_PASSWORD" }}
          SERVICE_{{ $key }}: [{{ $.Values.secrets.identity.heat_stack_user }}, {{ $key }}]
          {{- end }}
  - component: trusts
    manifest: "" # no switch turns it off
    policy: before-hook-creation
    containers:
      - name: heat-trusts
        tag: ks_service
        command: [bash, /tmp/trusts.sh]
        openrc: admin
        env: {SERVICE_OS_TRUSTEE: {{ $auth.heat_trustee.username }}, SERVICE_OS_TRUSTEE_DOMAIN: {{ $auth.heat_trustee.user_domain_name }}}
  {{- if .Values.bootstrap.enabled }}
  - {kind: bootstrap, openrc: {{ .Values.bootstrap.ks_user }}}
  {{- end }}
cronjobs:
  - name: heat-engine-cleaner
    component: engine-cleaner
    manifest: cron_job_engine_cleaner
    node: job
    depends: engine_cleaner
    restart: OnFailure
    schedule: {{ toJson .Values.jobs.engine_cleaner }}
    containers: [{name: heat-engine-cleaner, tag: heat_engine_cleaner, command: [/tmp/heat-engine-cleaner.sh]}]
  - name: heat-purge-deleted
    component: purge-deleted
    manifest: cron_job_purge_deleted
    node: job
    depends: purge_deleted
    restart: OnFailure
    schedule: {{ toJson .Values.jobs.purge_deleted }}
    containers: [{name: heat-purge-deleted, tag: heat_purge_deleted, command: [/tmp/heat-purge-deleted-active.sh, "{{ .Values.jobs.purge_deleted.purge_age }}"]}]
tests:
  - name: heat-test
    component: test
    manifest: pod_rally_test
    node: test
    depends: tests
    restart: Never
    init: [{name: heat-test-ks-user, tag: ks_user, command: [/tmp/ks-user.sh], openrc: admin, creates: test, env: {SERVICE_OS_SERVICE_NAME: test, SERVICE_OS_ROLE: {{ $auth.test.role }}}}]
    containers: [{name: heat-test, tag: test, command: [/tmp/rally-test.sh], openrc: admin, creates: test, env: {RALLY_ENV_NAME: heat}}]
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "orchestration" "internal") }}, component: api, manifest: service_api, ports: {h-api: {{ $api }}}}
  - {name: {{ include "toolkit.endpoint.name" (list . "cloudformation" "internal") }}, component: cfn, manifest: service_cfn, ports: {h-cfn: {{ $cfn }}}}
budgets:
  - {name: heat-api, component: api, manifest: pdb_api, available: {{ .Values.pod.lifecycle.disruption_budget.api.min_available }}}
  - {name: heat-cfn, component: cfn, manifest: pdb_cfn, available: {{ .Values.pod.lifecycle.disruption_budget.cfn.min_available }}}
{{- end -}}
