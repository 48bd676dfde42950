{{- define "ironic.spec" -}}
{{- $conf := "/etc/ironic/ironic.conf" -}}
{{- $name := include "toolkit.endpoint.name" (list . "baremetal" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "baremetal" "internal" "api") -}}
{{- $store := .Values.bootstrap.object_store -}}
{{- $interface := dict "PROVISIONER_INTERFACE" .Values.network.pxe.device -}}
config:
  ironic.conf:
    ini: ironic
    with:
      DEFAULT: {transport_url: {{ include "toolkit.endpoint.transport" (list . "ironic") | quote }}}
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "ironic") | quote }}}
      {{- range $section := list "keystone_authtoken" "neutron" "nova" "cinder" "inspector" "service_catalog" "service_user" "swift" }}
      {{ $section }}: {{ include "toolkit.authtoken" (list $ "ironic") }}
      {{- end }}
      glance: {{ include "toolkit.authtoken" (list . "glance") }}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
deployments:
  - name: ironic-api
    component: api
    manifest: deployment_api
    node: api
    depends: api
    replicas: api
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.api.timeout }}
    init:
      {{- if and $store.enabled $store.openstack.enabled }}
      {{- include "ironic.swift" . | nindent 6 }}
      {{- end }}
    containers: [{name: ironic-api, tag: ironic_api, command: [uwsgi, --ini, /etc/ironic/ironic-api-uwsgi.ini], ports: {m-api: {{ $port }}}}]
statefulsets:
  - name: ironic-conductor
    component: conductor
    manifest: statefulset_conductor
    node: conductor
    depends: conductor
    replicas: conductor
    service: ironic-conductor
    ordered: true
    anti: true
    host: {{ .Values.pod.useHostNetwork.conductor }}
    init:
      {{- if .Values.conductor.pxe.enabled }}
      - {name: ironic-conductor-pxe-init, tag: ironic_pxe_init, command: [/tmp/ironic-conductor-pxe-init.sh]}
      {{- end }}
      - {name: ironic-conductor-init, tag: ironic_conductor, command: [/tmp/ironic-conductor-init.sh], env: {{ toJson $interface }}}
      {{- if .Values.conductor.http.enabled }}
      - {name: ironic-conductor-http-init, tag: ironic_conductor, command: [/tmp/ironic-conductor-http-init.sh], env: {{ toJson $interface }}}
      {{- end }}
      {{- if and $store.enabled $store.openstack.enabled }}
      {{- include "ironic.swift" . | nindent 6 }}
      {{- end }}
    containers:
      - {name: ironic-conductor, tag: ironic_conductor, command: [/tmp/ironic-conductor.sh]}
      {{- if .Values.conductor.pxe.enabled }}
      - {name: ironic-conductor-pxe, tag: ironic_pxe, command: [/tmp/ironic-conductor-pxe.sh], env: {{ toJson $interface }}}
      {{- end }}
      {{- if .Values.conductor.http.enabled }}
      - {name: ironic-conductor-http, tag: ironic_pxe_http, command: [/tmp/ironic-conductor-http.sh]}
      {{- end }}
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: {{ $conf }}, section: database}]}
  - {kind: db-sync, weight: -4}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [baremetal]}
  - {kind: ks-endpoints, weight: -2, types: [baremetal]}
  - {kind: ks-user, weight: -1, users: [ironic]}
  - component: manage-cleaning-network
    unlabelled: true
    policy: before-hook-creation
    containers:
      - {name: ironic-manage-cleaning-network, tag: ironic_manage_cleaning_network, command: [/tmp/manage-cleaning-network.sh], openrc: ironic, env: {{ toJson .Values.network.pxe }}}
  {{- with .Values.bootstrap.image }}
  {{- if and .enabled .openstack.enabled }}
  - {kind: bootstrap, weight: 5, openrc: {{ .openstack.ks_user }}}
  {{- end }}
  {{- end }}
services:
  - {name: {{ $name }}, component: api, manifest: service_api, ports: {m-api: {{ $port }}}}
budgets:
  - {name: ironic-api, component: api, manifest: pdb_api, available: {{ .Values.pod.lifecycle.disruption_budget.api.min_available }}}
{{- end -}}

{{/* What finds out where Swift has the images, before the API and before conductors. */}}
{{- define "ironic.swift" -}}
- {name: ironic-retrive-swift-config, tag: ironic_retrive_swift_config, command: [/tmp/retreive-swift-config.sh], openrc: glance, env: {OS_SWIFT_API_VERSION: {{ .Values.conf.ironic.glance.swift_api_version }}}}
{{- end -}}
