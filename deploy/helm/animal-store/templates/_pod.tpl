{{/* The common parts of the pods of the service and of the migration. */}}
{{- define "animal-store.pod" -}}
serviceAccountName: {{ include "animal-store.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- range $name, $id := .Values.podSecurity }}
  {{- if not (kindIs "invalid" $id) }}
  {{ $name }}: {{ int64 $id }}
  {{- end }}
  {{- end }}
  {{- if not (kindIs "invalid" .Values.podSecurity.fsGroup) }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Keys: root; files, the variables that name files of the Secret. */}}
{{- define "animal-store.container" -}}
{{- $folder := include "animal-store.secretsFolder" .root -}}
{{- with .root -}}
image: {{ include "animal-store.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef: { name: {{ include "animal-store.configMap" . }} }
env:
  {{- range $name, $key := $.files }}
  - { name: {{ $name }}, value: {{ printf "%s/%s" $folder $key | quote }} }
  {{- end }}
  {{- if or .Values.certificateAuthorities.configMap .Values.certificateAuthorities.secret }}
  - { name: NODE_EXTRA_CA_CERTS, value: /run/certificate-authorities/{{ .Values.certificateAuthorities.key }} }
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumeMounts:
  # A whole folder: with subPath the kubelet would not swap the files when the Secret is rotated.
  - { name: secrets, mountPath: {{ $folder }}, readOnly: true }
  {{- if or .Values.certificateAuthorities.configMap .Values.certificateAuthorities.secret }}
  - { name: certificate-authorities, mountPath: /run/certificate-authorities, readOnly: true }
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}
{{- end }}

{{/* Keys: root, secret. */}}
{{- define "animal-store.volumes" -}}
- name: secrets
  secret: { secretName: {{ .secret }}, defaultMode: 288 }
{{- with .root.Values.certificateAuthorities }}
{{- if .configMap }}
- name: certificate-authorities
  configMap: { name: {{ .configMap }} }
{{- else if .secret }}
- name: certificate-authorities
  secret: { secretName: {{ .secret }} }
{{- end }}
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
