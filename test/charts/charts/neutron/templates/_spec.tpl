{{- define "neutron.spec" -}}
{{- $identity := include "toolkit.endpoint.uri" (list . "identity" "internal" "api") -}}
{{- $name := include "toolkit.endpoint.name" (list . "network" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "network" "service" "api") -}}
{{- $grace := .Values.pod.lifecycle.termination_grace_period -}}
config:
  neutron.conf:
    ini: neutron
    with:
      DEFAULT: {transport_url: {{ include "toolkit.endpoint.transport" (list . "neutron") | quote }}}
      database: {connection: {{ include "toolkit.endpoint.database" (list . "oslo_db" "neutron") | quote }}}
      keystone_authtoken: {{ include "toolkit.authtoken" (list .) }}
      nova: {auth_url: {{ $identity | quote }}}
      placement: {auth_url: {{ $identity | quote }}}
  ml2_conf.ini: {ini: plugins.ml2_conf}
  openvswitch_agent.ini: {ini: plugins.openvswitch_agent}
  sriov_agent.ini: {ini: plugins.sriov_agent}
  dhcp_agent.ini: {ini: dhcp_agent}
  l3_agent.ini: {ini: l3_agent}
  metadata_agent.ini: {ini: metadata_agent}
  {{- if has "ovn" .Values.network.backend }}
  ovn_metadata_agent.ini: {ini: ovn_metadata_agent}
  neutron_ovn_agent.ini: {ini: ovn_agent}
  {{- end }}
  auto_bridge_add: {json: auto_bridge_add}
  logging.conf: {ini: logging}
  policy.yaml: {yaml: policy}
snippets: neutron-ks-etc
credentials: {keystone_authtoken: neutron, nova: nova, placement: placement}
backend: {{ toJson .Values.network.backend }}
deployments:
  - name: neutron-server
    component: server
    manifest: deployment_server
    node: server
    depends: server
    replicas: server
    anti: true
    grace: {{ $grace.server.timeout }}
    {{- if has "ovn" .Values.network.backend }}
    init: [{name: ovn-neutron-init, tag: neutron_server, command: [/tmp/neutron-ovn-init.sh]}]
    {{- end }}
    containers: [{name: neutron-server, tag: neutron_server, command: [/tmp/neutron-server.sh, start], ports: {q-api: {{ $port }}}}]
  - name: neutron-rpc-server
    component: rpc_server
    manifest: deployment_rpc_server
    node: rpc_server
    depends: server
    replicas: rpc_server
    anti: true
    grace: {{ $grace.rpc_server.timeout }}
    {{- if has "ovn" .Values.network.backend }}
    init: [{name: ovn-neutron-init, tag: neutron_rpc_server, command: [/tmp/neutron-ovn-init.sh]}]
    {{- end }}
    containers: [{name: neutron-rpc-server, tag: neutron_rpc_server, command: [/tmp/neutron-rpc-server.sh, start], ports: {q-api: {{ $port }}}}]
