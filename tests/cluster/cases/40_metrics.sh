# shellcheck shell=bash
# needs: tensor-fusion-operator tensor-fusion-hypervisor
# shellcheck disable=SC2154 # run.sh has them
# What a pod uses, in the file that vector reads, and in the database.
part_of_gpu load 50 1Gi /programs/gpu_load 40 300 >/dev/null
check "load gets a worker" wait_until 120 has_worker load
worker=$(worker_of load)
lines() { curl -sf "$database/lines?table=$1"; } # TABLE
field_of() { sed -n "s/.*[ ,]$1=\([0-9.]*\).*/\1/p"; }
at_work() { lines tf_worker_usage | grep "pod_name=$worker," | field_of memory_bytes | awk '$1 >= 300 * 2^20 { found = 1 } END { exit !found }'; }
check "the worker's memory is counted" wait_until 120 at_work
busy() { lines tf_worker_usage | grep "pod_name=$worker," | field_of compute_percentage | awk '$1 > 1 { busy = 1 } $1 > 75 { beyond = 1 } END { exit !busy || beyond }'; }
check "and its computing, within its share" wait_until 60 busy
check "the GPU's memory, too" test -n "$(lines tf_gpu_usage | field_of memory_bytes | awk '$1 >= 300 * 2^20')"
files() { find "$work/pods" -path '*/volumes/*' -name 'metrics.log.*' -exec cat {} +; }
check "all of it is in the file that vector reads" grep -q "^tf_worker_usage.*pod_name=$worker," <(files)
columns() { # of the dashboard, as TABLE COLUMN; "AS" gives them other names
  jq -r '.panels[].targets[].rawSql | capture("AS time, (?<by>\\w+) AS metric, (?<value>\\w+) AS value FROM (?<table>\\w+) ") | "\(.table) \(.by)", "\(.table) \(.value)"' \
    "$root/deploy/grafana/tensor-fusion.json"
}
unknown() { columns | while read -r table column; do lines "$table" | grep -E "[, ]$column=" >/dev/null || echo "$table has no $column"; done; }
check "the dashboard has queries" test "$(columns | wc -l)" -ge 16
check "and they name what is written" diff /dev/null <(unknown)
check "the load ends well" wait_until 120 is load Succeeded
check "and computed what it should" grep -q 'all correct' <(kubectl logs load -c program)
forget_all load
