{{- define "prometheus-blackbox-exporter.spec" -}}
{{- $port := include "toolkit.endpoint.port" (list . "prometheus_blackbox_exporter" "internal" "metrics") -}}
scriptless: true
deployments:
  - name: prometheus-blackbox-exporter
    component: exporter
    manifest: ""
    node: blackbox_exporter
    replicas: prometheus_blackbox_exporter
    bare: true
    containers:
      - {name: blackbox-exporter, tag: blackbox_exporter, command: [--config.file=/config/blackbox.yaml], ports: {metrics: {{ $port }}}}
    mounts: [{name: config, mountPath: /config/blackbox.yaml, subPath: blackbox.yaml}]
    volumes: [{name: config, secret: {secretName: prometheus-blackbox-exporter-etc}}]
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "prometheus_blackbox_exporter" "internal") }}, component: exporter, manifest: "", ports: {metrics: {{ $port }}}}
objects:
  - apiVersion: v1
    kind: Secret
    manifest: ""
    metadata: {name: prometheus-blackbox-exporter-etc}
    type: Opaque
    data: {blackbox.yaml: {{ toYaml .Values.config.blackbox | b64enc }}}
{{- end -}}
