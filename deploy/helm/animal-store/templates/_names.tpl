{{- define "animal-store.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "animal-store.selector" -}}
app.kubernetes.io/name: animal-store
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "animal-store.labels" -}}
{{ include "animal-store.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "animal-store.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{ .Values.image.repository }}:{{ $tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "animal-store.secretsFolder" -}}/run/secrets/animal-store{{- end }}
