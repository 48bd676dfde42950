{{- define "skyline.spec" -}}
{{- $name := include "toolkit.endpoint.name" (list . "skyline" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "skyline" "service" "api") -}}
config:
  skyline.yaml: {yaml: skyline}
deployments:
  - name: skyline
    component: skyline
    manifest: deployment
    node: skyline
    depends: skyline
    replicas: skyline
    intolerant: true
    init: [{name: api-init, tag: skyline, command: [/bin/sh, -c, /tmp/skyline-apiserver-init.sh]}]
    containers:
      - {name: nginx, tag: skyline_nginx, command: [/bin/sh, -c, "cp /etc/nginx/.skyline/nginx.conf /etc/nginx/nginx.conf && nginx -g 'daemon off;'"], ports: {api: {{ $port }}}}
      - {name: skyline, tag: skyline, command: [gunicorn, -c, /etc/skyline/gunicorn.py, "skyline_apiserver.main:app"]}
jobs:
  - {kind: db-init, weight: -5, databases: [{type: oslo_db, user: skyline}]}
  - component: db-sync
    weight: -4
    backoff: 1000
    containers: [{name: skyline-db-sync, tag: skyline_db_sync, command: [/bin/sh, -c, /tmp/db-sync.sh]}]
  - {kind: ks-user, weight: -1, users: [skyline]}
services:
  - {name: {{ $name }}, component: skyline, manifest: service, ports: {api: {{ $port }}}}
{{- end -}}
