{{- define "tensor-fusion-amd.token" -}}
{{- with .Values.token.secret -}}
- name: HIP_REMOTE_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: token
{{- end }}
{{- end }}
