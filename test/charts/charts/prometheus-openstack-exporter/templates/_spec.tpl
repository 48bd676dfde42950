{{- define "prometheus-openstack-exporter.spec" -}}
{{- $port := include "toolkit.endpoint.port" (list . "prometheus_openstack_exporter" "internal" "exporter") -}}
{{- $conf := .Values.conf.prometheus_openstack_exporter -}}
{{- $user := .Values.secrets.identity.user -}}
deployments:
  - name: prometheus-openstack-exporter
    component: exporter
    manifest: deployment
    node: openstack_exporter
    depends: prometheus_openstack_exporter
    replicas: prometheus_openstack_exporter
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.prometheus_openstack_exporter.timeout }}
    init:
      - name: clouds-yaml-gen
        tag: dep_check
        command: [/bin/sh, -c, "# acted out by the test bed"]
        env: {OS_IDENTITY_API_VERSION: "3"}
        from:
          {{- range $key := list "OS_AUTH_URL" "OS_USERNAME" "OS_PASSWORD" "OS_PROJECT_NAME" "OS_USER_DOMAIN_NAME" "OS_PROJECT_DOMAIN_NAME" "OS_REGION_NAME" "OS_INTERFACE" }}
          {{ $key }}: [{{ $user }}, {{ $key }}]
          {{- end }}
    containers:
      - name: openstack-metrics-exporter
        tag: prometheus_openstack_exporter
        command: [/bin/openstack-exporter, "--web.listen-address=:{{ $port }}", --os-client-config=/etc/openstack/clouds.yaml, default]
        ports: {metrics: {{ $port }}}
        env: {LISTEN_PORT: {{ $port }}, OS_POLLING_INTERVAL: {{ $conf.OS_POLLING_INTERVAL }}, OS_RETRIES: {{ $conf.OS_RETRIES }}, TIMEOUT_SECONDS: {{ $conf.TIMEOUT_SECONDS }}, OS_IDENTITY_API_VERSION: "3"}
jobs:
  - component: ks-user
    plain: true
    containers:
      - name: prometheus-openstack-exporter-ks-user
        tag: ks_user
        command: [/tmp/ks-user.sh]
        openrc: admin
        creates: user
        env: {SERVICE_OS_SERVICE_NAME: prometheus-openstack-exporter, SERVICE_OS_ROLE: {{ .Values.endpoints.identity.auth.user.role }}}
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "prometheus_openstack_exporter" "internal") }}, component: exporter, manifest: service, ports: {http: {{ $port }}}}
{{- end -}}
