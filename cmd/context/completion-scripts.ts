// The completion script of each shell: at a Tab it calls `looper __complete` and shows the answer; where that is empty, files. Leaves
// the words to the program, so that an installed script stays valid when commands change.
// Contract: a script never evaluates typed or answered text, and prints nothing when the program is missing or fails.

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type CompletedShell = (typeof SHELLS)[number];

/** A dollar sign before a brace that the shell expands. */
const $ = "$";

// From bash 3.2 on, with the package bash-completion or without.
const BASH = String.raw`# bash completion for looper
_looper() {
  local answer word
  COMPREPLY=()
  answer="$(command looper __complete bash -- "${$}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)" || return 0
  while IFS= read -r word; do
    if [ -n "$word" ]; then COMPREPLY+=("$word"); fi
  done <<<"$answer"
  compopt -o nosort 2>/dev/null
  return 0
}
complete -o default -F _looper looper
`;

const ZSH = String.raw`#compdef looper
# zsh completion for looper
_looper() {
  local answer line word tab=$'\t'
  local -a before values shown
  before=("${$}{(@Q)words[2,CURRENT-1]}")
  (( CURRENT > 2 )) || before=()
  answer="$(command looper __complete zsh -- "${$}{before[@]}" "${$}{(Q)PREFIX}" 2>/dev/null </dev/null)"
  for line in "${$}{(@f)answer}"; do
    word="${$}{line%%$tab*}"
    [[ -n $word ]] || continue
    values+=("$word")
    shown+=("$word  -- ${$}{line#*$tab}")
  done
  if (( ${$}{#values} )); then
    compadd -V looper -l -d shown -a -- values
  else
    _files
  fi
}
if [[ "${$}{funcstack[1]}" == _looper ]]; then
  _looper "$@"
elif (( ${$}{+functions[compdef]} )); then
  compdef _looper looper
fi
`;

const FISH = String.raw`# fish completion for looper
function __looper_complete
    set -l before (commandline -opc)
    set -e before[1]
    set -l typed (commandline -ct)
    set -l current (string unescape -- "$typed")
    test (count $current) -eq 1; or set current "$typed"
    set -l lines (command looper __complete fish -- $before "$current" 2>/dev/null </dev/null)
    if test (count $lines) -gt 0
        printf '%s\n' $lines
    else
        __fish_complete_path "$current"
    end
end
complete -c looper -e
complete -c looper -f -k -a '(__looper_complete)'
`;

/** Each runs the `looper` on PATH. */
export const SCRIPTS: Readonly<Record<CompletedShell, string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
};
