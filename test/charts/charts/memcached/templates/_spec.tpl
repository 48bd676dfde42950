{{- define "memcached.spec" -}}
{{- $name := include "toolkit.endpoint.name" (list . "oslo_cache" "internal") -}}
{{- $port := include "toolkit.endpoint.port" (list . "oslo_cache" "internal" "memcache") -}}
bin: {{ .Release.Name }}-memcached-bin
statefulsets:
  - name: {{ .Release.Name }}-memcached
    component: server
    manifest: statefulset
    node: server
    depends: memcached
    replicas: server
    service: {{ $name }}
    anti: true
    grace: {{ .Values.pod.lifecycle.termination_grace_period.memcached.timeout }}
    containers:
      - name: memcached
        tag: memcached
        command: [/tmp/memcached.sh]
        ports: {memcache: {{ $port }}}
        env:
          MEMCACHED_PORT: {{ $port }}
          MEMCACHED_MAX_CONNECTIONS: {{ .Values.conf.memcached.max_connections }}
          MEMCACHED_MEMORY: {{ .Values.conf.memcached.memory }}
services:
  - {name: {{ $name }}, component: server, manifest: service, ports: {memcache: {{ $port }}}}
{{- end -}}
