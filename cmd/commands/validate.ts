import path from "node:path";
import { knownAgents } from "../../src/config/agent-settings.js";
import { UserError } from "../../src/system/errors.js";
import { checkBacklog, type CheckResult } from "../../src/todo/check.js";
import type { Problem } from "../../src/todo/problem.js";
import { compileUserSchema, type UserSchema } from "../../src/todo/user-schema.js";
import { plural } from "../../src/ui/amounts.js";
import type { ValidateAnswer } from "../../src/ui/shapes.js";
import { coloursFor, wantsColour, type Colours } from "../../src/ui/terminal/colours.js";
import { clean } from "../../src/ui/terminal/text.js";
import { printJson, printLines, projectOf, readNamedFile, shownPath } from "../project.js";
import { hasFlag, textFlag, type CommandEnd, type Shell, type Typed } from "../shell.js";

/** `looper validate [file]`: every problem at once, in file order. */
export async function validate(shell: Shell, typed: Typed): Promise<CommandEnd> {
  const project = await projectOf(shell, { file: typed.operands[0] });
  const own = textFlag(typed, "--schema");
  const schemas = [
    project.paths.schemaFile,
    own === undefined ? undefined : path.resolve(shell.cwd, own),
  ].filter((file) => file !== undefined);
  const schema = await readSchemas(shell, schemas);
  const checked = checkBacklog(await readNamedFile(shell, project.todoFile, "task file"), {
    agentNames: knownAgents(project.resolved.settings),
    ...(schema === undefined ? {} : { schema }),
  });
  const problems = checked.kind === "ok" ? [] : checked.problems;
  const answer: ValidateAnswer = { ok: problems.length === 0, problems };
  if (hasFlag(typed, "--json")) await printJson(shell, answer);
  else {
    const colours = coloursFor(wantsColour(shell.env, shell.out.isTerminal));
    const file = shownPath(shell, project.todoFile);
    const lines = problems.flatMap((problem) => problemLines(problem, file, colours));
    await printLines(shell.out, [...lines, lastLine(checked, problems, file)]);
  }
  return problems.length === 0 ? "ok" : "no";
}

async function readSchemas(shell: Shell, files: readonly string[]): Promise<UserSchema | undefined> {
  const schemas = await Promise.all([...new Set(files)].map((file) => readSchema(shell, file)));
  if (schemas.length === 0) return undefined;
  return (value) => schemas.flatMap((schema) => schema(value));
}

async function readSchema(shell: Shell, file: string): Promise<UserSchema> {
  const compiled = compileUserSchema(parse(await readNamedFile(shell, file, "JSON Schema"), file));
  if (compiled.ok) return compiled.value;
  throw new UserError("usage", `${file} is no JSON Schema: ${compiled.error}`, "correct the schema");
}

function parse(bytes: Uint8Array, file: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new UserError("usage", `${file} is not JSON`, "correct the schema", { cause: error });
  }
}

function problemLines(problem: Problem, file: string, colours: Colours): string[] {
  const { line, column, rule, pointer, message, suggestion } = problem;
  const where = colours.bold(`${clean(file)}:${line}:${column}`);
  const what = `${where} ${clean(message)} ${colours.dim(`(${rule}${pointer === "" ? "" : ` at ${clean(pointer)}`})`)}`;
  return suggestion === null ? [what] : [what, `  ${clean(suggestion)}`];
}

function lastLine(checked: CheckResult, problems: readonly Problem[], file: string): string {
  const shown = clean(file);
  if (problems.length > 0) return `${plural(problems.length, "problem")} in ${shown}`;
  const tasks = checked.kind === "ok" ? checked.backlog.tasks.length : 0;
  return `${shown} is valid: ${plural(tasks, "task")}`;
}
