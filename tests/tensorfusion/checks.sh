# shellcheck shell=bash
# Sourced by the scripts here: counting what passed.
passed=0 failed=0
ok() {
  passed=$((passed + 1))
  echo "ok $*"
}
bad() {
  failed=$((failed + 1))
  echo "FAIL $*"
}
skip() { # NAME: REASON
  echo "skipped $*"
}
check() { # NAME COMMAND...: passes when the command does; shows what it said when not
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then ok "$name"; else
    bad "$name"
    printf '%s\n' "$output" | tail -n 20 | sed 's/^/     /'
  fi
}
summary() {
  echo "$passed passed, $failed failed"
  [[ $failed -eq 0 ]]
}
