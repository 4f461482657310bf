// The editing commands: `add`, `set`, `block`, `todo`, `done`, `rm`. Each has the store change the newest backlog, and a run in
// progress is notified. Leaves the changes to src/todo/change/person-edits.ts, and the rules to the store.
import { editAnswer } from "../../../src/ui/answers/backlog/edit.js";
import type { TrustLine } from "../../../src/config/trust/trust.js";
import { UserError } from "../../../src/system/errors.js";
import { readAssignment, type Assignment } from "../../../src/todo/change/assignment.js";
import {
  blockTask,
  insertTasks,
  listVerifyCommands,
  orThrow,
  removeTasks,
  setStatus,
  setValues,
  type PersonEdit,
} from "../../../src/todo/change/person-edits.js";
import { restartTask } from "../../../src/todo/change/person-answers.js";
import { planImport } from "../../../src/todo/exchange/import/plan.js";
import { openStore } from "../../../src/todo/store/store.js";
import type { EditAnswer } from "../../../src/ui/shapes/backlog.js";
import { stoppedText } from "../../../src/ui/view/words/stopped-text.js";
import { clean } from "../../../src/ui/text.js";
import { approve } from "../project/approve.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { editBeside } from "./edit-beside.js";
import { refusal } from "./edit-refusal.js";
import { readTemplate } from "../../lookup/task-templates.js";
import { readImportFile } from "../project/init/backlog.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import {
  agentFlag,
  hasFlag,
  listFlag,
  textFlag,
  type Command,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { personOf } from "../../lookup/name-of-user.js";
import { mustHaveStage } from "../../lookup/workflows/workflow-stage.js";
import { mustKnowWorkflow } from "../../lookup/workflows/known-workflow.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";

/** `looper add TITLE`: adds a task; `-`: one per line of stdin. Prints the ids. */
export const add: Command = async (context, typed) => {
  const from = textFlag(typed, "--import");
  if (from !== undefined) return addImported(context, typed, from);
  const [word = ""] = typed.operands;
  const details = textFlag(typed, "--details");
  if (word === "-" && details === "-")
    throw new UserError(
      "usage",
      "stdin holds either the titles or the details",
      "give one of them as a word",
    );
  const titles = word === "-" ? linesOf(await context.stdin.readAll()) : [word.trim()];
  if (titles.length === 0 || titles.includes(""))
    throw new UserError(
      "usage",
      "a task without a title",
      'say what is to be done: looper add "fix the date"',
    );
  const set = (key: Assignment["key"], value: string | undefined): Assignment[] =>
    value === undefined ? [] : [{ key, how: "=", value }];
  const assignments: Assignment[] = [
    ...set("priority", "3"),
    ...(await readTemplate(context, typed)),
    ...set("priority", textFlag(typed, "--priority")),
    ...set("details", details === "-" ? (await context.stdin.readAll()).trim() : details),
    ...set("agent", agentFlag(typed)),
    ...set("workflow", textFlag(typed, "--workflow")),
    ...listFlag(typed, "--depends-on").map((value): Assignment => ({ key: "depends_on", how: "+=", value })),
    ...listFlag(typed, "--tag").map((value): Assignment => ({ key: "tags", how: "+=", value })),
    ...listFlag(typed, "--verify").map((value): Assignment => ({ key: "verify", how: "+=", value })),
    ...listFlag(typed, "--changes").map((value): Assignment => ({ key: "changes", how: "+=", value })),
  ];
  return edit(context, typed, {
    decide: insertTasks(titles, assignments),
    say: ({ changed }) => changed.filter(({ from }) => from === null).map(({ id }) => id),
    commands: listFlag(typed, "--verify"),
    workflow: workflowOf(typed, assignments),
  });
};

/** The workflow of the new tasks, by a flag or by the template. */
function workflowOf(typed: Typed, assignments: readonly Assignment[]): NonNullable<Wish["workflow"]> {
  const namedBy = textFlag(typed, "--workflow") === undefined ? "--template" : "--workflow";
  return { name: assignments.findLast(({ key }) => key === "workflow")?.value, namedBy };
}

/** `looper add --import FILE`: appends the tasks of a file. */
async function addImported(context: CommandContext, typed: Typed, from: string): Promise<CommandOutcome> {
  const [title] = typed.operands;
  const others = Object.keys(typed.flags).filter((flag) => !["--import", "--file", "--json"].includes(flag));
  const beside = title ?? others[0];
  if (beside !== undefined)
    throw new UserError("usage", `cannot use --import with ${beside}`, "looper add --import FILE");
  const project = await projectOf(context, { file: textFlag(typed, "--file"), quiet: true });
  const { drafted } = await readImportFile(context, project, from);
  let notes: readonly string[] = [];
  const end = await edit(context, typed, {
    decide: ({ tasks }) => {
      const planned = planImport(drafted, tasks);
      ({ notes } = planned);
      return planned.tasks.map((task) => ({ op: "insert", task }));
    },
    say: ({ changed }) => changed.filter(({ from: before }) => before === null).map(({ id }) => id),
  });
  await printLines(
    context.err,
    notes.map((note) => `looper: ${clean(note)}`),
  );
  return end;
}

