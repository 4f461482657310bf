// The edits of the backlog: `looper set`, `block`, `todo`, `done`, `accept` and `rm`; and `pause`, `resume`,
// `steer` and `complete`, for a task on its way through a workflow. Leaves the rules to src/todo/change.
import { Argument, Option } from "commander";
import { kindOfName } from "../../src/config/read/agent-settings.js";
import type { Project } from "../../src/config/project/open-project.js";
import { workflowPlaces } from "../../src/config/workflows/find-workflows.js";
import { loadWorkflow } from "../../src/config/workflows/load-workflow.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import { usageError } from "../../src/system/errors.js";
import { hintOn } from "../../src/system/text/nearest.js";
import {
  completeTask,
  pauseTask,
  restartTask,
  resumeTask,
  steerTask,
} from "../../src/todo/change/person-answers.js";
import {
  acceptTasks,
  blockTask,
  listVerifyCommands,
  readAssignment,
  removeTasks,
  requireTask,
  setStatus,
  setValues,
  type PersonEdit,
  type WaitsOn,
} from "../../src/todo/change/person-edits.js";
import { isMarker } from "../../src/todo/model/select.js";
import { isVerified } from "../../src/todo/model/verified.js";
import type { Task } from "../../src/todo/model/task.js";
import { quoteIfNeeded } from "../../src/shell/quote.js";
import type { EditAnswer } from "../../src/ui/shapes/backlog.js";
import { readFound } from "../../src/ui/view/read-doubts.js";
import { readView } from "../../src/ui/view/read-view.js";
import { Sentence, TASK, TASKS } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { edit, EDITING, type EditingCommand, type SaidEdit } from "../lookup/edit.js";
import { personOf } from "../lookup/caller.js";
import { projectOf } from "../lookup/project.js";
import { readTasks } from "../lookup/read-tasks.js";

export const set: EditingCommand<{ id: string; assignments: readonly string[] }> = {
  ...EDITING,
  arguments: [
    TASK,
    new Argument("<assignments...>", "key=value; lists: += and -=; key= removes; key=- reads stdin"),
  ],
  examples: [
    ["looper set T3 priority=1 tags+=urgent", "make T3 urgent and add a tag"],
    [
      'looper set T3 depends-on=T1,T2 steps+="write the test" agent=',
      "replace its dependencies, add a step, allow any agent",
    ],
  ],
  answer: async (context, { id, assignments: words, file }) => {
    const assignments = await Promise.all(
      words.map(async (word) => {
        const read = readAssignment(word);
        return read.value === "-" ? { ...read, value: (await context.stdin.readAll()).trim() } : read;
      }),
    );
    const workflow = assignments.findLast(({ key }) => key === "workflow");
    return edit(
      context,
      { file },
      {
        decide: setValues(id, assignments),
        say: ({ tasks }) => [
          `${id}: ${[...new Set(assignments.map(({ key }) => key))].join(", ")}`,
          ...(workflow === undefined ? [] : tasks.flatMap(halfWayLines)),
        ],
        commands: listVerifyCommands(assignments),
        workflow: { names: [workflow?.value], namedBy: "workflow=" },
      },
    );
  },
};

/** A task that is half-way through a workflow finishes that one; one that is done or was given up does not. */
function halfWayLines({ id, status, workflow, progress }: Task): string[] {
  if (status === "done" || progress === undefined || progress.digest === "") return [];
  if (progress.stage === "block" || progress.workflow === workflow) return [];
  return [
    `it is at ${progress.stage} of ${progress.workflow}, and finishes that first; to begin the other: looper todo ${quoteIfNeeded(id)} --restart`,
  ];
}

export const block: EditingCommand<{ id: string; why: string }> = {
  ...EDITING,
  arguments: [TASK, new Sentence("<why>", "the reason", "reason")],
  examples: [
    ['looper block T3 "waits for the key of the test account"', "block T3; tasks that depend on it wait"],
  ],
  answer: (context, request) =>
    edit(context, request, { decide: blockTask(request.id, request.why), say: statusLines }),
};

export const todo: EditingCommand<{ ids: readonly string[]; restart?: boolean; stage?: string }> = {
  ...EDITING,
  arguments: [TASKS],
  options: [
    new Option("--restart", "begin their workflow again, and keep its outputs"),
    new Option("--stage <stage>", "with --restart: begin at this stage, with the work so far"),
    ...EDITING.options,
  ],
  examples: [
    ["looper todo T3", "reopen T3 after its blockers are settled"],
    ["looper todo T3 --restart", "begin the workflow of T3 again"],
    ["looper todo T3 --restart --stage plan", "begin it again at the stage plan"],
  ],
  answer: async (context, request) => {
    const { stage, file } = request;
    if (request.restart !== true) {
      if (stage !== undefined) throw usageError("--stage is for --restart", "leave it out, or add --restart");
      return edit(context, request, { decide: setStatus(request.ids, "todo"), say: statusLines });
    }
    const ids = [...new Set(request.ids)];
    if (stage !== undefined) {
      const project = await projectOf(context, { file, quiet: true });
      for (const id of ids) await mustHaveStage(context, project, { id, stage });
    }
    const person = personOf(context);
    return edit(context, request, {
      decide: (backlog) => ids.flatMap((id) => restartTask(id, stage, person)(backlog)),
      say: ({ tasks }) =>
        tasks.map(({ id }) => `${id}: begins again${stage === undefined ? "" : ` at ${stage}`}`),
    });
  },
};

