{{/* What the pods of the service and of the migration have in common. */}}
{{- define "animal-store.pod" -}}
serviceAccountName: {{ include "animal-store.fullname" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
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
  runAsUser: 65532
  runAsGroup: 65532
  # Group of the mounted secrets, which nobody else may read.
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "animal-store.container" -}}
image: {{ include "animal-store.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef: { name: {{ include "animal-store.fullname" . }} }
volumeMounts:
  # A whole folder: with subPath the kubelet would not swap the files when the Secret is rotated.
  - { name: secrets, mountPath: {{ include "animal-store.secretsFolder" . }}, readOnly: true }
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* The variables that name files of a Secret. */}}
{{- define "animal-store.secretFiles" -}}
{{- $folder := include "animal-store.secretsFolder" .root -}}
{{- range $name, $key := .files }}
- { name: {{ $name }}, value: {{ printf "%s/%s" $folder $key | quote }} }
{{- end }}
{{- end }}
