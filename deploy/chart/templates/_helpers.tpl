{{- define "kupenstack.labels" -}}
app.kubernetes.io/name: kupenstack
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: daemon
{{- end -}}
{{- define "kupenstack.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- define "kupenstack.deployer" -}}
{{ .Values.serviceAccount.name }}-deployer
{{- end -}}
{{/*
Whether charts have an account of their own, which is so unless somebody wrote that they have none. A setting that is
missing, as with the values of an older chart, leaves them confined.
*/ -}}
{{- define "kupenstack.confined" -}}
{{- if ne (toString .Values.deployer.enabled) "false" }}true{{ end -}}
{{- end -}}
{{/*
What OpenStack-Helm's charts consist of, beside what a cloud also has from elsewhere, with what may be done with it. Of
workloads, as of Services, a list is put back whole where somebody changed what tells its elements apart: an update.
*/ -}}
{{- define "kupenstack.chartRules" }}
  - apiGroups: [""]
    resources: [serviceaccounts, pods]
    verbs: [{{ join ", " . }}]
  # What holds data is not deleted, but for namespaces that rbac.deleteData names.
  - apiGroups: [""]
    resources: [persistentvolumeclaims]
    verbs: [{{ without . "delete" | join ", " }}]
  - apiGroups: [apps]
    resources: [deployments, statefulsets, daemonsets]
    verbs: [{{ join ", " . }}{{ if has "patch" . }}, update{{ end }}]
  - apiGroups: [batch]
    resources: [jobs, cronjobs]
    verbs: [{{ join ", " . }}{{ if has "patch" . }}, update{{ end }}]
  - apiGroups: [policy]
    resources: [poddisruptionbudgets]
    verbs: [{{ join ", " . }}]
  - apiGroups: [networking.k8s.io]
    resources: [networkpolicies]
    verbs: [{{ join ", " . }}]
  - apiGroups: [autoscaling]
    resources: [horizontalpodautoscalers]
    verbs: [{{ join ", " . }}]
{{- end }}
