{{- define "mariadb-backup.spec" -}}
{{- $backup := .Values.conf.backup -}}
{{- $admin := .Values.endpoints.oslo_db.auth.admin -}}
cronjobs:
  - name: mariadb-backup
    component: backup
    manifest: cron_job_mariadb_backup
    node: job
    depends: mariadb_backup
    restart: OnFailure
    tolerates: mariadb
    schedule: {{ toJson .Values.jobs.mariadb_backup }}
    containers:
      - name: mariadb-backup
        tag: mariadb_backup
        command: [/bin/sh, -c, "( /tmp/start_verification_server.sh ) & /tmp/backup_mariadb.sh"]
        env:
          MARIADB_BACKUP_BASE_DIR: {{ $backup.base_path | quote }}
          MYSQL_BACKUP_MYSQLDUMP_OPTIONS: {{ $backup.mysqldump_options | quote }}
          MARIADB_LOCAL_BACKUP_DAYS_TO_KEEP: {{ $backup.days_to_keep | quote }}
          REMOTE_BACKUP_ENABLED: {{ $backup.remote_backup.enabled | quote }}
objects:
  - apiVersion: v1
    kind: ConfigMap
    manifest: configmap_etc
    metadata: {name: mariadb-backup-etc}
  - apiVersion: v1
    kind: Secret
    manifest: secret_etc
    metadata: {name: mariadb-backup-secrets}
    type: Opaque
    data:
      {{- range $file, $interface := dict "admin_user.cnf" "direct" "admin_user_internal.cnf" "internal" }}
      {{ $file }}: {{ printf "[client]\nuser = %s\npassword = %s\nhost = %s\nport = %s\n" $admin.username $admin.password (include "toolkit.endpoint.host" (list $ "oslo_db" $interface)) (include "toolkit.endpoint.port" (list $ "oslo_db" $interface "mysql")) | b64enc }}
      {{- end }}
  {{- with .Values.volume.backup }}
  {{- if .enabled }}
  - apiVersion: v1
    kind: PersistentVolumeClaim
    manifest: pvc_backup
    metadata: {name: mariadb-backup-data}
    spec:
      accessModes: [ReadWriteOnce]
      resources: {requests: {storage: {{ .size }}}}
      storageClassName: {{ .class_name }}
  {{- end }}
  {{- end }}
{{- end -}}
