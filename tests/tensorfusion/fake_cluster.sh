#!/usr/bin/env bash
# kubectl and helm of a cluster that does not exist, as far as scripts/test-amd-*.sh ask it. By the name it is called, and $FAKE,
# a list of what is broken: no-gpus no-pool no-database no-metrics wrong-sum pod-fails other-chart gpu-node.
# What it was told to apply goes to $FAKE_LOG.
set -euo pipefail
broken() { [[ " ${FAKE:-} " == *" $1 "* ]]; }
if [[ $(basename "$0") == helm ]]; then
  case $1 in
    show) if broken other-chart; then echo "schedulerConfig: {}"; else cat "$FAKE_CHART"; fi ;;
    *) echo "helm $*" >>"$FAKE_LOG" ;;
  esac
  exit
fi
case "$*" in
  "get gpus"*)
    if broken no-gpus; then echo '{"items": []}'; else
      echo '{"items": [{"metadata": {"name": "gpu-1"}, "status": {"vendor": "AMD", "gpuModel": "MI300X", "capacity": {"vram": "192Gi"}}}]}'
    fi
    ;;
  "get gpupools.tensor-fusion.ai -o json")
    if broken no-pool; then echo '{"items": []}'; else
      echo '{"items": [{"metadata": {"name": "shared"}, "spec": {"nodeManagerConfig": {"defaultVendor": "NVIDIA"}}},
        {"metadata": {"name": "tensor-fusion-amd-amd"}, "spec": {"nodeManagerConfig": {"defaultVendor": "AMD"}}}]}'
    fi
    ;;
  "apply -f -") cat >>"$FAKE_LOG" ;;
  wait*) if broken pod-fails; then exit 1; fi ;;
  logs*) if broken wrong-sum; then echo "sum: 0.0"; else printf 'device 0: AMD Instinct MI300X\nsum: 1073741824.0\n'; fi ;;
  "get pods -A"*)
    if broken no-database; then echo '{"items": []}'; else echo '{"items": [{"metadata": {"namespace": "greptimedb", "name": "db-0"}}]}'; fi
    ;;
  exec*)
    if broken no-metrics && [[ $* == *tf_worker_usage* ]]; then rows=0; else rows=7; fi
    echo "{\"output\": [{\"records\": {\"rows\": [[$rows]]}}]}"
    ;;
  "get pod "*) echo node-1 ;;
  "get node "*) if broken gpu-node; then echo true; fi ;;
esac
