{{- define "cinder.spec" -}}
{{- $conf := "/etc/cinder/cinder.conf" -}}
{{- $identity := include "toolkit.endpoint.uri" (list . "identity" "internal" "api") -}}
{{- $name := include "toolkit.endpoint.name" (list . "volumev3" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "volumev3" "service" "api") -}}
config:
  cinder.conf:
    ini: cinder
    with:
      DEFAULT:
        transport_url: {{ include "toolkit.endpoint.transport" (list . "cinder") | quote }}
        glance_api_servers: {{ include "toolkit.endpoint.uri" (list . "image" "internal" "api") | quote }}
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "cinder") | quote }}}
      keystone_authtoken: {{ include "toolkit.authtoken" (list .) }}
      nova: {auth_url: {{ $identity | quote }}}
      service_user: {auth_url: {{ $identity | quote }}}
  backends.conf: {ini: backends}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
snippets: cinder-ks-etc
credentials: {keystone_authtoken: cinder, nova: nova, service_user: service}
deployments:
  - name: cinder-api
    component: api
    manifest: deployment_api
    node: api
    depends: api
    replicas: api
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.api.timeout }}
    containers: [{name: cinder-api, tag: cinder_api, command: [uwsgi, --ini, /etc/cinder/cinder-api-uwsgi.ini], ports: {c-api: {{ $port }}}}]
  {{- range $what := list "backup" "scheduler" "volume" }}
  {{- $command := list (printf "cinder-%s" $what) "--config-file" $conf "--config-dir" "/etc/cinder/cinder.conf.d" }}
  - name: cinder-{{ $what }}
    component: {{ $what }}
    manifest: deployment_{{ $what }}
    node: {{ $what }}
    depends: {{ $what }}
    replicas: {{ $what }}
    anti: true
    {{- if eq $what "volume" }}
    {{- $command = list "/tmp/cinder-volume.sh" }}
    init: [{name: init-cinder-conf, tag: ks_user, command: [/tmp/retrieve-internal-tenant.sh], openrc: admin, creates: cinder}]
    {{- end }}
    containers: [{name: cinder-{{ $what }}, tag: cinder_{{ $what }}, command: {{ toJson $command }}}]
  {{- end }}
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: {{ $conf }}, section: database}]}
  - {kind: db-sync, weight: -4}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [volumev3]}
  - {kind: ks-endpoints, weight: -2, types: [volumev3]}
  - {kind: ks-user, weight: -1, users: [cinder, nova, swift, service]}
  - component: storage-init
    policy: before-hook-creation
    containers:
      {{- range $backend, $_ := .Values.conf.backends }}
      - {name: cinder-storage-init-{{ $backend }}, tag: cinder_storage_init, command: [/tmp/storage-init.sh], env: {STORAGE_BACKEND: {{ .volume_driver }}}}
      {{- end }}
  - component: backup-storage-init
    pods: storage-init
    policy: before-hook-creation
    containers: [{name: cinder-backup-storage-init, tag: cinder_backup_storage_init, command: [/tmp/backup-storage-init.sh], env: {STORAGE_BACKEND: {{ .Values.conf.cinder.DEFAULT.backup_driver }}}}]
  - component: create-internal-tenant
    policy: before-hook-creation
    containers: [{name: create-internal-tenant, tag: ks_user, command: [/tmp/create-internal-tenant.sh], openrc: admin, creates: cinder}]
  {{- if .Values.bootstrap.enabled }}
  - {kind: bootstrap, weight: 5, openrc: {{ .Values.bootstrap.ks_user }}}
  {{- end }}
  - component: clean
    hook: pre-delete
    policy: hook-succeeded
    containers: [{name: cinder-volume-rbd-secret-clean, tag: cinder_storage_init, command: [/tmp/clean-secrets.sh]}]
cronjobs:
  - name: cinder-volume-usage-audit
    component: volume-usage-audit
    manifest: cron_volume_usage_audit
    node: job
    depends: volume_usage_audit
    restart: OnFailure
    schedule: {{ toJson .Values.jobs.volume_usage_audit }}
    containers: [{name: cinder-volume-usage-audit, tag: cinder_volume_usage_audit, command: [/tmp/volume-usage-audit.sh]}]
tests:
  - name: cinder-test
    component: test
    manifest: pod_rally_test
    node: test
    depends: tests
    restart: Never
    init: [{name: cinder-test-ks-user, tag: ks_user, command: [/tmp/ks-user.sh], openrc: admin, creates: test, env: {SERVICE_OS_SERVICE_NAME: test, SERVICE_OS_ROLE: {{ .Values.endpoints.identity.auth.test.role }}}}]
    containers: [{name: cinder-test, tag: test, command: [/tmp/rally-test.sh], openrc: admin, creates: test, env: {RALLY_ENV_NAME: cinder}}]
services:
  - {name: {{ $name }}, component: api, manifest: service_api, ports: {c-api: {{ $port }}}}
budgets:
  - {name: cinder-api, component: api, manifest: pdb_api, available: {{ .Values.pod.lifecycle.disruption_budget.api.min_available }}}
{{- end -}}
