{{- define "prometheus-node-exporter.spec" -}}
{{- $port := include "toolkit.endpoint.port" (list . "node_metrics" "internal" "metrics") -}}
bin: node-exporter-bin
daemonsets:
  - name: node-exporter
    account: {{ .Release.Name }}-node-exporter
    component: metrics
    manifest: daemonset
    node: node_exporter
    depends: node_exporter
    upgrades: node_exporter
    tolerates: node_exporter
    everywhere: true
    host: true
    containers:
      - {name: node-exporter, tag: node_exporter, command: [/tmp/node-exporter.sh], ports: {metrics: {{ $port }}}}
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "node_metrics" "internal") }}, component: metrics, manifest: service, headless: true, ports: {metrics: {{ $port }}}}
{{- end -}}
