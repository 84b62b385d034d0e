{{- define "hip-worker.labels" -}}
app.kubernetes.io/name: hip-worker
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "hip-worker.tokenSecret" -}}
{{- .Values.token.existingSecret | default (printf "%s-token" .Release.Name) }}
{{- end }}
{{- define "hip-worker.pod" -}}
metadata:
  labels:
    {{- include "hip-worker.labels" . | nindent 4 }}
spec:
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  automountServiceAccountToken: false
  {{- if eq .Values.devices "none" }}
  securityContext:
    fsGroup: 65532 # so that it can read its token
  {{- end }}
  terminationGracePeriodSeconds: 10
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: hip-worker
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      command: [./hip-worker]
      args:
        - --bind
        - "*"
        - --port
        - {{ .Values.port | quote }}
        - --runtime
        - {{ .Values.runtime | quote }}
        {{- if .Values.token.enabled }}
        - --token-file
        - /etc/hip-remote/token
        {{- else }}
        - --insecure
        {{- end }}
        {{- if .Values.metrics.port }}
        - --http
        - "0.0.0.0:{{ .Values.metrics.port }}"
        {{- end }}
        {{- with .Values.extraArgs }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      env:
        - name: HOME
          value: /tmp
        {{- with .Values.softgpu }}
        - name: HIP_REMOTE_SOFTGPU
          value: {{ . | quote }}
        {{- end }}
      ports:
        - name: hip
          containerPort: {{ .Values.port }}
        {{- if .Values.metrics.port }}
        - name: metrics
          containerPort: {{ .Values.metrics.port }}
        {{- end }}
      # A connection that says nothing costs the worker a descriptor for a moment.
      startupProbe:
        tcpSocket:
          port: hip
        periodSeconds: 2
        failureThreshold: 60
      readinessProbe:
        tcpSocket:
          port: hip
        periodSeconds: 10
      livenessProbe:
        tcpSocket:
          port: hip
        periodSeconds: 30
        failureThreshold: 3
      securityContext:
        {{- if eq .Values.devices "hostPath" }}
        privileged: true # device files of the host are not allowed to other containers
        {{- else if eq .Values.devices "none" }}
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        allowPrivilegeEscalation: false
        capabilities:
          drop: [ALL]
        seccompProfile:
          type: RuntimeDefault
        {{- else }}
        allowPrivilegeEscalation: false
        capabilities:
          drop: [ALL]
          add: [SETUID, SETGID, CHOWN, DAC_OVERRIDE, KILL] # each session becomes a user of its own
        seccompProfile:
          type: RuntimeDefault
        {{- end }}
      resources:
        {{- $resources := deepCopy .Values.resources }}
        {{- if eq .Values.devices "devicePlugin" }}
        {{- $limits := merge (dict "amd.com/gpu" .Values.gpusPerWorker) (default dict $resources.limits) }}
        {{- $_ := set $resources "limits" $limits }}
        {{- end }}
        {{- toYaml $resources | nindent 8 }}
      {{- if or .Values.token.enabled (eq .Values.devices "hostPath") }}
      volumeMounts:
        {{- if .Values.token.enabled }}
        - name: token
          mountPath: /etc/hip-remote
          readOnly: true
        {{- end }}
        {{- if eq .Values.devices "hostPath" }}
        - name: kfd
          mountPath: /dev/kfd
        - name: dri
          mountPath: /dev/dri
        {{- end }}
      {{- end }}
  {{- if or .Values.token.enabled (eq .Values.devices "hostPath") }}
  volumes:
    {{- if .Values.token.enabled }}
    - name: token
      secret:
        secretName: {{ include "hip-worker.tokenSecret" . }}
        defaultMode: 0440 # the worker's user, not those of its sessions
        items:
          - key: token
            path: token
    {{- end }}
    {{- if eq .Values.devices "hostPath" }}
    - name: kfd
      hostPath:
        path: /dev/kfd
        type: CharDevice
    - name: dri
      hostPath:
        path: /dev/dri
        type: Directory
    {{- end }}
  {{- end }}
{{- end }}
