#!/bin/sh
# The agent of the torture in the stages of a workflow. Its deeds follow from stage, visit and tree alone, so that a stage that is
# done again after a kill ends as if it had been done once.
# $1: the file with the prompt. Beside the project: `visits` has a line for each start, `wrong` one for each thing that must not be,
# `ask-now` asks the person to answer what is open, `answered` says that they did.
task=$LOOPER_TASK_ID
stage=$LOOPER_STAGE
visit=$LOOPER_VISIT
work=work-$task.txt
did='{"completed": ["write it"], "remaining": []}'

if [ "$LOOPER_PHASE" = review ]; then
  printf '{"task_id": null, "status": "reviewed", "new_tasks": []}\n'
  exit 0
fi
printf '%s.%s %s\n' "$task" "$visit" "$stage" >>../visits

wrong() {
  printf '%s.%s %s: %s\n' "$task" "$visit" "$stage" "$1" >>../wrong
}
report() {
  printf '{"task_id": "%s", "status": "done", "summary": "%s", "outcome": "%s", "output": %s}\n' "$task" "$stage" "$1" "$2"
}
# A line of this visit, once.
add() {
  grep -qsx "$stage $visit" "$work" || printf '%s %s\n' "$stage" "$visit" >>"$work"
}
needs() {
  [ -e "$1" ] || wrong "$1 is missing"
}
hears() {
  grep -qs "$1" "$prompt" || wrong "the prompt does not have the person's $1"
}

prompt=$1
for other in work-*.txt tests/T*.sh; do
  case $other in
  *'*'* | *"$task".* | *"$task"-*) ;;
  *) git cat-file -e "HEAD:$other" 2>/dev/null || wrong "$other of another task is in the tree" ;;
  esac
done
# The second task waits in its first stage until the person has answered the question of the first one.
if [ "$task.$visit" = T2.1 ] && [ "$stage" != implement ] && [ ! -e ../answered ]; then
  : >../ask-now
  waited=0
  while [ ! -e ../answered ] && [ $waited -lt 600 ]; do
    sleep 0.05
    waited=$((waited + 1))
  done
fi
case $stage in
clarify)
  report clear '{"status": "clear", "questions": [], "clarified_query": "write it"}'
  ;;
plan)
  [ "$visit" -gt 2 ] && hears REMARK
  report done '{"summary": "One file", "steps": ["write it"], "items": ["write it"]}'
  ;;
implement | execute)
  add
  report done "$did"
  ;;
review | validate)
  needs "$work"
  echo scribble >reviewed.txt
  if [ "$stage $task.$visit" = "review T1.2" ]; then
    report changes '{"findings": [{"text": "more", "file": "'"$work"'", "line": 1, "severity": "high"}], "failed_items": [], "checked": []}'
  else
    report complete '{"findings": [], "failed_items": [], "checked": ["write it"]}'
  fi
  ;;
red)
  mkdir -p tests
  printf 'grep -qs "^green" %s\n' "$work" >"tests/$task-$visit.sh"
  report done "$did"
  ;;
green | refactor)
  needs "tests/$task-3.sh"
  [ "$stage" = green ] || needs "$work"
  add
  report done "$did"
  ;;
*)
  wrong "a stage without a name"
  ;;
esac
