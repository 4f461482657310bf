// The project's own files: backlog, templates, what its settings name, and the copies of the schemas that
// editors read (git ignores them, so a fresh clone has none). Nothing they name is started.
import path from "node:path";
import { knownAgents } from "../../../src/config/read/agent-settings.js";
import { parseEnvFile } from "../../../src/config/read/env-file.js";
import { GO_BACKLOG } from "../../../src/config/read/places.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { errorMessage, UserError } from "../../../src/system/errors.js";
import { describeWorkFolder, whyNotRoot } from "../../../src/config/project/project.js";
import { checkBacklog, type CheckResult } from "../../../src/todo/check/check.js";
import { withoutMarker } from "../../../src/todo/model/select.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { readNamedFile, shownPath } from "../../lookup/project.js";
import type { CommandContext } from "../../context/command-context.js";
import { bad, fine, warning, type Check } from "../../../src/ui/answers/project/doctor.js";
import { planSchemas } from "../init/plan.js";
import { lookAround } from "../init/site.js";
import { writePlanned } from "../init/write.js";

/** The backlog as it is; `undefined` when there is none, a text when it cannot be read. */
export async function lookAtBacklog(
  context: CommandContext,
  project: Project,
): Promise<CheckResult | string | undefined> {
  try {
    const bytes = await context.ports.files.read(project.todoFile);
    if (bytes === undefined) return undefined;
    const { paths, resolved } = project;
    // A schema that cannot be used has a line of its own.
    const options = await checkOptionsOf(context, project).catch((error: unknown) => {
      if (error instanceof UserError && paths.schemaFile !== undefined)
        return { agentNames: knownAgents(resolved.settings) };
      throw error;
    });
    return checkBacklog(bytes, options);
  } catch (error) {
    return errorMessage(error);
  }
}

/** The files the settings name beside the templates; none, no line. */
export async function checkNamedFiles(context: CommandContext, project: Project): Promise<Check[]> {
  const { schemaFile, envFile } = project.paths;
  const checks: Check[] = [];
  if (schemaFile !== undefined)
    checks.push(await usable("schema_file", schemaFile, () => checkOptionsOf(context, project)));
  if (envFile !== undefined)
    checks.push(
      await usable("env_file", envFile, async () => {
        const bytes = await readNamedFile(context, envFile, "file");
        return parseEnvFile(envFile, new TextDecoder().decode(bytes));
      }),
    );
  return checks;
}

function usable(name: string, file: string, use: () => Promise<unknown>): Promise<Check> {
  return use().then(
    () => fine(name, file),
    (error: unknown) => badOf(error, name, `correct ${name}`),
  );
}

/** An error that the user can correct, as a check; any other is thrown. */
export function badOf(error: unknown, name: string, remedy: string): Check {
  if (error instanceof UserError) return bad(name, error.message, error.hint ?? remedy);
  throw error;
}

export function checkTasks(
  context: CommandContext,
  project: Project,
  backlog: CheckResult | string | undefined,
): Check {
  const file = shownPath(context, project.todoFile);
  if (backlog === undefined && project.goFiles.includes(GO_BACKLOG))
    return bad("backlog", `there is no ${file}, but ${GO_BACKLOG} of the Go program`, `move it to ${file}`);
  if (backlog === undefined)
    return warning(
      "backlog",
      `there is no ${file} yet`,
      'write one, or have it drafted: looper run --prompt "what to build"',
    );
  if (typeof backlog === "string")
    return bad("backlog", `${file} cannot be read: ${backlog}`, "make it readable");
  if (backlog.kind === "ok")
    return fine("backlog", `${file}: ${plural(withoutMarker(backlog.backlog.tasks).length, "task")}`);
  if (backlog.kind === "empty" && backlog.problems.length === 0)
    return warning(
      "backlog",
      `${file} has no tasks yet`,
      'write some, or have them drafted: looper run --prompt "what to build"',
    );
  return bad(
    "backlog",
    `${file} has ${plural(backlog.problems.length, "problem")}`,
    "looper validate shows them",
  );
}

/** Where work is done; no line where that is the project's folder. */
export async function checkWorkFolder(
  { ports }: CommandContext,
  project: Project,
  backlog: CheckResult | string | undefined,
): Promise<Check[]> {
  if (typeof backlog === "string" || backlog?.kind !== "ok") return [];
  const { root } = backlog.backlog.project ?? {};
  const wrong = await whyNotRoot(ports.files, project, root);
  if (wrong !== undefined) return [bad("root", wrong.message, wrong.hint)];
  const note = await describeWorkFolder(ports.files, project, root);
  return note === undefined ? [] : [fine("root", note)];
}

export async function checkPrompts({ ports: { files } }: CommandContext, { paths }: Project): Promise<Check> {
  const named = Object.entries(paths.prompts);
  const missing: string[] = [];
  for (const [name, file] of named)
    if ((await files.stat(file))?.kind !== "file") missing.push(`${name} (${file})`);
  if (missing.length > 0)
    return bad("prompts", `not there: ${missing.join(", ")}`, "correct the settings prompts.<name>");
  return fine("prompts", named.length === 0 ? "bundled" : `own: ${named.map(([name]) => name).join(", ")}`);
}

/** Whether those that the project's files name are there; with `fix` they are written. */
export async function checkSchemas(context: CommandContext, fix: boolean): Promise<Check[]> {
  const planned = planSchemas(await lookAround(context));
  if (planned.length === 0) return [];
  const names = planned.map(({ path: file }) => path.basename(file)).join(", ");
  if (!fix)
    return [
      warning(
        "schemas",
        `copies in .looper that editors read are missing or old: ${names}`,
        "looper doctor --fix",
      ),
    ];
  for (const one of planned) await writePlanned(context.ports, one);
  return [fine("schemas", `copies written to .looper: ${names}`)];
}
