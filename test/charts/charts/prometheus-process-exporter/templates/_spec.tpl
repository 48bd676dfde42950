{{- define "prometheus-process-exporter.spec" -}}
{{- $port := include "toolkit.endpoint.port" (list . "process_exporter_metrics" "internal" "metrics") -}}
scriptless: true
daemonsets:
  - name: process-exporter
    account: {{ .Release.Name }}-process-exporter
    component: metrics
    manifest: daemonset
    node: process_exporter
    depends: process_exporter
    upgrades: process_exporter
    tolerates: process_exporter
    everywhere: true
    host: true
    containers:
      - {name: process-exporter, tag: process_exporter, command: ["-children={{ .Values.conf.children }}", -procnames, {{ .Values.conf.processes | quote }}], ports: {metrics: {{ $port }}}}
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "process_exporter_metrics" "internal") }}, component: metrics, manifest: service, headless: true, ports: {metrics: {{ $port }}}}
{{- end -}}
