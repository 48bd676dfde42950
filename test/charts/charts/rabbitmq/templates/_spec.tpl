{{- define "rabbitmq.spec" -}}
{{- $auth := .Values.endpoints.oslo_messaging.auth -}}
{{- $name := include "toolkit.endpoint.name" (list . "oslo_messaging" "internal") -}}
{{- $host := include "toolkit.endpoint.host" (list . "oslo_messaging" "internal") -}}
{{- $amqp := include "toolkit.endpoint.port" (list . "oslo_messaging" "internal" "amqp") -}}
{{- $clustering := int $amqp | add 20000 -}}
{{- $http := include "toolkit.endpoint.port" (list . "oslo_messaging" "internal" "http") -}}
{{- $metrics := include "toolkit.endpoint.port" (list . "oslo_messaging" "internal" "metrics") -}}
{{- $admin := printf "%s://%s@%s:%s%s" (include "toolkit.endpoint.setting" (list . "oslo_messaging" "internal" "scheme")) (include "toolkit.endpoint.credentials" (list . "oslo_messaging" "user")) $host $http (include "toolkit.endpoint.setting" (list . "oslo_messaging" "internal" "path")) -}}
bin: {{ .Release.Name }}-rabbitmq-bin
statefulsets:
  - name: {{ .Release.Name }}-rabbitmq
    account: {{ .Release.Name }}-rabbitmq
    component: server
    manifest: statefulset
    node: server
    depends: rabbitmq
    replicas: server
    service: {{ $name }}
    anti: true
    etc: {{ .Release.Name }}-rabbitmq-etc
    hashes:
      configmap-etc-hash: {{ toJson .Values.conf.rabbitmq | quote }}
      secret-rabbit-admin-hash: {{ printf "%s %s %s" $auth.user.username $auth.user.password $auth.guest.password | quote }}
      secret-erlang-cookie-hash: {{ $auth.erlang_cookie | quote }}
    volumes: [{name: rabbitmq-etc, configMap: {name: {{ .Release.Name }}-rabbitmq-etc}}]
    {{- if .Values.volume.enabled }}
    claim: {name: rabbitmq-data, class: {{ .Values.volume.class_name }}, size: {{ .Values.volume.size }}}
    {{- end }}
    init:
      - name: rabbitmq-password
        tag: rabbitmq_init
        command: [/tmp/rabbitmq-password-hash.py]
        env: {RABBITMQ_DEFINITION_FILE: /var/lib/rabbitmq/definitions.json}
        from:
          RABBITMQ_ADMIN_USERNAME: [rabbitmq-admin-user, RABBITMQ_ADMIN_USERNAME]
          RABBITMQ_ADMIN_PASSWORD: [rabbitmq-admin-user, RABBITMQ_ADMIN_PASSWORD]
          RABBITMQ_GUEST_PASSWORD: [rabbitmq-admin-user, RABBITMQ_GUEST_PASSWORD]
      - {name: rabbitmq-cookie, tag: rabbitmq, command: [/tmp/rabbitmq-cookie.sh]}
    containers:
      - name: rabbitmq
        tag: rabbitmq
        command: [/tmp/rabbitmq-start.sh]
        ports: {amqp: {{ $amqp }}, clustering: {{ $clustering }}, http: {{ $http }}, metrics: {{ $metrics }}}
        env: {RABBITMQ_USE_LONGNAME: "true", K8S_SERVICE_NAME: {{ $name }}, RABBITMQ_ERLANG_COOKIE: {{ $auth.erlang_cookie }}}
jobs:
  - component: cluster-wait
    account: rabbitmq-cluster-wait
    node: test
    weight: 5
    policy: before-hook-creation
    init: [{name: rabbitmq-cookie, tag: scripted_test, command: [/tmp/rabbitmq-cookie.sh]}]
    containers:
      - name: {{ .Release.Name }}-rabbitmq-cluster-wait
        tag: scripted_test
        command: [/tmp/rabbitmq-wait-for-cluster.sh]
        env: {RABBITMQ_ADMIN_CONNECTION: {{ $admin | quote }}, RABBIT_REPLICA_COUNT: {{ .Values.pod.replicas.server }}}
tests:
  - name: {{ .Release.Name }}-test
    component: test
    manifest: pod_test
    node: test
    depends: tests
    restart: Never
    containers:
      - name: {{ .Release.Name }}-rabbitmq-test
        tag: rabbitmq_test
        command: [/tmp/rabbitmq-test.sh]
        env: {RABBITMQ_ADMIN_CONNECTION: {{ $admin | quote }}, RABBIT_REPLICA_COUNT: {{ .Values.pod.replicas.server }}}
services:
  - name: {{ $name }}
    component: server
    manifest: service
    headless: true
    ports: {amqp: {{ $amqp }}, clustering: {{ $clustering }}, http: {{ $http }}, metrics: {{ $metrics }}}
objects:
  - apiVersion: v1
    kind: ConfigMap
    manifest: configmap_etc
    metadata: {name: {{ .Release.Name }}-rabbitmq-etc}
    data:
      enabled_plugins: {{ printf "[%s]." (join "," .Values.conf.enabled_plugins) | quote }}
      rabbitmq.conf: {{ range $key, $value := .Values.conf.rabbitmq }}{{ printf "%s = %v\n" $key $value | quote | trimAll "\"" }}{{ end }}
  - apiVersion: v1
    kind: Secret
    manifest: secret_admin_user
    metadata: {name: rabbitmq-admin-user}
    type: Opaque
    data:
      RABBITMQ_ADMIN_USERNAME: {{ $auth.user.username | b64enc }}
      RABBITMQ_ADMIN_PASSWORD: {{ $auth.user.password | toString | b64enc }}
      RABBITMQ_GUEST_PASSWORD: {{ $auth.guest.password | toString | b64enc }}
  - apiVersion: v1
    kind: Secret
    manifest: secret_erlang_cookie
    metadata: {name: rabbitmq-erlang-cookie}
    type: Opaque
    data: {erlang_cookie: {{ $auth.erlang_cookie | b64enc }}}
{{- end -}}
