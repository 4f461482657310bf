# bash completion for looper
_looper() {
  local answer word
  COMPREPLY=()
  answer="$(command looper __complete bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)" || return 0
  while IFS= read -r word; do
    if [ -n "$word" ]; then COMPREPLY+=("$word"); fi
  done <<<"$answer"
  compopt -o nosort 2>/dev/null
  return 0
}
complete -o default -F _looper looper
