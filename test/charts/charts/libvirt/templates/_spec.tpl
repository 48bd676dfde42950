{{- define "libvirt.spec" -}}
config:
  qemu.conf: {json: qemu}
backend: {{ toJson .Values.network.backend }}
daemonsets:
  - name: libvirt
    overrides: libvirt
    style: root
    component: libvirt
    manifest: daemonset_libvirt
    node: agent.libvirt
    depends: libvirt
    upgrades: libvirt
    host: true
    init: [{name: init-dynamic-options, tag: libvirt, command: [/tmp/init-dynamic-options.sh]}]
    containers:
      - name: libvirt
        tag: libvirt
        command: [/tmp/libvirt.sh]
        {{- if .Values.conf.ceph.enabled }}
        env: {CEPH_CINDER_USER: {{ .Values.conf.ceph.cinder.user }}, LIBVIRT_CEPH_CINDER_SECRET_UUID: {{ .Values.conf.ceph.cinder.secret_uuid }}}
        {{- end }}
{{- end -}}
