{{- define "openvswitch.spec" -}}
daemonsets:
  - name: openvswitch
    account: openvswitch-server
    component: server
    manifest: daemonset
    node: ovs
    depends: ovs
    upgrades: ovs
    host: true
    init:
      - {name: openvswitch-vswitchd-modules, tag: openvswitch_vswitchd, command: [/tmp/openvswitch-vswitchd-init-modules.sh]}
    containers:
      - {name: openvswitch-db, tag: openvswitch_db_server, command: [/tmp/openvswitch-db-server.sh, start]}
      - {name: openvswitch-vswitchd, tag: openvswitch_vswitchd, command: [/tini, -s, --, /tmp/openvswitch-vswitchd.sh, start]}
{{- end -}}
