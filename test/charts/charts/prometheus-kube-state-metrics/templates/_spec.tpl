{{- define "prometheus-kube-state-metrics.spec" -}}
{{- $port := include "toolkit.endpoint.port" (list . "kube_state_metrics" "internal" "http") -}}
bin: kube-state-metrics-bin
deployments:
  - name: kube-state-metrics
    account: {{ .Release.Name }}-kube-state-metrics
    component: exporter
    manifest: deployment
    node: kube_state_metrics
    depends: kube_state_metrics
    replicas: kube_state_metrics
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.kube_state_metrics.timeout }}
    containers:
      - {name: kube-state-metrics, tag: kube_state_metrics, ports: {metrics: {{ $port }}}}
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "kube_state_metrics" "internal") }}, component: exporter, manifest: service_kube_state_metrics, ports: {http: {{ $port }}}}
objects:
  - apiVersion: v1
    kind: Service
    manifest: service_scheduler
    metadata: {name: kube-scheduler-discovery}
    spec:
      clusterIP: None
      ports: [{name: http-metrics, port: {{ include "toolkit.endpoint.port" (list . "kube_scheduler" "internal" "metrics") }}}]
      selector: {component: kube-scheduler}
  - apiVersion: v1
    kind: Service
    manifest: service_controller_manager
    metadata: {name: kube-controller-manager-discovery}
    spec:
      clusterIP: None
      ports: [{name: http-metrics, port: {{ include "toolkit.endpoint.port" (list . "kube_controller_manager" "internal" "metrics") }}}]
      selector: {component: kube-controller-manager}
{{- end -}}
