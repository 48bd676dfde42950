{{- define "nova.spec" -}}
{{- $conf := "/etc/nova/nova.conf" -}}
{{- $identity := include "toolkit.endpoint.uri" (list . "identity" "internal" "api") -}}
{{- $grace := .Values.pod.lifecycle.termination_grace_period -}}
{{- $console := .Values.console.console_kind -}}
{{- $port := include "toolkit.endpoint.port" (list . "compute" "service" "api") -}}
{{- $shared := dict
      "DEFAULT" (dict "transport_url" (include "toolkit.endpoint.transport" (list . "nova")))
      "keystone_authtoken" (include "toolkit.authtoken" (list .) | fromJson)
      "glance" (dict "api_servers" (include "toolkit.endpoint.uri" (list . "image" "internal" "api")))
      "neutron" (dict "auth_url" $identity)
      "placement" (dict "auth_url" $identity)
      "service_user" (dict "auth_url" $identity)
      "cinder" (dict "auth_url" $identity) -}}
{{- $users := list "nova" "neutron" "placement" "cinder" "service" -}}
{{- if .Values.manifests.statefulset_compute_ironic }}{{- $users = append $users "ironic" }}{{- end -}}
{{- $databases := dict
      "api_database" (dict "connection" (include "toolkit.endpoint.database" (list . "oslo_db" "nova")))
      "database" (dict "connection" (include "toolkit.endpoint.database" (list . "oslo_db_cell1" "nova"))) -}}
config:
  nova.conf: {ini: nova, with: {{ toJson (merge (deepCopy $shared) $databases) }}}
  nova-compute.conf: {ini: nova, with: {{ toJson $shared }}}
  nova-ironic.conf: {ini: nova_ironic}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
snippets: nova-ks-etc
credentials: {keystone_authtoken: nova, neutron: neutron, placement: placement, cinder: cinder, service_user: service{{ if has "ironic" $users }}, ironic: ironic{{ end }}}
backend: {{ toJson .Values.network.backend }}
deployments:
  - name: nova-api-metadata
    component: metadata
    manifest: deployment_api_metadata
    node: api_metadata
    depends: api_metadata
    replicas: api_metadata
    anti: true
    grace: {{ $grace.metadata.timeout }}
    init: [{name: nova-api-metadata-init, tag: nova_api, command: [/tmp/nova-api-metadata-init.sh]}]
    containers: [{name: nova-api, tag: nova_api, command: [uwsgi, --ini, /etc/nova/nova-metadata-uwsgi.ini], ports: {n-meta: {{ .Values.network.metadata.port }}}}]
  - name: nova-api-osapi
    component: os-api
    manifest: deployment_api_osapi
    node: osapi
    depends: api
    replicas: osapi
    anti: true
    grace: {{ $grace.osapi.timeout }}
    containers: [{name: nova-osapi, tag: nova_api, command: [uwsgi, --ini, /etc/nova/nova-api-uwsgi.ini], ports: {n-api: {{ $port }}}}]
  {{- range $what := list "conductor" "scheduler" }}
  - name: nova-{{ $what }}
    component: {{ $what }}
    manifest: deployment_{{ $what }}
    node: {{ $what }}
    depends: {{ $what }}
    replicas: {{ $what }}
    anti: true
    grace: {{ index $grace $what "timeout" }}
    containers: [{name: nova-{{ $what }}, tag: nova_{{ $what }}, command: [nova-{{ $what }}, --config-file, {{ $conf }}, --config-dir, /etc/nova/nova.conf.d]}]
  {{- end }}
  {{- if eq $console "novnc" }}
  - name: nova-novncproxy
    component: novnc-proxy
    manifest: deployment_novncproxy
    node: novncproxy
    depends: novncproxy
    replicas: novncproxy
    anti: true
    host: {{ .Values.pod.useHostNetwork.novncproxy }}
    containers: [{name: nova-novncproxy, tag: nova_novncproxy, command: [/tmp/nova-console-proxy.sh], ports: {n-novnc: {{ include "toolkit.endpoint.port" (list . "compute_novnc_proxy" "internal" "novnc_proxy") }}}}]
  {{- end }}
statefulsets:
  - name: nova-compute-ironic
    component: compute-ironic
    manifest: statefulset_compute_ironic
    node: agent.compute_ironic
    depends: compute_ironic
    replicas: compute_ironic
    service: {{ include "toolkit.endpoint.name" (list . "baremetal" "internal") }}-compute
    ordered: true
    anti: true
    intolerant: true
    containers: [{name: nova-compute-ironic, tag: nova_compute_ironic, command: [nova-compute, --config-file, /etc/nova/nova-compute.conf, --config-file, /etc/nova/nova-ironic.conf, --config-dir, /etc/nova/nova.conf.d]}]
