// The answer of `add`, `set`, `block`, `todo`, `done`, `rm` and `accept` with --json. Pure. Leaves the change to src/todo/change, and
// making it beside a run to cmd/lookup/edit.ts.
import type { StoppedAttempt } from "../../../logging/events/told-events.js";
import type { Applied } from "../../../todo/model/changes/change.js";
import type { Task } from "../../../todo/model/task.js";
import type { EditAnswer } from "../../shapes/backlog.js";
import { rescueName } from "../../view/words/stopped-text.js";

/** A change that was made. `tasks`: the newest backlog; `run`: the run in progress that knows of it. */
export function editAnswer(
  file: string,
  made: { updated: Applied["updated"]; run?: string; stopped: readonly StoppedAttempt[] },
  tasks: readonly Task[],
): EditAnswer {
  const changed = made.updated.map(({ id, from = null, to = null }) => ({ id, from, to }));
  return {
    file,
    changed,
    tasks: tasks.filter(({ id }) => changed.some((one) => one.id === id)),
    run: made.run ?? null,
    stopped: made.stopped.map(toAnswer),
  };
}

function toAnswer({ task_id, agent, attempt, kept, rescue }: StoppedAttempt): EditAnswer["stopped"][number] {
  return {
    task: task_id,
    agent: agent ?? null,
    attempt: attempt ?? null,
    kept,
    rescue: rescue === undefined ? null : rescueName(rescue),
  };
}
