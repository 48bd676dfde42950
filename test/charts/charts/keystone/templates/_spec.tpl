{{- define "keystone.spec" -}}
{{- $main := "/etc/keystone/keystone.conf" -}}
{{- $fernet := dict "name" "keystone-fernet-keys" "secret" (dict "secretName" "keystone-fernet-keys" "defaultMode" 292) -}}
{{- $credential := dict "name" "keystone-credential-keys" "secret" (dict "secretName" "keystone-credential-keys" "defaultMode" 292) -}}
{{- $keys := dict "KUBERNETES_NAMESPACE" .Release.Namespace -}}
config:
  keystone.conf:
    ini: keystone
    with:
      DEFAULT: {transport_url: {{ include "toolkit.endpoint.transport" (list . "keystone") | quote }}}
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "keystone") | quote }}}
      cache: {memcache_servers: "{{ include "toolkit.endpoint.cache" (list .) }}"}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
deployments:
  - name: keystone-api
    component: api
    manifest: deployment_api
    node: api
    depends: api
    replicas: api
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.api.timeout }}
    volumes: {{ toJson (list $fernet $credential) }}
    containers:
      - name: keystone-api
        tag: keystone_api
        command: [/tmp/keystone-api.sh, start]
        ports: {ks-pub: {{ include "toolkit.endpoint.port" (list . "identity" "service" "api") }}}
jobs:
  {{- range $what := list "credential" "fernet" }}
  {{- $job := index $.Values.jobs (printf "%s_setup" $what) }}
  - component: {{ $what }}-setup
    weight: -5
    policy: before-hook-creation
    containers:
      - name: keystone-{{ $what }}-setup
        tag: keystone_{{ $what }}_setup
        command: [python, /tmp/fernet-manage.py, {{ $what }}_setup]
        env: {KEYSTONE_USER: {{ $job.user }}, KEYSTONE_GROUP: {{ $job.group }}, KUBERNETES_NAMESPACE: {{ $.Release.Namespace }}, KEYSTONE_KEYS_REPOSITORY: /etc/keystone/{{ $what }}-keys/}
  {{- end }}
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: {{ $main }}, section: database}]}
  - kind: db-sync
    weight: -4
    volumes: {{ toJson (list $fernet) }}
    env:
      OS_BOOTSTRAP_ADMIN_URL: {{ include "toolkit.endpoint.uri" (list . "identity" "admin" "api") }}
      OS_BOOTSTRAP_INTERNAL_URL: {{ include "toolkit.endpoint.uri" (list . "identity" "internal" "api") }}
      OS_BOOTSTRAP_PUBLIC_URL: {{ include "toolkit.endpoint.uri" (list . "identity" "public" "api") }}
    from:
      {{- range $env, $key := dict "USERNAME" "OS_USERNAME" "PASSWORD" "OS_PASSWORD" "PROJECT_NAME" "OS_PROJECT_NAME" "REGION_ID" "OS_REGION_NAME" }}
      OS_BOOTSTRAP_{{ $env }}: [{{ $.Values.secrets.identity.admin }}, {{ $key }}]
      {{- end }}
  - {kind: rabbit-init, weight: -4, depends: ""}
  - component: domain-manage
    policy: before-hook-creation
    volumes: {{ toJson (list $fernet $credential) }}
    init: [{name: keystone-domain-manage-init, tag: bootstrap, command: [/tmp/domain-manage-init.sh], openrc: admin}]
    containers: [{name: keystone-domain-manage, tag: keystone_domain_manage, command: [/tmp/domain-manage.sh], openrc: admin}]
  {{- if .Values.bootstrap.enabled }}
  - {kind: bootstrap, weight: 5, openrc: {{ .Values.bootstrap.ks_user }}}
  {{- end }}
  - component: credential-cleanup
    account: keystone
    hook: pre-delete
    policy: "hook-succeeded, hook-failed"
    restart: Never
    containers:
      - name: keystone-credential-cleanup
        tag: keystone_credential_cleanup
        command: [python, /tmp/cred-clean.py]
        from: {ROOT_DB_CONNECTION: [{{ .Values.secrets.oslo_db.admin }}, DB_CONNECTION]}
        env: {OPENSTACK_CONFIG_FILE: {{ $main }}, OPENSTACK_CONFIG_DB_SECTION: database, OPENSTACK_CONFIG_DB_KEY: connection}
cronjobs:
  {{- range $what := list "credential" "fernet" }}
  {{- $job := index $.Values.jobs (printf "%s_rotate" $what) }}
  - name: keystone-{{ $what }}-rotate
    component: {{ $what }}-rotate
    manifest: cron_{{ $what }}_rotate
    node: job
    depends: {{ $what }}_rotate
    restart: OnFailure
    schedule: {{ toJson (pick $job "cron" "history") }}
    containers:
      - name: keystone-{{ $what }}-rotate
        tag: keystone_{{ $what }}_rotate
        command: [python, /tmp/fernet-manage.py, {{ $what }}_rotate]
        env: {KEYSTONE_USER: {{ $job.user }}, KEYSTONE_GROUP: {{ $job.group }}, KUBERNETES_NAMESPACE: {{ $.Release.Namespace }}, KEYSTONE_KEYS_REPOSITORY: /etc/keystone/{{ $what }}-keys/}
  {{- end }}
tests:
  - name: keystone-test
    component: test
    manifest: pod_rally_test
    node: test
    depends: tests
    intolerant: true
    restart: Never
    init: [{name: keystone-test-ks-user, tag: ks_user, command: [/tmp/ks-user.sh], openrc: admin, creates: test, env: {SERVICE_OS_SERVICE_NAME: test, SERVICE_OS_ROLE: {{ .Values.endpoints.identity.auth.test.role }}}}]
    containers: [{name: keystone-test, tag: test, command: [/tmp/rally-test.sh], openrc: admin, creates: test, env: {RALLY_ENV_NAME: keystone}}]
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "identity" "internal") }}, component: api, manifest: service_api, ports: {ks-pub: {{ include "toolkit.endpoint.port" (list . "identity" "service" "api") }}}}
budgets:
  - {name: keystone-api, component: api, manifest: pdb_api, available: {{ .Values.pod.lifecycle.disruption_budget.api.min_available }}}
objects:
  {{- range $what := list "credential" "fernet" }}
  - apiVersion: v1
    kind: Secret
    manifest: secret_{{ $what }}_keys
    metadata:
      name: keystone-{{ $what }}-keys
      annotations: {helm.sh/hook: pre-install, helm.sh/hook-delete-policy: hook-failed, helm.sh/resource-policy: keep}
    type: Opaque
  {{- end }}
{{- end -}}
