#!/bin/sh
# The agent of the torture: does each task as its behaviour says. Builtins only, as far as can be: it is started thousands of times.
# $1: "T1=done T2=retry …". $2: a file that gets a line for all that was written, once it is written: token, then path. $3: seconds
# it takes after that.
token="$LOOPER_PHASE-$LOOPER_TASK_ID-$LOOPER_RUN_ID-$LOOPER_ITERATION-$$"

keep() {
  printf '%s\n' "$token" >"$1"
  printf '%s %s\n' "$token" "$1" >>"$journal"
  [ -z "$pause" ] || sleep "$pause"
}
report() {
  printf '{"task_id": "%s", "status": "%s", "summary": "%s"%s}\n' "$LOOPER_TASK_ID" "$1" "$token" "$2"
}

# A process in a session of its own, deaf to all but SIGKILL.
leave_behind() {
  setsid sh -c 'trap "" TERM INT HUP; sleep 1000' </dev/null >/dev/null 2>&1 &
}

# Beside the project: a run that is killed and begun again counts attempts anew, and what was blocked is tried once only.
first_time() {
  [ -e "../tried-$LOOPER_TASK_ID" ] && return 1
  : >"../tried-$LOOPER_TASK_ID"
}

journal=$2
pause=$3
if [ "$LOOPER_PHASE" = review ]; then
  printf '{"task_id": null, "status": "reviewed", "new_tasks": []}\n'
  exit 0
fi
# Repairs nothing: what a person has saved by halves is whole a moment later.
[ "$LOOPER_PHASE" = iteration ] || exit 0
# A task without a name here was added by an agent.
behaviour=done
for pair in $1; do
  [ "${pair%%=*}" = "$LOOPER_TASK_ID" ] && behaviour=${pair#*=}
done
case $behaviour in
done)
  keep "$token.txt"
  printf '%s\n' "$LOOPER_TASK_ID" >>shared.txt
  report done
  ;;
nothing)
  report done
  ;;
retry)
  keep "$token.txt"
  first_time && exit 1
  report done
  ;;
gate)
  # The file the gate looks for: left behind by the first attempt, taken away by the second.
  keep "$token.txt"
  leave_behind
  if first_time; then : >broken; else rm -f broken; fi
  report done
  ;;
breaks)
  # The file the gate looks for, every time.
  : >broken
  keep "$token.txt"
  report done
  ;;
blocked)
  keep "$token.txt"
  printf 'unfinished\n' >>shared.txt
  report blocked ', "blockers": ["a person must decide"]'
  ;;
never)
  keep "$token.txt"
  exit 1
  ;;
adds)
  keep "$token.txt"
  report done ', "new_tasks": [{"title": "Follow-up of '"$LOOPER_TASK_ID"'"}]'
  ;;
orphan)
  keep "$token.txt"
  leave_behind
  report done
  ;;
commits)
  keep "$token.txt"
  git add "$token.txt" && git -c user.name=Agent -c user.email=agent@example.org commit -q -m "of its own" -- "$token.txt"
  report done
  ;;
removes)
  keep "$token.txt"
  rm -f "old-$LOOPER_TASK_ID.txt"
  report done
  ;;
esac
