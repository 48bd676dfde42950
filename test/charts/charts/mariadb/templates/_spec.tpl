{{- define "mariadb.spec" -}}
{{- $auth := .Values.endpoints.oslo_db.auth -}}
{{- $port := include "toolkit.endpoint.port" (list . "oslo_db" "direct" "mysql") -}}
{{- $direct := include "toolkit.endpoint.name" (list . "oslo_db" "direct") -}}
{{- $discovery := include "toolkit.endpoint.name" (list . "oslo_db" "discovery") -}}
{{- $wsrep := include "toolkit.endpoint.port" (list . "oslo_db" "direct" "wsrep") -}}
{{- $ist := include "toolkit.endpoint.port" (list . "oslo_db" "direct" "ist") -}}
{{- $sst := include "toolkit.endpoint.port" (list . "oslo_db" "direct" "sst") -}}
deployments:
  - name: mariadb-controller
    component: controller
    manifest: deployment_controller
    node: controller
    depends: controller
    replicas: controller
    anti: true
    containers:
      - name: controller
        tag: mariadb_controller
        command: [/tmp/mariadb_controller.py]
        env:
          MARIADB_CONTROLLER_PODS_NAMESPACE: {{ .Release.Namespace }}
          MARIADB_MASTER_SERVICE_NAME: {{ include "toolkit.endpoint.name" (list . "oslo_db" "internal") }}
statefulsets:
  - name: {{ $direct }}
    account: mariadb-mariadb
    component: server
    manifest: statefulset
    node: server
    replicas: server
    service: {{ $discovery }}
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.server.timeout }}
    hashes:
      configmap-etc-hash: {{ .Values.conf.database.config_override | default "" | quote }}
      mariadb-dbadmin-password-hash: {{ $auth.admin.password | quote }}
      mariadb-sst-password-hash: {{ $auth.sst.password | quote }}
    {{- if .Values.volume.enabled }}
    claim: {name: mysql-data, class: {{ .Values.volume.class_name }}, size: {{ .Values.volume.size }}}
    mounts: [{name: mysql-data, mountPath: /var/lib/mysql}]
    {{- else }}
    volumes: [{name: mysql-data, emptyDir: {}}]
    mounts: [{name: mysql-data, mountPath: /var/lib/mysql}]
    {{- end }}
    containers:
      - name: mariadb
        tag: mariadb
        command: [/tmp/start.py]
        ports: {mysql: {{ $port }}, wsrep: {{ $wsrep }}, ist: {{ $ist }}, sst: {{ $sst }}}
        env:
          MARIADB_REPLICAS: {{ .Values.pod.replicas.server }}
          POD_NAME_PREFIX: {{ $direct }}
          DISCOVERY_DOMAIN: {{ include "toolkit.endpoint.domain" (list . "oslo_db" "discovery") }}
          DIRECT_SVC_NAME: {{ $direct }}
          WSREP_PORT: {{ $wsrep }}
          MYSQL_DBADMIN_USERNAME: {{ $auth.admin.username }}
          MYSQL_DBSST_USERNAME: {{ $auth.sst.username }}
          {{- if .Values.manifests.secret_dbaudit_password }}
          MYSQL_DBAUDIT_USERNAME: {{ $auth.audit.username }}
          {{- end }}
        from:
          MYSQL_DBADMIN_PASSWORD: [mariadb-dbadmin-password, MYSQL_DBADMIN_PASSWORD]
          MYSQL_DBSST_PASSWORD: [mariadb-dbsst-password, MYSQL_DBSST_PASSWORD]
          {{- if .Values.manifests.secret_dbaudit_password }}
          MYSQL_DBAUDIT_PASSWORD: [mariadb-dbaudit-password, MYSQL_DBAUDIT_PASSWORD]
          {{- end }}
tests:
  - name: mariadb-test
    component: test
    manifest: pod_test
    node: test
    depends: tests
    restart: Never
    containers: [{name: mariadb-test, tag: scripted_test, command: [/tmp/test.sh]}]
services:
  - {name: {{ include "toolkit.endpoint.name" (list . "oslo_db" "internal") }}, component: server, manifest: service_master, ports: {mysql: {{ $port }}}}
  - {name: {{ $direct }}, component: server, manifest: service, ports: {mysql: {{ $port }}}}
  - name: {{ $discovery }}
    component: server
    manifest: service_discovery
    headless: true
    ports: {mysql: {{ $port }}, wsrep: {{ $wsrep }}, ist: {{ $ist }}, sst: {{ $sst }}}
budgets:
  - {name: mariadb-server, component: server, manifest: pdb_server, available: {{ .Values.pod.lifecycle.disruption_budget.mariadb.min_available }}}
objects:
  - apiVersion: v1
    kind: ConfigMap
    manifest: configmap_etc
    metadata: {name: mariadb-etc}
    data: {20-override.cnf: {{ .Values.conf.database.config_override | default "" | quote }}}
{{- range $name, $user := dict "dbadmin" "admin" "dbsst" "sst" "dbaudit" "audit" }}
  - apiVersion: v1
    kind: Secret
    manifest: secret_{{ $name | replace "dbsst" "sst" }}_password
    metadata: {name: mariadb-{{ $name }}-password}
    type: Opaque
    data: {MYSQL_{{ upper $name }}_PASSWORD: {{ index $auth $user "password" | toString | b64enc }}}
{{- end }}
  - apiVersion: v1
    kind: Secret
    manifest: secret_etc
    metadata: {name: mariadb-secrets}
    type: Opaque
    data:
      admin_user_internal.cnf: {{ printf "[client]\nuser = %s\npassword = %s\nhost = %s\nport = %s\n" $auth.admin.username $auth.admin.password (include "toolkit.endpoint.domain" (list . "oslo_db" "internal")) (include "toolkit.endpoint.port" (list . "oslo_db" "internal" "mysql")) | b64enc }}
      admin_user.cnf: {{ printf "[client]\nuser = %s\npassword = %s\nhost = %s\nport = %s\n" $auth.admin.username $auth.admin.password $direct $port | b64enc }}
{{- end -}}
