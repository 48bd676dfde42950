{{- define "ovn.spec" -}}
{{- $nb := include "toolkit.endpoint.name" (list . "ovn-ovsdb-nb" "direct") -}}
{{- $sb := include "toolkit.endpoint.name" (list . "ovn-ovsdb-sb" "direct") -}}
{{- $databases := dict "OVN_KUBERNETES_NB_STATEFULSET" "ovn-ovsdb-nb" "OVN_KUBERNETES_SB_STATEFULSET" "ovn-ovsdb-sb" "OVN_SSL_ENABLE" "no" -}}
config:
  auto_bridge_add: {json: auto_bridge_add}
deployments:
  - name: ovn-northd
    component: ovn-northd
    manifest: deployment_northd
    node: ovn_northd
    depends: ovn_northd
    replicas: ovn_northd
    unmanaged: true
    containers: [{name: northd, tag: ovn_northd, command: [/root/ovnkube.sh, run-ovn-northd], env: {{ toJson $databases }}}]
statefulsets:
  {{- range $db := list "nb" "sb" }}
  {{- $type := printf "ovn-ovsdb-%s" $db }}
  {{- $key := replace "-" "_" $type }}
  {{- $volume := index $.Values.volume $key }}
  {{- $ovsdb := include "toolkit.endpoint.port" (list $ $type "internal" "ovsdb") }}
  {{- $raft := include "toolkit.endpoint.port" (list $ $type "internal" "raft") }}
  - name: {{ $type }}
    component: {{ $type }}
    manifest: statefulset_ovn_ovsdb_{{ $db }}
    node: ovn_ovsdb_{{ $db }}
    depends: ovn_ovsdb_{{ $db }}
    replicas: ovn_ovsdb_{{ $db }}
    service: {{ include "toolkit.endpoint.name" (list $ $type "direct") }}
    anti: true
    {{- if $volume.enabled }}
    claim: {name: data, class: {{ $volume.class_name }}, size: {{ $volume.size }}}
    {{- end }}
    containers:
      - name: ovsdb
        tag: ovn_ovsdb_{{ $db }}
        command: [/root/ovnkube.sh, {{ $db }}-ovsdb{{ if gt (int (index $.Values.pod.replicas $key)) 1 }}-raft{{ end }}]
        ports: {ovsdb: {{ $ovsdb }}, raft: {{ $raft }}}
        env: {{ toJson (merge (dict "OVN_KUBERNETES_STATEFULSET" $type (printf "OVN_%s_PORT" (upper $db)) $ovsdb (printf "OVN_%s_RAFT_PORT" (upper $db)) $raft) $databases) }}
  {{- end }}
daemonsets:
  - name: ovn-controller
    overrides: controller
    style: root
    component: ovn-controller
    manifest: daemonset_ovn_controller
    node: ovn_controller
    depends: ovn_controller
    host: true
    init: [{name: controller-init, tag: ovn_controller, command: [/tmp/ovn-controller-init.sh]}]
    containers: [{name: controller, tag: ovn_controller, command: [/root/ovnkube.sh, ovn-controller], env: {{ toJson $databases }}}]
services:
  {{- range $db, $name := dict "nb" $nb "sb" $sb }}
  {{- $type := printf "ovn-ovsdb-%s" $db }}
  - name: {{ $name }}
    component: {{ $type }}
    manifest: service_ovn_ovsdb_{{ $db }}
    early: true
    ports: {ovsdb: {{ include "toolkit.endpoint.port" (list $ $type "internal" "ovsdb") }}, raft: {{ include "toolkit.endpoint.port" (list $ $type "internal" "raft") }}}
  {{- end }}
{{- end -}}
