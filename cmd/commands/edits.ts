// The small edits of the backlog: `looper block`, `done` and `rm`; and `pause`, `resume`, `steer` and
// `complete`, for a task on its way through a workflow.
import { Option } from "commander";
import { completeTask, pauseTask, resumeTask, steerTask } from "../../src/todo/change/person-answers.js";
import { blockTask, removeTasks, setStatus, type PersonEdit } from "../../src/todo/change/person-edits.js";
import type { EditAnswer } from "../../src/ui/shapes/backlog.js";
import { Sentence, TASK, TASKS } from "../context/command.js";
import { kindOfName } from "../../src/config/read/agent-settings.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import { readView } from "../../src/ui/view/read-view.js";
import type { CommandContext } from "../context/command-context.js";
import { edit, EDITING, statusLines, type EditingCommand, type SaidEdit } from "../lookup/edit.js";
import { personOf } from "../lookup/name-of-user.js";
import { projectOf } from "../lookup/project.js";

export const block: EditingCommand<{ id: string; why: string }> = {
  ...EDITING,
  arguments: [TASK, new Sentence("<why>", "the reason", "reason")],
  examples: [
    ['looper block T3 "waits for the key of the test account"', "block T3; tasks that depend on it wait"],
  ],
  answer: (context, request) =>
    edit(context, request, { decide: blockTask(request.id, request.why), say: statusLines }),
};

/** By hand, without checks. */
export const done: EditingCommand<{ ids: readonly string[] }> = {
  ...EDITING,
  arguments: [TASKS],
  examples: [["looper done T3 T4", "mark both as done; tasks that wait for them can start"]],
  answer: (context, request) =>
    edit(context, request, { decide: setStatus(request.ids, "done"), say: statusLines }),
};

export const rm: EditingCommand<{ ids: readonly string[]; force?: boolean }> = {
  ...EDITING,
  arguments: [TASKS],
  options: [new Option("--force", "also remove dependencies of other tasks on them"), ...EDITING.options],
  examples: [
    ["looper rm T7", "remove T7, unless another task depends on it"],
    ["looper rm T3 --force", "remove T3 and every dependency on it"],
  ],
  answer: (context, request) =>
    edit(context, request, {
      decide: removeTasks(request.ids, { force: request.force === true }),
      say: ({ changed }) => changed.map(({ id }) => `${id}: removed`),
    }),
};

type Said = (id: string, run: EditAnswer["run"]) => string;

/** An edit of a task on its way through a workflow. `run`: the one in progress. */
function steerBy(
  context: CommandContext,
  request: { id: string; file?: string },
  { what, decide, say }: { what: string; decide: PersonEdit; say: Said },
): Promise<SaidEdit> {
  return edit(context, request, {
    decide,
    say: ({ changed, run }) =>
      changed.length === 0 ? [`${request.id}: complete already`] : changed.map((one) => say(one.id, run)),
    refused: [what, "report what is left in the summary"],
  });
}

/** Starts no more jobs on the task. */
export const pause: EditingCommand<{ id: string; message?: string }> = {
  ...EDITING,
  arguments: [TASK],
  options: [new Option("-m, --message <text>", "why"), ...EDITING.options],
  examples: [['looper pause T3 -m "legal looks at it"', "leave T3 out until `looper resume T3`"]],
  answer: (context, request) =>
    steerBy(context, request, {
      what: "pause a task",
      decide: pauseTask(request.id, request.message, personOf(context)),
      say: (id, run) =>
        `${id}: paused; ${run === null ? "" : "a job in progress ends first; "}no job starts on it`,
    }),
};

export const resume: EditingCommand<{ id: string }> = {
  ...EDITING,
  arguments: [TASK],
  examples: [["looper resume T3", "a run may take T3 again"]],
  answer: (context, request) =>
    steerBy(context, request, {
      what: "resume a task",
      decide: resumeTask(request.id, personOf(context)),
      say: (id) => `${id}: not paused any more`,
    }),
};

/** Sends a message to the task's agent. */
export const steer: EditingCommand<{ id: string; text: string }> = {
  ...EDITING,
  arguments: [TASK, new Sentence("<text>", "the message", "message")],
  examples: [['looper steer T3 "use the new client"', "the next prompt of T3 has the message"]],
  answer: async (context, request) => {
    const when = await describeDelivery(context, request);
    return steerBy(context, request, {
      what: "send messages to other agents",
      decide: steerTask(request.id, request.text, personOf(context)),
      say: (id) => `${id}: its agent gets the message ${when}`,
    });
  },
};

/** The kinds of agents whose session cannot be resumed. */
const WITHOUT_SESSION: readonly string[] = ["command", "module", "scripted"];

/** When the agent of a task gets a message: it depends on the agent that works on it now, if one does. */
async function describeDelivery(context: CommandContext, { id, file }: { id: string; file?: string }) {
  const { ports } = context;
  const project = await projectOf(context, { file, quiet: true });
  const live = await findLiveRun(ports, project);
  const current = live === undefined ? undefined : (await readView(ports, live.folder)).current;
  const isAtIt = current !== undefined && current.taskId?.toLowerCase() === id.toLowerCase();
  if (!isAtIt) return "with the next prompt";
  if (current.agentEnded)
    return "with the next prompt; its agent has ended its turn: if no prompt follows, the run says so";
  const kind = project.resolved.settings.agents[current.agent]?.kind ?? kindOfName(current.agent) ?? "";
  if (kind === "chapo") return "before its model's next request";
  return WITHOUT_SESSION.includes(kind)
    ? `with the next prompt; ${current.agent} works now and takes none before: if no prompt follows, the run says so`
    : `when ${current.agent} ends its turn, in the same session`;
}

/** Ends the workflow of the task, and delivers its work. */
export const complete: EditingCommand<{ id: string }> = {
  ...EDITING,
  arguments: [TASK],
  examples: [["looper complete T3", "the job in progress ends, then T3 is finished"]],
  answer: (context, request) =>
    steerBy(context, request, {
      what: "complete a task",
      decide: completeTask(request.id, personOf(context)),
      say: (id, run) =>
        `${id}: complete; ${run === null ? "the next run finishes it" : `run ${run} finishes it after the job in progress`}`,
    }),
};
