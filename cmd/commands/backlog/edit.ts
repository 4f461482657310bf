// The editing commands: `add`, `set`, `block`, `todo`, `done`, `rm`. Each describes a change of the newest backlog, which the
// store makes; a run in progress is notified. Leaves parsing assignments to assignment.ts, and the rules to the store.
import { editAnswer } from "../../../src/ui/answers/edit.js";
import type { TrustLine } from "../../../src/config/trust/trust.js";
import { UserError } from "../../../src/system/errors.js";
import { never } from "../../../src/system/never.js";
import type { Result } from "../../../src/system/result.js";
import {
  readAssignment,
  valuesOf,
  type Assignment,
  type AssignmentError,
} from "../../../src/todo/change/assignment.js";
import { planImport } from "../../../src/todo/exchange/import/plan.js";
import { idsAfter } from "../../../src/todo/model/ids.js";
import { withValues, type PersonChange, type TaskEdit } from "../../../src/todo/model/person-change.js";
import { openStore } from "../../../src/todo/store/store.js";
import { TaskId, type Backlog, type Task } from "../../../src/todo/model/task.js";
import type { EditRefusal } from "../../../src/todo/store/writer.js";
import type { EditAnswer } from "../../../src/ui/shapes/backlog.js";
import { plural } from "../../../src/ui/view/amounts.js";
import { stoppedText } from "../../../src/ui/view/stopped-text.js";
import { clean } from "../../../src/ui/text.js";
import { approve } from "../project/approve.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { editBeside } from "./edit-beside.js";
import { taskNamed } from "../../lookup/find-task.js";
import { readImportFile } from "../project/init/backlog.js";
import { hintOfTaskFile, printJson, printLines, projectOf, shownPath } from "../../lookup/project.js";
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
import { refuseAgents } from "../../lookup/under-an-agent.js";

/** A change of the newest backlog. */
type Decide = (backlog: Backlog) => PersonChange[];

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
  const values = valuesOrThrow(BLANK, [
    { key: "priority", how: "=", value: textFlag(typed, "--priority") ?? "3" },
    {
      key: "details",
      how: "=",
      value: details === "-" ? (await context.stdin.readAll()).trim() : (details ?? ""),
    },
    { key: "agent", how: "=", value: agentFlag(typed) ?? "" },
    ...listFlag(typed, "--depends-on").map((value): Assignment => ({ key: "depends_on", how: "+=", value })),
    ...listFlag(typed, "--tag").map((value): Assignment => ({ key: "tags", how: "+=", value })),
    ...listFlag(typed, "--verify").map((value): Assignment => ({ key: "verify", how: "+=", value })),
  ]);
  return edit(context, typed, {
    decide: ({ tasks }) => {
      const next = idsAfter(tasks.map(({ id }) => id));
      return titles.map((title) => ({
        op: "insert",
        task: { ...withValues(BLANK, values), id: next(), title },
      }));
    },
    say: ({ changed }) => changed.filter(({ from }) => from === null).map(({ id }) => id),
    commands: listFlag(typed, "--verify"),
  });
};

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

const BLANK: Task = { id: TaskId.parse("T1"), title: "-", priority: 3, status: "todo" };

/** `looper set ID key=value …` */
export const set: Command = async (context, typed) => {
  const [id = "", ...words] = typed.operands;
  const assignments = await Promise.all(
    words.map((word) => readValue(context, orThrow(readAssignment(word)))),
  );
  return edit(context, typed, {
    decide: (backlog) => {
      const task = taskNamed(backlog.tasks, id);
      return [{ op: "edit", id: task.id, ...valuesOrThrow(task, assignments) }];
    },
    say: () => [`${id}: ${[...new Set(assignments.map(({ key }) => key))].join(", ")}`],
    commands: commandsAmong(assignments),
  });
};

/** The verify commands that were typed, as the task stores them. */
function commandsAmong(assignments: readonly Assignment[]): readonly string[] {
  const typed = assignments.filter(({ key, how }) => key === "verify" && how !== "-=");
  const read = valuesOf(BLANK, typed);
  return read.ok ? (read.value.set.verify ?? []) : [];
}

/** `key=-` reads the value from stdin. */
async function readValue({ stdin }: CommandContext, assignment: Assignment): Promise<Assignment> {
  return assignment.value === "-" ? { ...assignment, value: (await stdin.readAll()).trim() } : assignment;
}

