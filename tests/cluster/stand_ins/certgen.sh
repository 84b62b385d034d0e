#!/usr/bin/env bash
# Stands in for kube-webhook-certgen, which TensorFusion's chart runs in jobs: a certificate for the webhook in a Secret, and its
# authority in the webhook's configuration. With the job's own rights.
#   certgen.sh create --host=NAME,... --namespace=N --secret-name=S        certgen.sh patch --webhook-name=W --namespace=N --secret-name=S ...
set -euo pipefail
action=$1
for option in "${@:2}"; do
  case $option in
    --host=*) hosts=${option#*=} ;;
    --namespace=*) namespace=${option#*=} ;;
    --secret-name=*) secret=${option#*=} ;;
    --webhook-name=*) webhook=${option#*=} ;;
  esac
done
if [[ $action == create ]]; then
  if kubectl get secret -n "$namespace" "$secret" >/dev/null 2>&1; then exit 0; fi
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=webhook -addext "subjectAltName=DNS:${hosts//,/,DNS:}" \
    -keyout /tmp/key -out /tmp/cert 2>/dev/null
  kubectl create secret generic -n "$namespace" "$secret" --from-file=cert=/tmp/cert --from-file=key=/tmp/key --from-file=ca=/tmp/cert
else
  ca=$(kubectl get secret -n "$namespace" "$secret" -o 'jsonpath={.data.ca}')
  kubectl get mutatingwebhookconfiguration "$webhook" -o json | jq --arg ca "$ca" '.webhooks[].clientConfig.caBundle = $ca' | kubectl replace -f -
fi
