#!/usr/bin/env bash
# kubectl and helm of a cluster that does not exist, as far as scripts/test-amd-*.sh ask it. By the name it is called, and $FAKE,
# a list of what is broken: no-gpus gpu-pending gpu-kept no-pool no-database no-metrics wrong-sum pod-fails other-chart gpu-node no-gpu-ids not-shared
# no-memory-limit given-beyond wrong-half.
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
      phase=Running apps='[]'
      if broken gpu-pending; then phase=Pending; fi
      if broken gpu-kept; then apps='[{"name": "pytorch-amd-remote"}]'; fi
      echo "{\"items\": [{\"metadata\": {\"name\": \"gpu-1\"}, \"status\": {\"vendor\": \"AMD\", \"gpuModel\": \"MI300X\", \"phase\": \"$phase\",
        \"runningApps\": $apps, \"capacity\": {\"vram\": \"192Gi\"}}}]}"
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
  "logs pytorch-half-gpu-"*)
    if broken no-memory-limit; then echo "memory: 196608 MiB"; else echo "memory: 1024 MiB"; fi
    if broken given-beyond; then echo "beyond: given"; else echo "beyond: out of memory"; fi
    if broken wrong-half; then echo "sum: 0.0"; else echo "sum: 16777216.0"; fi
    ;;
  logs*) if broken wrong-sum; then echo "sum: 0.0"; else printf 'device 0: AMD Instinct MI300X\nsum: 1073741824.0\n'; fi ;;
  "get pods -A"*)
    if broken no-database; then echo '{"items": []}'; else echo '{"items": [{"metadata": {"namespace": "greptimedb", "name": "db-0"}}]}'; fi
    ;;
  exec*)
    if broken no-metrics && [[ $* == *tf_worker_usage* ]]; then rows=0; else rows=7; fi
    echo "{\"output\": [{\"records\": {\"rows\": [[$rows]]}}]}"
    ;;
  "get tensorfusionconnections"*)
    echo '{"items": [{"metadata": {"ownerReferences": [{"name": "pytorch-half-gpu-1"}]}, "status": {"workerName": "worker-1"}},
      {"metadata": {"ownerReferences": [{"name": "pytorch-half-gpu-2"}]}, "status": {"workerName": "worker-2"}}]}'
    ;;
  "get pod worker-"*)
    if broken no-gpu-ids; then echo '{"metadata": {"annotations": {}}}'; else
      if broken not-shared; then gpu="gpu-${3#worker-}"; else gpu="gpu-1"; fi
      echo "{\"metadata\": {\"annotations\": {\"tensor-fusion.ai/gpu-ids\": \"$gpu\"}}}"
    fi
    ;;
  "get pod "*) echo node-1 ;;
  "get node "*) if broken gpu-node; then echo true; fi ;;
esac
