{{- define "animal-store.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "animal-store.selector" -}}
app.kubernetes.io/name: animal-store
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The metadata of an object. Keys: root; name, the end of its name; labels and annotations, its own ones. */}}
{{- define "animal-store.metadata" -}}
{{- $root := .root -}}
name: {{ include "animal-store.fullname" $root }}{{ with .name }}-{{ . }}{{ end }}
labels:
  {{- include "animal-store.selector" $root | nindent 2 }}
  app.kubernetes.io/managed-by: {{ $root.Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
  {{- with merge (dict) (.labels | default dict) $root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (.annotations | default dict) $root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The labels of a pod. Keys: root, component. Selectors must not change, so they do not include commonLabels. */}}
{{- define "animal-store.podLabels" -}}
{{ include "animal-store.selector" .root }}
app.kubernetes.io/component: {{ .component }}
{{- with merge (dict) .root.Values.podLabels .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "animal-store.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{ .Values.image.repository }}:{{ $tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "animal-store.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "animal-store.fullname" .) }}
{{- end }}

{{/* The name contains a digest of the contents, so pods of the previous release keep their ConfigMap. */}}
{{- define "animal-store.configMap" -}}
{{ include "animal-store.fullname" . }}-{{ .Values.config | toJson | sha256sum | trunc 8 }}
{{- end }}

{{/* The host that clients call, without a port. */}}
{{- define "animal-store.host" -}}
{{ get (urlParse .Values.config.PUBLIC_BASE_URL) "hostname" }}
{{- end }}

{{- define "animal-store.secretsFolder" -}}/run/secrets/animal-store{{- end }}