daemonsets:
  - name: nova-compute
    overrides: compute
    component: compute
    manifest: daemonset_compute
    node: agent.compute
    depends: compute
    upgrades: compute
    host: true
    grace: {{ $grace.compute.timeout }}
    init: [{name: nova-compute-init, tag: nova_compute, command: [/tmp/nova-compute-init.sh]}]
    containers: [{name: nova-compute, tag: nova_compute, command: [/tmp/nova-compute.sh]}]
jobs:
  - component: storage-init
    depends: ""
    name: nova-storage-init
    weight: -6
    containers: [{name: nova-storage-init, tag: nova_storage_init, command: [/tmp/storage-init.sh], env: {STORAGE_BACKEND: {{ .Values.conf.nova.libvirt.images_type }}}}]
  - kind: db-init
    weight: -5
    databases:
      - {type: oslo_db, file: {{ $conf }}, section: api_database}
      - {type: oslo_db_cell0, root: oslo_db, user: nova}
      - {type: oslo_db_cell1, file: {{ $conf }}, section: database}
  - {kind: db-sync, weight: -4, from: {DB_CONNECTION_CELL0: [{{ .Values.secrets.oslo_db_cell0.nova }}, DB_CONNECTION]}}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [compute]}
  - {kind: ks-endpoints, weight: -2, types: [compute]}
  - {kind: ks-user, weight: -1, users: {{ toJson $users }}}
  - component: cell-setup
    plain: true
    init: [{name: nova-cell-setup-init, tag: nova_cell_setup_init, command: [/tmp/cell-setup-init.sh], openrc: admin}]
    containers: [{name: nova-cell-setup, tag: nova_cell_setup, command: [/tmp/cell-setup.sh]}]
  {{- if .Values.bootstrap.enabled }}
  - kind: bootstrap
    plain: true
    openrc: {{ .Values.bootstrap.ks_user }}
    {{- with .Values.bootstrap.wait_for_computes }}
    env: {WAIT_PERCENTAGE: {{ .wait_percentage }}, REMAINING_WAIT: {{ .remaining_wait }}}
    {{- end }}
  {{- end }}
cronjobs:
  - name: nova-cell-setup
    account: nova-cell-setup-cron
    component: cell-setup
    manifest: cron_job_cell_setup
    node: job
    depends: cell_setup
    restart: OnFailure
    schedule: {{ toJson (pick .Values.jobs.cell_setup "cron" "history" "starting_deadline") }}
    containers: [{name: nova-cell-setup, tag: nova_cell_setup, command: [/tmp/cell-setup.sh]}]
  - name: nova-service-cleaner
    component: service-cleaner
    manifest: cron_job_service_cleaner
    node: job
    depends: service_cleaner
    restart: OnFailure
    schedule: {{ toJson (pick .Values.jobs.service_cleaner "cron" "history" "starting_deadline") }}
    containers: [{name: nova-service-cleaner, tag: nova_service_cleaner, command: [/tmp/nova-service-cleaner.sh], openrc: nova}]
tests:
  - name: nova-test
    component: test
    manifest: pod_rally_test
    node: test
    depends: tests
    restart: Never
    init: [{name: nova-test-ks-user, tag: ks_user, command: [/tmp/ks-user.sh], openrc: admin, creates: test, env: {SERVICE_OS_SERVICE_NAME: test, SERVICE_OS_ROLE: {{ .Values.endpoints.identity.auth.test.role }}}}]
    containers: [{name: nova-test, tag: test, command: [/tmp/rally-test.sh], openrc: admin, creates: test, env: {RALLY_ENV_NAME: nova}}]
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "compute" "internal") }}, component: os-api, manifest: service_osapi, ports: {n-api: {{ $port }}}}
  - {name: {{ include "toolkit.endpoint.name" (list . "compute_metadata" "internal") }}, component: metadata, manifest: service_metadata, ports: {n-meta: {{ .Values.network.metadata.port }}}}
  {{- if eq $console "novnc" }}
  - {name: {{ include "toolkit.endpoint.name" (list . "compute_novnc_proxy" "internal") }}, component: novnc-proxy, manifest: service_novncproxy, ports: {n-novnc: {{ include "toolkit.endpoint.port" (list . "compute_novnc_proxy" "internal" "novnc_proxy") }}}}
  {{- end }}
objects:
  - apiVersion: v1
    kind: Secret
    manifest: secret_ssh
    metadata: {name: nova-ssh}
    type: Opaque
    data:
      private-key: {{ .Values.network.ssh.private_key | toString | b64enc }}
      public-key: {{ .Values.network.ssh.public_key | toString | b64enc }}
budgets:
  - {name: nova-api-metadata, component: metadata, manifest: pdb_metadata, available: {{ .Values.pod.lifecycle.disruption_budget.metadata.min_available }}}
  - {name: nova-api-osapi, component: os-api, manifest: pdb_osapi, available: {{ .Values.pod.lifecycle.disruption_budget.osapi.min_available }}}
{{- end -}}