daemonsets:
  {{- range $agent := list "dhcp" "l3" "metadata" }}
  - name: neutron-{{ $agent }}-agent
    overrides: {{ $agent }}-agent
    component: {{ $agent }}-agent
    manifest: daemonset_{{ $agent }}_agent
    node: agent.{{ $agent }}
    depends: {{ $agent }}
    upgrades: {{ $agent }}_agent
    host: true
    init: [{name: neutron-{{ $agent }}-agent-init, tag: neutron_{{ $agent }}, command: [/tmp/neutron-{{ $agent }}-agent-init.sh]}]
    containers: [{name: neutron-{{ $agent }}-agent, tag: neutron_{{ $agent }}, command: [/tmp/neutron-{{ $agent }}-agent.sh]}]
  {{- end }}
  - name: neutron-ovs-agent
    overrides: ovs-agent
    component: neutron-ovs-agent
    manifest: daemonset_ovs_agent
    node: ovs
    depends: ovs_agent
    upgrades: ovs_agent
    host: true
    init:
      - {name: neutron-openvswitch-agent-kernel-modules, tag: neutron_openvswitch_agent, command: [/tmp/neutron-openvswitch-agent-init-modules.sh]}
      - {name: neutron-ovs-agent-init, tag: neutron_openvswitch_agent, command: [/tmp/neutron-openvswitch-agent-init.sh]}
    containers: [{name: neutron-ovs-agent, tag: neutron_openvswitch_agent, command: [/tmp/neutron-openvswitch-agent.sh]}]
  {{- range $agent := list "ovn" "ovn-metadata" }}
  {{- $key := replace "-" "_" $agent }}
  - name: neutron-{{ $agent }}-agent
    overrides: {{ $agent }}-agent
    component: {{ $agent }}-agent
    manifest: daemonset_{{ $key }}_agent
    node: ovs
    depends: {{ ternary "ovn_agent" "ovn_metadata" (eq $agent "ovn") }}
    upgrades: {{ $key }}_agent
    host: true
    init:
      - {name: neutron-metadata-agent-init, tag: neutron_metadata, command: [/tmp/neutron-metadata-agent-init.sh]}
      - {name: ovn-neutron-init, tag: neutron_metadata, command: [/tmp/neutron-ovn-init.sh]}
    containers: [{name: neutron-{{ $agent }}-agent, tag: neutron_metadata, command: [/tmp/neutron-{{ $agent }}-agent.sh]}]
  {{- end }}
  {{- if has "sriov" .Values.network.backend }}
  - name: neutron-sriov-agent
    overrides: sriov-agent
    component: neutron-sriov-agent
    manifest: daemonset_sriov_agent
    node: sriov
    upgrades: sriov_agent
    host: true
    init: [{name: neutron-sriov-agent-init, tag: neutron_sriov_agent_init, command: [/tmp/neutron-sriov-agent-init.sh]}]
    containers: [{name: neutron-sriov-agent, tag: neutron_sriov_agent, command: [/tmp/neutron-sriov-agent.sh]}]
  {{- end }}
  - name: neutron-netns-cleanup-cron
    overrides: netns-cleanup-cron
    component: netns-cleanup-cron
    manifest: daemonset_netns_cleanup_cron
    node: netns_cleanup_cron
    upgrades: netns_cleanup_cron
    host: true
    containers: [{name: neutron-netns-cleanup-cron, tag: neutron_netns_cleanup_cron, command: [/tmp/neutron-netns-cleanup-cron.sh], openrc: admin}]
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, file: /etc/neutron/neutron.conf, section: database}]}
  - {kind: db-sync, weight: -4}
  - {kind: rabbit-init, weight: -4}
  - {kind: ks-service, weight: -3, types: [network]}
  - {kind: ks-endpoints, weight: -2, types: [network]}
  - {kind: ks-user, weight: -1, users: [neutron, nova, placement]}
  {{- if .Values.bootstrap.enabled }}
  - {kind: bootstrap, weight: 5, openrc: {{ .Values.bootstrap.ks_user }}}
  {{- end }}
tests:
  - name: neutron-test
    component: test
    manifest: pod_rally_test
    node: test
    depends: tests
    restart: Never
    init: [{name: neutron-test-ks-user, tag: ks_user, command: [/tmp/ks-user.sh], openrc: admin, creates: test, env: {SERVICE_OS_SERVICE_NAME: test, SERVICE_OS_ROLE: {{ .Values.endpoints.identity.auth.test.role }}}}]
    containers: [{name: neutron-test, tag: test, command: [/tmp/rally-test.sh], openrc: admin, creates: test, env: {RALLY_ENV_NAME: neutron}}]
services:
  - {name: {{ $name }}, component: server, manifest: service_server, ports: {q-api: {{ $port }}}}
budgets:
  - {name: neutron-server, component: server, manifest: pdb_server, available: {{ .Values.pod.lifecycle.disruption_budget.server.min_available }}}
{{- end -}}
