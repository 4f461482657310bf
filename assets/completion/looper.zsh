#compdef looper
# zsh completion for looper
_looper() {
  local answer line word tab=$'\t'
  local -a before values shown
  before=("${(@Q)words[2,CURRENT-1]}")
  (( CURRENT > 2 )) || before=()
  answer="$(command looper __complete zsh -- "${before[@]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)"
  for line in "${(@f)answer}"; do
    word="${line%%$tab*}"
    [[ -n $word ]] || continue
    values+=("$word")
    shown+=("$word  -- ${line#*$tab}")
  done
  if (( ${#values} )); then
    compadd -V looper -l -d shown -a -- values
  else
    _files
  fi
}
if [[ "${funcstack[1]}" == _looper ]]; then
  _looper "$@"
elif (( ${+functions[compdef]} )); then
  compdef _looper looper
fi
