# fish completion for looper
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
