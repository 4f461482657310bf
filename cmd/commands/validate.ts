// `looper validate [file]`: lists every problem in file order.
import path from "node:path";
import { Option } from "commander";
import { describeWorkFolder } from "../../src/config/project/project.js";
import { checkBacklog, type CheckResult } from "../../src/todo/check/check.js";
import type { Problem } from "../../src/todo/model/problem.js";
import { withoutMarker } from "../../src/todo/model/select.js";
import { validateAnswer } from "../../src/ui/answers/backlog/edit.js";
import { coloursFor, type Colours } from "../../src/ui/colours.js";
import { clean, cut } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import { FILE, JSON_OPTION, type AnsweringCommand } from "../context/command.js";
import { checkOptionsOf, readRoot } from "../lookup/read-tasks.js";
import { projectOf, readNamedFile, shownPath } from "../lookup/project.js";

export const command: AnsweringCommand<{ file?: string; schema?: string }> = {
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
    const problems = checked.kind === "ok" ? [] : checked.problems;
    const shown = shownPath(context, project.todoFile);
    const colours = coloursFor(context.out.colour);
    const work = await describeWorkFolder(context.ports.files, project, root);
    return {
      json: validateAnswer(problems),
      end: problems.length === 0 ? "ok" : "no",
      lines: [
        ...problems.flatMap((problem) => problemLines(problem, shown, colours)),
        lastLine(checked, clean(shown)),
        ...(work === undefined ? [] : [clean(work)]),
      ],
    };
  },
};

const WRONG_ROOT = { rule: "bad-value", pointer: "/project/root" } as const;

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
  if (checked.kind !== "ok" && checked.problems.length > 0)
    return `${plural(checked.problems.length, "problem")} in ${file}`;
  const tasks = checked.kind === "ok" ? withoutMarker(checked.backlog.tasks).length : 0;
  return `${file} is valid: ${plural(tasks, "task")}`;
}
