{{- define "ceph-adapter-rook.spec" -}}
bin: {{ .Release.Name }}-bin
jobs:
  - component: namespace-client-key
    name: {{ .Release.Name }}-namespace-client-key
    plain: true
    depends: ""
    containers: [{name: namespace-client-key, tag: ceph_config_helper, command: [/tmp/key-manager.sh], env: {SECRET_NAME: {{ .Values.secret_name }}, CEPH_CLUSTER_NAMESPACE: {{ .Values.ceph_cluster_namespace }}}}]
  - component: namespace-client-ceph-config
    name: {{ .Release.Name }}-namespace-client-ceph-config
    plain: true
    depends: ""
    containers: [{name: namespace-client-ceph-config, tag: ceph_config_helper, command: [/tmp/config-manager.sh], env: {CEPH_CONF_ETC: {{ .Values.configmap_name }}, CEPH_CLUSTER_NAMESPACE: {{ .Values.ceph_cluster_namespace }}}}]
objects:
  - apiVersion: v1
    kind: ConfigMap
    manifest: configmap_etc_client
    metadata: {name: {{ .Values.configmap_name }}}
    data:
      ceph.conf: {{ include "toolkit.ini" .Values.conf.ceph | trim | quote }}
{{- end -}}
