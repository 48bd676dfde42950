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
{{- define "kupenstack.chartRules" }}
  # What OpenStack-Helm's charts consist of, beside that.
  - apiGroups: [""]
    resources: [serviceaccounts, endpoints]
    verbs: [get, list, watch, create, update, patch, delete]
  # What holds data is not deleted, but for namespaces that rbac.deleteData names.
  - apiGroups: [""]
    resources: [persistentvolumeclaims]
    verbs: [get, list, watch, create, update, patch]
  - apiGroups: [""]
    resources: [pods]
    verbs: [create, update, patch, delete]
  - apiGroups: [apps]
    resources: [deployments, statefulsets, daemonsets, controllerrevisions]
    verbs: [get, list, watch, create, update, patch, delete]
  - apiGroups: [batch]
    resources: [jobs, cronjobs]
    verbs: [get, list, watch, create, update, patch, delete]
  - apiGroups: [policy]
    resources: [poddisruptionbudgets]
    verbs: [get, list, watch, create, update, patch, delete]
  - apiGroups: [networking.k8s.io]
    resources: [networkpolicies]
    verbs: [get, list, watch, create, update, patch, delete]
  - apiGroups: [autoscaling]
    resources: [horizontalpodautoscalers]
    verbs: [get, list, watch, create, update, patch, delete]
{{- end }}
