# bash completion for hip-remote, hip-worker and smi-remote. What there is to complete, each program's --help says.
_hip_remote() {
  local program=$1 current=$2 previous=$3 help words=''
  COMPREPLY=()
  help=$("$program" --help 2>/dev/null)
  if [[ $previous == -* ]]; then
    case $(grep -oE -m1 -e "(^|[ [])$previous [A-Z]+" <<<"$help") in
      *FILE) COMPREPLY=($(compgen -f -- "$current")); return ;;
      *DIR) COMPREPLY=($(compgen -d -- "$current")); return ;;
      *HOST | *LIST) COMPREPLY=($(compgen -A hostname -- "$current")); return ;;
      *WHICH) COMPREPLY=($(compgen -W 'auto rocm softgpu' -f -- "$current")); return ;;
      *[A-Z]) return ;; # a number, say
    esac
  fi
  if [[ $current == -* ]]; then
    words=$(grep -oE -e '--[a-z][a-z-]+' <<<"$help" | sort -u)
  elif [[ $COMP_CWORD -eq 1 && $program == *hip-remote ]]; then
    words=$(sed -nE 's/^  hip-remote ([a-z]+).*/\1/p' <<<"$help")
  elif [[ $program == *smi-remote ]]; then
    words=$(sed -nE 's/^  ([a-z]+)  .*/\1/p; s/^  ([a-z]+) \[GPU\].*/\1/p' <<<"$help")
  elif [[ $program == *hip-remote ]]; then
    COMPREPLY=($(compgen -c -f -- "$current"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _hip_remote hip-remote hip-worker smi-remote
