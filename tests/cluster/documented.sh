# shellcheck shell=bash
# shellcheck disable=SC2154 # run.sh has them
# Sourced by run.sh: commands of docs/amd-gpu-setup.md, run as they stand there, in a folder that looks like a clone.
# Their helm has the chart at hand in the place of TensorFusion's repository, and the values that a cluster without GPUs needs.
database=http://greptimedb-standalone.greptimedb:4000
mkdir -p "$work/clone" "$work/bin"
ln -s "$root/deploy" "$root/scripts" "$work/clone/"
cat >"$work/bin/helm" <<SCRIPT
#!/usr/bin/env bash
case "\$*" in
  "repo add "*) exit ;;
  *" tensor-fusion-sys tensor-fusion/tensor-fusion "*) more=(-f "$here/values-operator.yaml") ;;
  *"deploy/helm/tensor-fusion-amd "*) more=(-f "$here/values-amd.yaml") ;;
esac
exec $(command -v helm) "\${@/#tensor-fusion\/tensor-fusion/$TENSOR_FUSION_CHART}" "\${more[@]}"
SCRIPT
chmod +x "$work/bin/helm"

documented() { # TEXT: the block of commands that has it
  awk -v text="$1" '/^```bash/ { inside = 1; block = ""; next }
    /^```/ && inside { inside = 0; if (index(block, text)) printf "%s", block }
    inside { block = block $0 "\n" }' "$root/docs/amd-gpu-setup.md"
}
as_written() { # COMMANDS
  [[ -n $1 ]] && (cd "$work/clone" && PATH=$work/bin:$PATH GREPTIME_URL=$database PAUSE=1 HOLD=20 TIMEOUT=${TIMEOUT:-600} bash -e <<<"$1")
}
