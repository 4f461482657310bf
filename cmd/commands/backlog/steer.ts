// A person's commands to a task in a workflow: `pause`, `resume`, `steer`, `complete`. Leaves the rules to
// src/todo/change/person-answers.ts.
import { given } from "../../../src/system/given.js";
import {
  completeTask,
  pauseTask,
  resumeTask,
  steerTask,
  type Person,
} from "../../../src/todo/change/person-answers.js";
import type { PersonEdit } from "../../../src/todo/change/person-edits.js";
import type { EditAnswer } from "../../../src/ui/shapes/backlog.js";
import { textFlag, type Command } from "../../context/command-context.js";
import { personOf } from "../../lookup/name-of-user.js";
import { edit } from "./edit.js";

/** `looper pause ID [-m WHY]` */
export const pause: Command = steering({
  what: "pause a task",
  decide: (id, person, { message }) => pauseTask(id, message, person),
  say: (id, run) =>
    `${id}: paused; ${run === null ? "" : "a job in progress ends first; "}no job starts on it`,
});

/** `looper resume ID` */
export const resume: Command = steering({
  what: "resume a task",
  decide: (id, person) => resumeTask(id, person),
  say: (id) => `${id}: not paused any more`,
});

/** `looper steer ID TEXT` */
export const steer: Command = steering({
  what: "send messages to other agents",
  decide: (id, person, { word }) => steerTask(id, word ?? "", person),
  say: (id) => `${id}: its agent gets the message with the next prompt`,
});

/** `looper complete ID` */
export const complete: Command = steering({
  what: "complete a task",
  decide: (id, person) => completeTask(id, person),
  say: (id, run) =>
    `${id}: complete; ${run === null ? "the next run finishes it" : `run ${run} finishes it after the job in progress`}`,
});

interface Steering {
  /** The action that an agent may not take. */
  what: string;
  decide: (id: string, person: Person, said: { word?: string; message?: string }) => PersonEdit;
  /** `run`: the run in progress. */
  say: (id: string, run: EditAnswer["run"]) => string;
}

function steering({ what, decide, say }: Steering): Command {
  return (context, typed) => {
    const [id = "", word] = typed.operands;
    const said = given({ word, message: textFlag(typed, "--message") });
    return edit(context, typed, {
      decide: decide(id, personOf(context), said),
      say: ({ changed, run }) =>
        changed.length === 0 ? [`${id}: complete already`] : changed.map((one) => say(one.id, run)),
      refused: { what: `an agent of a run may not ${what}`, instead: "report what is left in the summary" },
    });
  };
}
