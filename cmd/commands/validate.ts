// `looper validate [file]`: lists every problem in file order.
import path from "node:path";
import { Option } from "commander";
import { describeWorkFolder } from "../../src/config/project/project.js";
import { checkBacklog, type CheckResult } from "../../src/todo/check/check.js";
import type { Problem } from "../../src/todo/model/problem.js";
import { withoutMarker } from "../../src/todo/model/select.js";
import { validateAnswer } from "../../src/ui/answers/backlog/validate.js";
import { coloursFor, type Colours } from "../../src/ui/colours.js";
import { clean, cut } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import { FILE, JSON_OPTION, type AnsweringCommand, type CommandAnswer } from "../context/command.js";
import { checkOptionsOf } from "../lookup/check-options.js";
import { readRoot } from "../lookup/read-tasks.js";
import { printLines, projectOf, readNamedFile, shownPath } from "../lookup/project.js";

interface Answer extends CommandAnswer {
  checked: CheckResult;
  file: string;
  note: string | undefined;
}

export const command: AnsweringCommand<{ file?: string; schema?: string }, Answer> = {
  arguments: [FILE],
  options: [new Option("--schema <file>", "also validate against this JSON Schema"), JSON_OPTION],
  examples: [
    ["looper validate", "list every problem with line and column"],
    ["looper validate --json", "the same as JSON, for CI; exit code 1 when there are any"],
  ],
  answer: async (context, { file, schema }) => {
    const project = await projectOf(context, { file });
    const own = schema === undefined ? [] : [path.resolve(context.cwd, schema)];
    const options = await checkOptionsOf(context, project, own);
    const bytes = await readNamedFile(context, project.todoFile, "task file");
    const { root, wrong } = await readRoot(context, project, bytes);
    const checked = checkBacklog(bytes, {
      ...options,
      answers: true,
      schema: (value) => [
        ...(options.schema?.(value) ?? []),
        ...(wrong === undefined ? [] : [{ ...WRONG_ROOT, message: wrong.message, suggestion: wrong.hint }]),
      ],
    });
    const problems = problemsOf(checked);
    return {
      json: validateAnswer(problems),
      end: problems.length === 0 ? "ok" : "no",
      checked,
      file: shownPath(context, project.todoFile),
      note: await describeWorkFolder(context.ports.files, project, root),
    };
  },
  print: ({ out }, { checked, file, note }) => {
    const colours = coloursFor(out.colour);
    const lines = problemsOf(checked).flatMap((problem) => problemLines(problem, file, colours));
    return printLines(out, [...lines, lastLine(checked, file), ...(note === undefined ? [] : [clean(note)])]);
  },
};

const WRONG_ROOT = { rule: "bad-value", pointer: "/project/root" } as const;

function problemsOf(checked: CheckResult): readonly Problem[] {
  return checked.kind === "ok" ? [] : checked.problems;
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

function lastLine(checked: CheckResult, file: string): string {
  const shown = clean(file);
  const problems = problemsOf(checked);
  if (problems.length > 0) return `${plural(problems.length, "problem")} in ${shown}`;
  const tasks = checked.kind === "ok" ? withoutMarker(checked.backlog.tasks).length : 0;
  return `${shown} is valid: ${plural(tasks, "task")}`;
}
