{{/* Metadata with the labels of a component, but of an item that is unlabelled: list <root> <item>. */}}
{{- define "toolkit.metadata" -}}
name: {{ (index . 1).name }}
{{- if not (index . 1).unlabelled }}
labels: {{ include "toolkit.labels" (list (index . 0) (index . 1).component) | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The ServiceAccount of an item's pods; it is a hook where the item is one. */}}
{{- define "toolkit.account" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .account | default .name }}
{{- end -}}

{{/* A Deployment: list <root> <spec> <item>. */}}
{{- define "toolkit.deployment" -}}
{{- $root := index . 0 -}}
{{- $item := index . 2 -}}
apiVersion: apps/v1
kind: Deployment
metadata: {{ include "toolkit.metadata" (list $root $item) | nindent 2 }}
spec:
  replicas: {{ index $root.Values.pod.replicas $item.replicas }}
  {{- if not $item.unmanaged }}
  {{- with $root.Values.pod.lifecycle.upgrades.deployments }}
  revisionHistoryLimit: {{ .revision_history }}
  strategy:
    type: {{ .pod_replacement_strategy }}
    {{- if eq .pod_replacement_strategy "RollingUpdate" }}
    rollingUpdate: {maxUnavailable: {{ .rolling_update.max_unavailable }}, maxSurge: {{ .rolling_update.max_surge }}}
    {{- end }}
  {{- end }}
  {{- end }}
  selector:
    matchLabels: {{ include "toolkit.labels" (list $root $item.component) | nindent 6 }}
  template: {{ include "toolkit.pod" . | nindent 4 }}
{{- end -}}

{{/* A StatefulSet: list <root> <spec> <item>. item.claim is {name, class, size}; the pods of one that is ordered come up one after another. */}}
{{- define "toolkit.statefulset" -}}
{{- $root := index . 0 -}}
{{- $item := index . 2 -}}
apiVersion: apps/v1
kind: StatefulSet
metadata: {{ include "toolkit.metadata" (list $root $item) | nindent 2 }}
spec:
  serviceName: {{ $item.service }}
  {{- if not $item.ordered }}
  podManagementPolicy: Parallel
  {{- end }}
  replicas: {{ index $root.Values.pod.replicas $item.replicas }}
  selector:
    matchLabels: {{ include "toolkit.labels" (list $root $item.component) | nindent 6 }}
  template: {{ include "toolkit.pod" . | nindent 4 }}
  {{- with $item.claim }}
  volumeClaimTemplates:
  - metadata:
      name: {{ .name }}
    spec:
      accessModes: [ReadWriteOnce]
      storageClassName: {{ .class }}
      resources: {requests: {storage: {{ .size }}}}
  {{- end }}
{{- end -}}

{{/* A DaemonSet: list <root> <spec> <item>. item.upgrades names its entry in pod.lifecycle. */}}
{{- define "toolkit.daemonset" -}}
{{- $root := index . 0 -}}
{{- $item := index . 2 -}}
apiVersion: apps/v1
kind: DaemonSet
metadata: {{ include "toolkit.metadata" (list $root $item) | nindent 2 }}
  {{- with $item.annotations }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if $item.upgrades }}
  {{- $upgrades := $root.Values.pod.lifecycle.upgrades.daemonsets }}
  {{- with index $upgrades $item.upgrades }}
  {{- if .enabled }}
  minReadySeconds: {{ .min_ready_seconds }}
  updateStrategy:
    type: {{ $upgrades.pod_replacement_strategy }}
    {{- if eq $upgrades.pod_replacement_strategy "RollingUpdate" }}
    rollingUpdate: {maxUnavailable: {{ .max_unavailable }}}
    {{- end }}
  {{- end }}
  {{- end }}
  {{- end }}
  selector:
    matchLabels: {{ include "toolkit.labels" (list $root $item.component) | nindent 6 }}
  template: {{ include "toolkit.pod" . | nindent 4 }}
{{- end -}}

{{/* A Service in front of a component: list <root> <item>. The names of ports of UDP end in "-udp". */}}
{{- define "toolkit.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ (index . 1).name }}
spec:
  {{- if (index . 1).headless }}
  clusterIP: None
  {{- end }}
  {{- if (index . 1).early }}
  publishNotReadyAddresses: true
  {{- end }}
  selector: {{ include "toolkit.labels" (list (index . 0) (index . 1).component) | nindent 4 }}
  ports:
  {{- range $name, $port := (index . 1).ports }}
  - {name: {{ $name }}, port: {{ $port }}, protocol: {{ ternary "UDP" "TCP" (hasSuffix "-udp" $name) }}}
  {{- end }}
{{- end -}}

{{/* A PodDisruptionBudget: list <root> <item>. */}}
{{- define "toolkit.budget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ (index . 1).name }}
spec:
  minAvailable: {{ (index . 1).available }}
  selector:
    matchLabels: {{ include "toolkit.labels" (list (index . 0) (index . 1).component) | nindent 6 }}
{{- end -}}