/** A `usage` error where the task's workflow has no such stage. */
async function mustHaveStage(
  context: CommandContext,
  project: Project,
  { id, stage }: { id: string; stage: string },
): Promise<void> {
  const { tasks } = await readTasks(context, project);
  const { progress, workflow } = requireTask(tasks, id);
  const begun = progress === undefined || progress.digest === "" ? undefined : progress.workflow;
  const name = begun ?? workflow ?? project.resolved.settings.workflow;
  const places = workflowPlaces({ ...context, project });
  const namedBy = begun === undefined && workflow === undefined ? "the setting workflow" : `task ${id}`;
  const { reading } = await loadWorkflow(context.ports.files, places, { name, namedBy });
  const stages = Object.keys(reading.workflow.stages);
  if (stages.includes(stage)) return;
  throw usageError(
    `the workflow ${name} has no stage ${stage}`,
    hintOn(stage, stages, `its stages are ${stages.join(", ")}`),
  );
}

function statusLines({ changed }: EditAnswer): string[] {
  return changed.map(({ id, from, to }) =>
    from === to ? `${id}: ${to ?? ""}, as before` : `${id}: ${from ?? ""} → ${to ?? ""}`,
  );
}

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

/** A person's word that done tasks count as verified, though their checks do not prove it. */
export const accept: EditingCommand<{ ids: readonly string[] }> = {
  ...EDITING,
  arguments: [TASKS],
  examples: [["looper accept T3 T7", "accept both, and all that only waited for them"]],
  refused: ["accept tasks", "report why the task needs its change in the summary: changes_checks"],
  answer: async (context, request) => {
    const waitsOn = await readWaits(context, await projectOf(context, { file: request.file, quiet: true }));
    return edit(context, request, {
      decide: acceptTasks(request.ids, { by: personOf(context).by, waitsOn }),
      say: ({ changed }) =>
        changed.map(({ id }) =>
          request.ids.includes(id)
            ? `${id}: accepted, so it is verified`
            : `${id}: verified too, since it only waited for these`,
        ),
      // A run compares attempts with what was trusted when it began, so nothing is accepted meanwhile.
      alone: "accept tasks",
    });
  },
};

/** Reads from the logs which tasks that are not verified wait only for others. */
async function readWaits(context: CommandContext, project: Project): Promise<WaitsOn> {
  const { tasks } = await readTasks(context, project);
  const open = tasks.filter((task) => task.status === "done" && !isVerified(task) && !isMarker(task));
  const ids = open.map(({ id }) => id);
  const found = await readFound(context.ports, project, ids);
  return (id) => found.get(id)?.look ?? [];
}

/** An edit of a task on its way through a workflow. `run`: the one in progress. */
function steerBy(
  context: CommandContext,
  request: { id: string; file?: string },
  decide: PersonEdit,
  say: (id: string, run: EditAnswer["run"]) => string,
): Promise<SaidEdit> {
  return edit(context, request, {
    decide,
    say: ({ changed, run }) =>
      changed.length === 0 ? [`${request.id}: complete already`] : changed.map((one) => say(one.id, run)),
  });
}

/** Starts no more jobs on the task. */
export const pause: EditingCommand<{ id: string; message?: string }> = {
  ...EDITING,
  arguments: [TASK],
  options: [new Option("-m, --message <text>", "why"), ...EDITING.options],
  examples: [['looper pause T3 -m "legal looks at it"', "leave T3 out until `looper resume T3`"]],
  answer: (context, request) =>
    steerBy(
      context,
      request,
      pauseTask(request.id, request.message, personOf(context)),
      (id, run) =>
        `${id}: paused; ${run === null ? "" : "a job in progress ends first; "}no job starts on it`,
    ),
};

export const resume: EditingCommand<{ id: string }> = {
  ...EDITING,
  arguments: [TASK],
  examples: [["looper resume T3", "a run may take T3 again"]],
  answer: (context, request) =>
    steerBy(
      context,
      request,
      resumeTask(request.id, personOf(context)),
      (id) => `${id}: not paused any more`,
    ),
};

/** Sends a message to the task's agent. */
export const steer: EditingCommand<{ id: string; text: string }> = {
  ...EDITING,
  arguments: [TASK, new Sentence("<text>", "the message", "message")],
  examples: [['looper steer T3 "use the new client"', "the next prompt of T3 has the message"]],
  answer: async (context, request) => {
    const when = await describeDelivery(context, request);
    const decide = steerTask(request.id, request.text, personOf(context));
    return steerBy(context, request, decide, (id) => `${id}: its agent gets the message ${when}`);
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
    steerBy(
      context,
      request,
      completeTask(request.id, personOf(context)),
      (id, run) =>
        `${id}: complete; ${run === null ? "the next run finishes it" : `run ${run} finishes it after the job in progress`}`,
    ),
};
