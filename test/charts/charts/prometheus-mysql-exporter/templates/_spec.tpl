{{- define "prometheus-mysql-exporter.spec" -}}
{{- $port := include "toolkit.endpoint.port" (list . "prometheus_mysql_exporter" "internal" "metrics") -}}
{{- $database := include "toolkit.endpoint.host" (list . "oslo_db" "direct") -}}
{{- $exporter := .Values.endpoints.oslo_db.auth.exporter -}}
bin: mysql-exporter-bin
binManifest: monitoring.prometheus.configmap_bin
deployments:
  - name: prometheus-mysql-exporter
    component: exporter
    manifest: monitoring.prometheus.deployment_exporter
    node: prometheus_mysql_exporter
    depends: prometheus_mysql_exporter
    replicas: prometheus_mysql_exporter
    grace: {{ .Values.pod.lifecycle.termination_grace_period.prometheus_mysql_exporter.timeout }}
    containers:
      - name: mysql-exporter
        tag: prometheus_mysql_exporter
        command: [/tmp/mysqld-exporter.sh]
        ports: {metrics: {{ $port }}}
        env: {LISTEN_PORT: {{ $port }}, TELEMETRY_PATH: {{ .Values.endpoints.prometheus_mysql_exporter.path.default }}}
        from: {EXPORTER_USER: [mysql-exporter-secrets, EXPORTER_USER], EXPORTER_PASSWORD: [mysql-exporter-secrets, EXPORTER_PASSWORD]}
jobs:
  - component: create-sql-user
    name: exporter-create-sql-user
    manifest: monitoring.prometheus.job_user_create
    node: prometheus_mysql_exporter
    depends: prometheus_create_mysql_user
    backoff: {{ .Values.jobs.exporter_create_sql_user.backoffLimit }}
    weight: 5
    policy: before-hook-creation
    containers:
      - name: exporter-create-sql-user
        tag: prometheus_create_mysql_user
        command: [/tmp/create-mysql-user.sh]
        from: {EXPORTER_USER: [mysql-exporter-secrets, EXPORTER_USER], EXPORTER_PASSWORD: [mysql-exporter-secrets, EXPORTER_PASSWORD]}
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "prometheus_mysql_exporter" "internal") }}, component: exporter, manifest: monitoring.prometheus.service_exporter, ports: {metrics: {{ $port }}}}
objects:
  - apiVersion: v1
    kind: Secret
    manifest: monitoring.prometheus.secret_etc
    metadata: {name: mysql-exporter-secrets}
    type: Opaque
    data:
      DATA_SOURCE_NAME: {{ printf "%s:%s@(%s:%s)/" $exporter.username $exporter.password $database (include "toolkit.endpoint.port" (list . "oslo_db" "direct" "mysql")) | b64enc }}
      EXPORTER_USER: {{ $exporter.username | b64enc }}
      EXPORTER_PASSWORD: {{ $exporter.password | toString | b64enc }}
{{- end -}}
