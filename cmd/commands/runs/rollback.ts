// `looper rollback ID`: takes back what a task has changed. Leaves the work to src/loop/undo.
import type { ChangeCounts } from "../../../src/loop/undo/change-counts.js";
import { rollback as rollTaskBack } from "../../../src/loop/undo/rollback.js";
import { undo as undoTask } from "../../../src/loop/undo/undo.js";
import { UserError } from "../../../src/system/errors.js";
import { rollbackAnswer } from "../../../src/ui/answers/runs/rollback.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import type { RollbackAnswer } from "../../../src/ui/shapes/work.js";
import { clean } from "../../../src/ui/text.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { nameOfUser } from "../../lookup/name-of-user.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import {
  hasFlag,
  type CommandContext,
  type CommandOutcome,
  type Typed,
} from "../../context/command-context.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";
import { undo } from "./undo.js";

/** Resets the tree to the base of a task that has begun, or undoes a task that is done. */
export async function rollback(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const { ports, env } = context;
  const [id = "", file] = typed.operands;
  await refuseAgents(context, {
    what: "an agent of a run may not roll tasks back",
    instead: "report what is wrong in the summary",
    file,
  });
  const [agreed, json, dryRun] = ["-y", "--json", "--dry-run"].map((flag) => hasFlag(typed, flag));
  if (agreed !== true && dryRun !== true && !context.stdin.isTerminal)
    throw new UserError(
      "usage",
      `cannot roll ${id} back: no terminal to ask on`,
      "confirm with -y, or look first with --dry-run",
    );
  const project = await projectOf(context, { file });
  const check = await checkOptionsOf(context, project);
  const confirm = async (counts: ChangeCounts): Promise<boolean> => {
    if (agreed === true) return true;
    return context.confirm(`Roll back ${id}: ${countLine(counts)}?`, pathLines(counts));
  };
  const who = { by: nameOfUser(env), via: "cli" as const };
  const done = await rollTaskBack(
    ports,
    project,
    { env, check },
    { id, who, dryRun: dryRun === true, confirm },
  );
  if (done.outcome === "done") return rollDoneBack(context, typed, { id, confirm, dryRun: dryRun === true });
  const answer = rollbackAnswer(id, done);
  await print(context, answer, json === true);
  return answer.outcome === "rolled-back" || answer.outcome === "planned" ? "ok" : "no";
}

/** A task that is done: the same question, then `looper undo`. */
async function rollDoneBack(
  context: CommandContext,
  typed: Typed,
  {
    id,
    confirm,
    dryRun,
  }: { id: string; confirm: (counts: ChangeCounts) => Promise<boolean>; dryRun: boolean },
): Promise<CommandOutcome> {
  if (!dryRun && !hasFlag(typed, "-y")) {
    const { ports, env, home } = context;
    const project = await projectOf(context, { file: typed.operands[1] });
    const planned = await undoTask({
      ...{ ports, project, env, home, check: await checkOptionsOf(context, project) },
      ...{ wish: { id, cascade: false, reason: "" }, dryRun: true, trust: false },
      stop: new AbortController().signal,
    });
    if (planned.outcome === "planned") {
      if (!(await confirm(planned.counts))) {
        await context.report({ level: "info", lines: ["nothing was rolled back"] });
        return "no";
      }
    }
  }
  return undo(context, typed, (answer) =>
    answer.outcome === "planned"
      ? [`${clean(id)}: ${countLine(answer)}`, ...pathLines(answer)]
      : [`rolled back ${clean(id)}: ${countLine(answer)}`],
  );
}

function countLine({ created, modified, deleted }: ChangeCounts): string {
  const parts = [
    `${plural(created.length, "file")} created`,
    `${String(modified.length)} modified`,
    ...(deleted.length === 0 ? [] : [`${String(deleted.length)} deleted`]),
  ];
  return parts.join(", ");
}

const MOST_SHOWN = 20;

function pathLines({ created, modified, deleted }: ChangeCounts): string[] {
  const all = [
    ...created.map((path) => `  + ${clean(path)}`),
    ...modified.map((path) => `  ~ ${clean(path)}`),
    ...deleted.map((path) => `  - ${clean(path)}`),
  ];
  const more = all.length - MOST_SHOWN;
  return more > 0 ? [...all.slice(0, MOST_SHOWN), `  and ${String(more)} more`] : all;
}

async function print(context: CommandContext, answer: RollbackAnswer, json: boolean): Promise<void> {
  for (const text of answer.warnings)
    await context.report({ level: "warn", lines: [`looper: ${clean(text)}`] });
  if (json) return printJson(context, answer);
  const { task, rescue } = answer;
  const name = clean(task);
  switch (answer.outcome) {
    case "nothing":
      return context.report({
        level: "error",
        lines: [`looper: ${name} has changed nothing that could be rolled back`],
      });
    case "declined":
      return context.report({ level: "info", lines: ["nothing was rolled back"] });
    case "foreign":
      return context.report({
        level: "error",
        lines: [
          `looper: nothing was rolled back: others changed the same paths since ${name} did`,
          ...answer.paths.map((path) => `  ${clean(path)}`),
        ],
      });
    case "planned":
      return printLines(context.out, [`${name}: ${countLine(answer)}`, ...pathLines(answer)]);
    case "rolled-back":
      return printLines(context.out, [
        `rolled back ${name}: ${countLine(answer)}`,
        ...(rescue === undefined ? [] : [`  its work is kept: looper rescue show ${clean(rescue)}`]),
      ]);
    default:
      return undefined;
  }
}
