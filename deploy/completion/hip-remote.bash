# bash completion for hip-remote, hip-worker and smi-remote. What there is to complete, each program's --help says.
_hip_remote() {
  local current=$2 previous=$3 program=$1 words
  COMPREPLY=()
  case $previous in
    --token-file | --cache | --stats) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --worker | --host | -H) COMPREPLY=($(compgen -A hostname -- "$current")); return ;;
    --runtime) COMPREPLY=($(compgen -W 'auto rocm softgpu' -- "$current")); return ;;
  esac
  if [[ $current == -* ]]; then
    words=$("$program" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sort -u)
  elif [[ $COMP_CWORD -eq 1 && $program == *hip-remote ]]; then
    words=$("$program" --help 2>/dev/null | sed -nE 's/^  hip-remote ([a-z]+).*/\1/p')
  elif [[ $program == *smi-remote ]]; then
    words=$("$program" --help 2>/dev/null | sed -nE 's/^  ([a-z]+)  .*/\1/p; s/^  ([a-z]+) \[GPU\].*/\1/p')
  elif [[ $program == *hip-remote ]]; then
    COMPREPLY=($(compgen -c -f -- "$current"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _hip_remote hip-remote hip-worker smi-remote
