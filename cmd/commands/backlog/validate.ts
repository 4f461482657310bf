import path from "node:path";
import { describeWorkFolder } from "../../../src/config/project/work-folder.js";
import { checkBacklog, type CheckResult } from "../../../src/todo/check/check.js";
import type { Problem } from "../../../src/todo/model/problem.js";
import { withoutMarker } from "../../../src/todo/model/select.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import { validateAnswer } from "../../../src/ui/answers/backlog/validate.js";
import { coloursFor, type Colours } from "../../../src/ui/colours.js";
import { clean, cut } from "../../../src/ui/text.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { printJson, printLines, projectOf, readNamedFile, shownPath } from "../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

/** `looper validate [file]`: lists every problem in file order. */
export async function validate(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const project = await projectOf(context, { file: typed.operands[0] });
  const own = textFlag(typed, "--schema");
  const options = await checkOptionsOf(
    context,
    project,
    own === undefined ? [] : [path.resolve(context.cwd, own)],
  );
  const checked = checkBacklog(await readNamedFile(context, project.todoFile, "task file"), {
    ...options,
    answers: true,
  });
  const problems = checked.kind === "ok" ? [] : checked.problems;
  const answer = validateAnswer(problems);
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else {
    const colours = coloursFor(context.out.colour);
    const file = shownPath(context, project.todoFile);
    const lines = problems.flatMap((problem) => problemLines(problem, file, colours));
    const root = checked.kind === "ok" ? checked.backlog.project?.root : undefined;
    const note = await describeWorkFolder(context.ports.files, project, root);
    await printLines(context.out, [
      ...lines,
      lastLine(checked, problems, file),
      ...(note === undefined ? [] : [clean(note)]),
    ]);
  }
  return problems.length === 0 ? "ok" : "no";
}

/** A place that is nested deeply is not shown whole. */
const LONGEST_POINTER = 100;

function problemLines(problem: Problem, file: string, colours: Colours): string[] {
  const { line, column, rule, pointer, message, suggestion } = problem;
  const where = colours.bold(`${clean(file)}:${line}:${column}`);
  const place = pointer === "" ? "" : ` at ${cut(clean(pointer), LONGEST_POINTER)}`;
  const what = `${where} ${clean(message)} ${colours.dim(`(${rule}${place})`)}`;
  return suggestion === null ? [what] : [what, `  ${clean(suggestion)}`];
}

function lastLine(checked: CheckResult, problems: readonly Problem[], file: string): string {
  const shown = clean(file);
  if (problems.length > 0) return `${plural(problems.length, "problem")} in ${shown}`;
  const tasks = checked.kind === "ok" ? withoutMarker(checked.backlog.tasks).length : 0;
  return `${shown} is valid: ${plural(tasks, "task")}`;
}
