// The project's own files: backlog, templates, and the agents its settings name. Only looked at: nothing they name is started.
import { containmentNote } from "../../src/agents/containment.js";
import { AUTO_ORDER, createAgent } from "../../src/agents/registry.js";
import { agentSettings, knownAgents } from "../../src/config/agent-settings.js";
import { parseEnvFile } from "../../src/config/env-file.js";
import type { Project } from "../../src/config/open-project.js";
import { AUTO } from "../../src/config/settings.js";
import { errorMessage, UserError } from "../../src/system/errors.js";
import { checkBacklog, type CheckResult } from "../../src/todo/check.js";
import { plural } from "../../src/ui/amounts.js";
import { checkOptionsOf } from "../check-options.js";
import { readNamedFile, shownPath } from "../project.js";
import type { Shell } from "../shell.js";
import { bad, fine, warning, type Check } from "./check.js";

/** The backlog as it is; `undefined` when there is none, a text when it cannot be read. */
export async function lookAtBacklog(
  shell: Shell,
  project: Project,
): Promise<CheckResult | string | undefined> {
  try {
    const bytes = await shell.ports.files.read(project.todoFile);
    if (bytes === undefined) return undefined;
    const { paths, resolved } = project;
    // A schema that cannot be used has a line of its own.
    const options = await checkOptionsOf(shell, project).catch((error: unknown) => {
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
export async function checkNamedFiles(shell: Shell, project: Project): Promise<Check[]> {
  const { schemaFile, envFile } = project.paths;
  const checks: Check[] = [];
  if (schemaFile !== undefined)
    checks.push(await usable("schema_file", schemaFile, () => checkOptionsOf(shell, project)));
  if (envFile !== undefined)
    checks.push(
      await usable("env_file", envFile, async () => {
        const bytes = await readNamedFile(shell, envFile, "file");
        return parseEnvFile(envFile, new TextDecoder().decode(bytes));
      }),
    );
  return checks;
}

async function usable(name: string, file: string, use: () => Promise<unknown>): Promise<Check> {
  try {
    await use();
    return fine(name, file);
  } catch (error) {
    if (error instanceof UserError) return bad(name, error.message, error.hint ?? `correct ${name}`);
    throw error;
  }
}

export function checkTasks(shell: Shell, project: Project, backlog: CheckResult | string | undefined): Check {
  const file = shownPath(shell, project.todoFile);
  if (backlog === undefined)
    return warning(
      "backlog",
      `there is no ${file} yet`,
      'write one, or have it drafted: looper run --prompt "what to build"',
    );
  if (typeof backlog === "string")
    return bad("backlog", `${file} cannot be read: ${backlog}`, "make it readable");
  if (backlog.kind === "ok")
    return fine("backlog", `${file}: ${plural(backlog.backlog.tasks.length, "task")}`);
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

export async function checkPrompts({ ports: { files } }: Shell, { paths }: Project): Promise<Check> {
  const named = Object.entries(paths.prompts);
  const missing: string[] = [];
  for (const [name, file] of named)
    if ((await files.stat(file))?.kind !== "file") missing.push(`${name} (${file})`);
  if (missing.length > 0)
    return bad("prompts", `not there: ${missing.join(", ")}`, "correct the settings prompts.<name>");
  return fine("prompts", named.length === 0 ? "bundled" : `own: ${named.map(([name]) => name).join(", ")}`);
}

/** The agents a run may use, and those the settings speak of besides. */
export async function checkAgents(
  shell: Shell,
  project: Project,
  backlog: CheckResult | string | undefined,
): Promise<Check[]> {
  const { wanted, auto } = wantedAgents(project, backlog);
  const spokenOf = knownAgents(project.resolved.settings).filter((name) => isSpokenOf(project, name));
  const names = [...new Set([...wanted, ...spokenOf])];
  const checks = await Promise.all(
    names.map((name) => checkAgent(shell, project, { name, wanted: wanted.has(name) })),
  );
  return auto ? [await checkAuto(shell, project), ...checks] : checks;
}

function wantedAgents(
  { resolved: { settings } }: Project,
  backlog: CheckResult | string | undefined,
): { wanted: ReadonlySet<string>; auto: boolean } {
  const { schedule, roles } = settings;
  const bySchedule = {
    single: [schedule.agent],
    "odd-even": [schedule.odd, schedule.even],
    "round-robin": schedule.agents,
  }[schedule.strategy];
  const tasks = typeof backlog === "object" && backlog.kind === "ok" ? backlog.backlog.tasks : [];
  const byTask = tasks.flatMap(({ agent, status }) =>
    agent === undefined || status === "done" ? [] : [agent],
  );
  const all = new Set([...bySchedule, ...Object.values(roles), ...byTask]);
  const auto = all.delete(AUTO);
  return { wanted: all, auto };
}

function isSpokenOf({ resolved }: Project, name: string): boolean {
  return [...resolved.values].some(
    ([key, { source }]) => key.startsWith(`agents.${name}.`) && source.layer !== "default",
  );
}

/** `found`: the program, and what it may do beyond its permissions. */
async function find(
  shell: Shell,
  project: Project,
  name: string,
): Promise<{ found: string } | { missing: string; hint: string }> {
  const { ports, self, env, home } = shell;
  const settings = agentSettings(project.resolved.settings, name, { project: project.folder, home });
  const finding = await createAgent(settings, { ports, self }).find(env, project.folder);
  const note = containmentNote(settings);
  if ("missing" in finding || note === undefined) return finding;
  return { found: `${finding.found} (${settings.permissions}: ${note})` };
}

async function checkAgent(
  shell: Shell,
  project: Project,
  { name, wanted }: { name: string; wanted: boolean },
): Promise<Check> {
  const title = `agent ${name}`;
  if (!knownAgents(project.resolved.settings).includes(name))
    return bad(
      title,
      "no agent is called so",
      "correct the task's agent, or add agents.<name> to the settings",
    );
  const finding = await find(shell, project, name);
  if ("found" in finding) return fine(title, finding.found);
  return wanted
    ? bad(title, finding.missing, finding.hint)
    : warning(title, `${finding.missing} (no schedule uses it)`, finding.hint);
}

async function checkAuto(shell: Shell, project: Project): Promise<Check> {
  for (const name of AUTO_ORDER) {
    const finding = await find(shell, project, name);
    if ("found" in finding) return fine("agent", `${name}: ${finding.found}`);
  }
  return bad(
    "agent",
    `none is installed: neither ${AUTO_ORDER.join(" nor ")} is on PATH`,
    "npm install -g @anthropic-ai/claude-code, or npm install -g @openai/codex",
  );
}
