// The completion script of each shell: at a Tab it calls `looper __complete` and shows the answer. Pure texts. Leaves the candidates to
// the program, so that an installed script stays valid when commands change.
// Contract: a script never evaluates typed or answered text, and prints nothing when the program is missing or fails.
import { never } from "../../src/system/never.js";
import type { CompletedShell } from "../context/words.js";

/** The script for a shell. It always runs the `looper` on PATH. */
export function scriptFor(shell: CompletedShell): string {
  switch (shell) {
    case "bash":
      return BASH;
    case "zsh":
      return ZSH;
    case "fish":
      return FISH;
    case "powershell":
      return POWERSHELL;
    default:
      return never(shell);
  }
}

/** A dollar sign before a brace that the shell expands. */
const $ = "$";

// From bash 3.2 on, with the package bash-completion or without. Where COMP_LINE is not set, the words make it.
const BASH = String.raw`# bash completion for looper
_looper() {
  local line="${$}{COMP_LINE-}" piece="${$}{COMP_WORDS[COMP_CWORD]-}" before="" word answer head i
  COMPREPLY=()
  if [ -n "$line" ]; then
    line="${$}{line:0:${$}{COMP_POINT:-${$}{#line}}}"
  else
    for ((i = 0; i <= COMP_CWORD; i++)); do
      word="${$}{COMP_WORDS[i]-}"
      case "$i,$before,$word" in
        0,* | *,[=:],* | *,[=:]) line="$line$word" ;;
        *) line="$line $word" ;;
      esac
      before="$word"
    done
  fi
  case "$piece" in [=:]) piece="" ;; esac
  if [ "$#" -ge 2 ]; then piece="$2"; fi
  answer="$(command looper __complete bash -- "$line" "$piece" 2>/dev/null </dev/null)" || return 0
  {
    IFS= read -r head
    while IFS= read -r word; do COMPREPLY+=("$word"); done
  } <<<"$answer"
  {
    compopt -o nosort
    case " $head " in *" more "*) compopt -o nospace ;; esac
    case "$head" in
      files*) ;;
      folders*) compopt +o default -o dirnames ;;
      *) compopt +o default ;;
    esac
  } 2>/dev/null
  return 0
}
complete -o default -F _looper looper
`;

const ZSH = String.raw`#compdef looper
# zsh completion for looper
_looper() {
  local answer head line word says tab=$'\t' found=1
  local -a words_before lines values shown behind
  words_before=("${$}{(@Q)words[2,CURRENT-1]}")
  (( CURRENT > 2 )) || words_before=()
  answer="$(command looper __complete zsh -- "${$}{words_before[@]}" "${$}{(Q)PREFIX}" 2>/dev/null </dev/null)"
  lines=("${$}{(@f)answer}")
  head="${$}{lines[1]}"
  for line in "${$}{(@)lines[2,-1]}"; do
    word="${$}{line%%$tab*}"
    says="${$}{line#*$tab}"
    [[ -n $word ]] || continue
    values+=("$word")
    shown+=("$word${$}{says:+  -- $says}")
  done
  [[ " $head " == *" more "* ]] && behind=(-S '')
  if (( ${$}{#values} )); then
    if [[ "${$}{(j::)shown}" == *"  -- "* ]]; then
      compadd -l -V looper -d shown "${$}{behind[@]}" -a -- values && found=0
    else
      compadd -V looper "${$}{behind[@]}" -a -- values && found=0
    fi
  fi
  [[ " $head " == *" after "* ]] && compset -P '*='
  case "$head" in
    files*) _files && found=0 ;;
    folders*) _files -/ && found=0 ;;
  esac
  return found
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
    set -l head "$lines[1]"
    set -e lines[1]
    test (count $lines) -gt 0; and printf '%s\n' $lines
    string match -qr '^(files|folders)' -- "$head"; or return 0
    set -l lead ""
    if string match -q '* after*' -- "$head"
        set lead (string replace -r '=.*' '=' -- "$current")
        set current (string replace -r '^[^=]*=' '' -- "$current")
    end
    if string match -q 'folders*' -- "$head"
        for path in (__fish_complete_directories "$current" "")
            printf '%s\n' "$lead$path"
        end
    else
        for path in (__fish_complete_path "$current")
            printf '%s\n' "$lead$path"
        end
    end
end
complete -c looper -e
complete -c looper -f -k -a '(__looper_complete)'
`;

// Words are passed as base64, because cmd shims and PowerShell before 7.3 lose quotation marks and empty words.
const POWERSHELL = String.raw`# PowerShell completion for looper
Register-ArgumentCompleter -Native -CommandName @('looper', 'looper.cmd', 'looper.exe', 'looper.ps1') -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    $current = ''
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        $from = $element.Extent.StartOffset
        if ($from -ge $cursorPosition) { break }
        $text = $element.Extent.Text
        $isConstant = $element -is [System.Management.Automation.Language.StringConstantExpressionAst]
        if ($element.Extent.EndOffset -ge $cursorPosition) {
            $current = $text.Substring(0, $cursorPosition - $from).TrimStart([char[]]@("'", '"'))
        } elseif ($isConstant) {
            $words += $element.Value
        } else {
            $words += $text
        }
    }
    $all = [string]::Join([char]0, [string[]](@($words) + @($current)))
    $sent = [Convert]::ToBase64String([System.Text.Encoding]::UTF8.GetBytes($all))
    $program = Get-Command -Name looper -CommandType @("Application", "ExternalScript") -ErrorAction SilentlyContinue | Select-Object -First 1
    if ($null -eq $program) { return }
    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        $lines = @(& $program __complete powershell -- $sent 2>$null)
    } catch {
        $lines = @()
    } finally {
        [Console]::OutputEncoding = $encoding
    }
    $head = "$($lines | Select-Object -First 1)"
    # The text before the replaced part stays.
    $kept = 0
    if ("$wordToComplete".Length -lt $current.Length) { $kept = $current.Length - "$wordToComplete".Length }
    $found = 0
    foreach ($line in @($lines | Select-Object -Skip 1)) {
        $word, $says = "$line".Split([char]9, 2)
        if ($word.Length -le $kept) { continue }
        $text = $word.Substring($kept)
        if ($text -notmatch '^[\w./:=%+-]+$') { $text = "'" + ($text -replace "['‘’‚‛]", '$0$0') + "'" }
        if (-not $says) { $says = $word }
        $found++
        [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $says)
    }
    # Nothing at all would make it offer files.
    if ($found -eq 0 -and $head -notmatch '^(files|folders)') { '' }
}
`;