/** `looper set ID key=value …` */
export const set: Command = async (context, typed) => {
  const [id = "", ...words] = typed.operands;
  const assignments = await Promise.all(
    words.map((word) => readValue(context, orThrow(readAssignment(word)))),
  );
  const workflow = assignments.findLast(({ key }) => key === "workflow");
  return edit(context, typed, {
    decide: setValues(id, assignments),
    say: () => [`${id}: ${[...new Set(assignments.map(({ key }) => key))].join(", ")}`],
    commands: listVerifyCommands(assignments),
    workflow: { name: workflow?.value, namedBy: "workflow=" },
  });
};

/** `key=-` reads the value from stdin. */
async function readValue({ stdin }: CommandContext, assignment: Assignment): Promise<Assignment> {
  return assignment.value === "-" ? { ...assignment, value: (await stdin.readAll()).trim() } : assignment;
}

/** `looper block ID WHY` */
export const block: Command = (context, typed) => {
  const [id = "", why = ""] = typed.operands;
  return edit(context, typed, { decide: blockTask(id, why), say: statusLines });
};

/** `looper todo ID …`: still to do. `--restart`: their workflow begins again, at its first stage or at `--stage`. */
export const todo: Command = async (context, typed) => {
  const stage = textFlag(typed, "--stage");
  if (!hasFlag(typed, "--restart")) {
    if (stage !== undefined)
      throw new UserError("usage", "--stage is for --restart", "leave it out, or add --restart");
    return edit(context, typed, { decide: setStatus(typed.operands, "todo"), say: statusLines });
  }
  const ids = [...new Set(typed.operands)];
  if (stage !== undefined) for (const id of ids) await mustHaveStage(context, typed, { id, stage });
  const person = personOf(context);
  return edit(context, typed, {
    decide: (backlog) => ids.flatMap((id) => restartTask(id, stage, person)(backlog)),
    say: ({ tasks }) =>
      tasks.map(({ id }) => `${id}: begins again${stage === undefined ? "" : ` at ${stage}`}`),
    refused: {
      what: "an agent of a run may not restart a task",
      instead: "report what is left in the summary",
    },
  });
};

/** `looper done ID …`: done by hand. */
export const done: Command = (context, typed) =>
  edit(context, typed, { decide: setStatus(typed.operands, "done"), say: statusLines });

/** `looper rm ID …` */
export const rm: Command = (context, typed) => {
  const force = hasFlag(typed, "--force");
  return edit(context, typed, {
    decide: removeTasks(typed.operands, { force }),
    say: ({ changed }) => changed.map(({ id }) => `${id}: removed`),
  });
};

/** An edit to make. */
export interface Wish {
  decide: PersonEdit;
  /** The lines to print. */
  say: (answer: EditAnswer) => string[];
  /** Verify commands that were typed for these tasks. */
  commands?: readonly string[];
  /** The workflow that was typed; absent or empty: none. */
  workflow?: { name: string | undefined; namedBy: string };
  /** Why an agent is refused, and what it can do instead. */
  refused?: { what: string; instead: string };
}

const REFUSED = {
  what: "an agent of a run may not edit the backlog",
  instead: "report it in the summary: new_tasks, blockers",
};

/** Makes an edit and prints its answer: the one way of every command that edits tasks. */
export async function edit(
  context: CommandContext,
  typed: Typed,
  { decide, say, commands = [], workflow, refused = REFUSED }: Wish,
): Promise<CommandOutcome> {
  const { ports } = context;
  await refuseAgents(context, { ...refused, file: textFlag(typed, "--file") });
  const project = await projectOf(context, { file: textFlag(typed, "--file") });
  if (workflow?.name !== undefined && workflow.name !== "")
    await mustKnowWorkflow(context, project, { ...workflow, name: workflow.name });
  const check = await checkOptionsOf(context, project);
  const store = openStore(ports, project.todoFile, { lockFolder: project.lockDir, check });
  const edited = await editBeside(context, { project, store }, decide);
  if (!edited.ok) throw await refusal(context, project.todoFile, edited.error);
  const { stopped } = edited.value;
  const read = await store.read();
  const answer = editAnswer(project.todoFile, edited.value, read.kind === "ok" ? read.backlog.tasks : []);
  if (commands.length > 0) {
    const isMine = ({ what, value }: TrustLine): boolean =>
      what.startsWith("verify of ") && commands.includes(value);
    await approve(context, { project, tasks: answer.tasks, isMine });
  }
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else {
    const lines = [...say(answer), ...stopped.map(stoppedText).filter((line) => line !== "")];
    await printLines(context.out, lines.map(clean));
  }
  return "ok";
}

function statusLines({ changed }: EditAnswer): string[] {
  return changed.map(({ id, from, to }) =>
    from === to ? `${id}: ${to ?? ""}, as before` : `${id}: ${from ?? ""} → ${to ?? ""}`,
  );
}

function linesOf(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