/** `looper block ID WHY` */
export const block: Command = (context, typed) => {
  const [id = "", why = ""] = typed.operands;
  if (!/\S/u.test(why))
    throw new UserError("usage", "no reason is given", 'looper block T3 "waits for the key"');
  return edit(context, typed, {
    decide: (backlog) => [
      {
        op: "edit",
        id: taskNamed(backlog.tasks, id).id,
        set: { status: "blocked", blockers: [why.trim()] },
        clear: [],
      },
    ],
    say: statusLines,
  });
};

/** `looper todo ID …`: still to do. */
export const todo: Command = (context, typed) =>
  edit(context, typed, { decide: toStatus(typed, "todo"), say: statusLines });

/** `looper done ID …`: done by hand. */
export const done: Command = (context, typed) =>
  edit(context, typed, { decide: toStatus(typed, "done"), say: statusLines });

function toStatus({ operands }: Typed, status: "todo" | "done"): Decide {
  return (backlog) =>
    [...new Set(operands)].map((id) => ({
      op: "edit",
      id: taskNamed(backlog.tasks, id).id,
      set: { status },
      clear: ["blockers"],
    }));
}

/** `looper rm ID …` */
export const rm: Command = (context, typed) => {
  const ids = [...new Set(typed.operands)];
  return edit(context, typed, {
    decide: (backlog) => {
      const gone = ids.map((id) => taskNamed(backlog.tasks, id));
      const dependents = backlog.tasks.filter(
        (task) =>
          !gone.includes(task) && task.depends_on?.some((id) => gone.some((one) => one.id === id)) === true,
      );
      if (dependents.length > 0 && !hasFlag(typed, "--force")) throw neededBy(ids, dependents);
      return gone.map(({ id }) => ({ op: "remove", id }));
    },
    say: ({ changed }) => changed.map(({ id }) => `${id}: removed`),
  });
};

function neededBy(ids: readonly string[], dependents: readonly Task[]): UserError {
  const needing = dependents.map(({ id }) => id).join(", ");
  const verb = dependents.length === 1 ? "depends" : "depend";
  const [what, it] = ids.length === 1 ? [ids.join(""), "it"] : [ids.join(", "), "them"];
  return new UserError("no", `${needing} ${verb} on ${what}`, `--force removes ${it} and these dependencies`);
}

interface Wish {
  decide: Decide;
  /** The lines to print. */
  say: (answer: EditAnswer) => string[];
  /** Verify commands that were typed for these tasks. */
  commands?: readonly string[];
}

async function edit(
  context: CommandContext,
  typed: Typed,
  { decide, say, commands = [] }: Wish,
): Promise<CommandOutcome> {
  const { ports } = context;
  await refuseAgents(context, {
    what: "an agent of a run may not edit the backlog",
    instead: "report it in the summary: new_tasks, blockers",
    file: textFlag(typed, "--file"),
  });
  const project = await projectOf(context, { file: textFlag(typed, "--file") });
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

async function refusal(context: CommandContext, file: string, failure: EditRefusal): Promise<UserError> {
  const shown = shownPath(context, file);
  switch (failure.kind) {
    case "unusable":
      return failure.read.kind === "missing"
        ? new UserError(
            "usage",
            `there is no task file ${shown}`,
            await hintOfTaskFile(
              context.ports.files,
              file,
              'create one with `looper init`, or draft one with `looper run --prompt "what to build"`',
            ),
          )
        : new UserError(
            "usage",
            `${shown} is not a valid backlog; nothing was changed`,
            "list the problems with `looper validate`",
          );
    case "refused":
      return new UserError(
        "no",
        failure.refusals.map(({ change, why }) => `${change.op}: ${why}`).join("; "),
      );
    case "invalid": {
      const [first, ...more] = failure.problems;
      const rest = more.length === 0 ? "" : ` (and ${plural(more.length, "more problem")})`;
      return new UserError(
        "usage",
        `${first?.message ?? "not valid"}${rest}`,
        first?.suggestion ?? "nothing was changed",
      );
    }
    default:
      return never(failure);
  }
}

function valuesOrThrow(task: Task, assignments: readonly Assignment[]): TaskEdit {
  return orThrow(valuesOf(task, assignments));
}

function orThrow<T>(result: Result<T, AssignmentError>): T {
  if (result.ok) return result.value;
  throw new UserError("usage", result.error.message, result.error.hint);
}

function linesOf(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
