{{- define "glance.spec" -}}
{{- $name := include "toolkit.endpoint.name" (list . "image" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "image" "service" "api") -}}
config:
  glance-api.conf:
    ini: glance
    with:
      DEFAULT:
        transport_url: {{ include "toolkit.endpoint.transport" (list . "glance") | quote }}
        public_endpoint: {{ include "toolkit.endpoint.uri" (list . "image" "public" "api") | quote }}
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "glance") | quote }}}
      keystone_authtoken: {{ include "toolkit.authtoken" (list . "glance") }}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
deployments:
  - name: glance-api
    component: api
    manifest: deployment_api
    node: api
    depends: api
    replicas: api
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.api.timeout }}
    {{- if eq .Values.storage "pvc" }}
    volumes: [{name: glance-images, persistentVolumeClaim: {claimName: glance-images}}]
    mounts: [{name: glance-images, mountPath: /var/lib/glance/images}]
    {{- end }}
    containers:
      - {name: glance-api, tag: glance_api, command: [uwsgi, --ini, /etc/glance/glance-api-uwsgi.ini], ports: {g-api: {{ $port }}}}
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: /etc/glance/glance-api.conf, section: database}]}
  - {kind: db-sync, weight: -4}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [image]}
  - {kind: ks-endpoints, weight: -2, types: [image]}
  - {kind: ks-user, weight: -1, users: [glance]}
  - component: storage-init
    containers: [{name: glance-storage-init, tag: glance_storage_init, command: [/tmp/storage-init.sh], env: {STORAGE_BACKEND: {{ .Values.storage }}}}]
  - component: metadefs-load
    pods: metadefs_load
    containers: [{name: glance-metadefs-load, tag: glance_metadefs_load, command: [/tmp/metadefs-load.sh]}]
  {{- if .Values.bootstrap.enabled }}
  - {kind: bootstrap, weight: 5, openrc: {{ .Values.bootstrap.ks_user }}}
  - component: clean
    hook: pre-delete
    policy: hook-succeeded
    containers: [{name: glance-image-clean, tag: bootstrap, command: [/tmp/clean-image.sh], openrc: admin}]
  {{- end }}
tests:
  - name: glance-test
    component: test
    manifest: pod_rally_test
    node: test
    depends: tests
    restart: Never
    init: [{name: glance-test-ks-user, tag: ks_user, command: [/tmp/ks-user.sh], openrc: admin, creates: test, env: {SERVICE_OS_SERVICE_NAME: test, SERVICE_OS_ROLE: {{ .Values.endpoints.identity.auth.test.role }}}}]
    containers: [{name: glance-test, tag: test, command: [/tmp/rally-test.sh], openrc: admin, creates: test, env: {RALLY_ENV_NAME: glance}}]
services:
  - {name: {{ $name }}, component: api, manifest: service_api, ports: {g-api: {{ $port }}}}
budgets:
  - {name: glance-api, component: api, manifest: pdb_api, available: {{ .Values.pod.lifecycle.disruption_budget.api.min_available }}}
{{- if eq .Values.storage "pvc" }}
objects:
  - apiVersion: v1
    kind: PersistentVolumeClaim
    manifest: pvc_images
    metadata:
      name: glance-images
      {{- if .Values.keep_pvc }}
      annotations: {helm.sh/resource-policy: keep}
      {{- end }}
    spec:
      accessModes: {{ toJson .Values.volume.accessModes }}
      storageClassName: {{ .Values.volume.class_name }}
      resources: {requests: {storage: {{ .Values.volume.size }}}}
{{- end }}
{{- end -}}
