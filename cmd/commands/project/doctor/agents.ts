// Checks the agents a run may use: installed, version, signed in. Costs nothing.
import path from "node:path";
import { askAbout, SIGN_IN, type About } from "../../../../src/agents/clients/about.js";
import { describeContainment } from "../../../../src/agents/process/containment.js";
import { AUTO_ORDER, createAgent, NONE_FOUND } from "../../../../src/agents/clients/registry.js";
import {
  agentSettings,
  knownAgents,
  type AgentSettings,
} from "../../../../src/config/read/agent-settings.js";
import type { Project } from "../../../../src/config/project/open-project.js";
import { AUTO } from "../../../../src/config/settings/settings.js";
import { given } from "../../../../src/system/given.js";
import type { CheckResult } from "../../../../src/todo/check/check.js";
import type { CommandContext } from "../../../context/command-context.js";
import { bad, fine, warning, type Check } from "../../../../src/ui/answers/project/doctor.js";
import { variablesOf } from "./keys.js";

/** The agents a run may use, and others that the settings name. */
export async function checkAgents(
  context: CommandContext,
  project: Project,
  backlog: CheckResult | string | undefined,
): Promise<Check[]> {
  const { wanted, auto } = wantedAgents(project, backlog);
  const spokenOf = knownAgents(project.resolved.settings).filter((name) => isSpokenOf(project, name));
  const names = [...new Set([...wanted, ...spokenOf])];
  const checks = await Promise.all(
    names.map((name) => checkAgent(context, project, { name, wanted: wanted.has(name) })),
  );
  return auto ? [await checkAuto(context, project), ...checks] : checks;
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

/** The facts on an agent's program; `found`: path, version, and rights beyond its permissions. */
type Found = { found: string; signIn?: string } | { missing: string; hint: string };

async function find(context: CommandContext, project: Project, name: string): Promise<Found> {
  const { ports, self, env, home } = context;
  const settings = agentSettings(project.resolved.settings, name, { project: project.folder, home });
  const variables = { ...(await fileVariables(context, project)), ...env };
  const finding = await createAgent(settings, { ports, self }).find(variables, project.folder);
  if ("missing" in finding) return finding;
  const about = await aboutProgram(context, project, { settings, program: finding.found });
  const note = describeContainment(settings);
  const words = [
    finding.found,
    ...(about.version === undefined ? [] : [about.version]),
    ...(about.signedIn === true ? ["signed in"] : []),
    ...(note === undefined ? [] : [`(${settings.permissions}: ${note})`]),
  ];
  const signIn = about.signedIn === false ? SIGN_IN[settings.kind] : undefined;
  return { found: words.join(" "), ...given({ signIn }) };
}

/** The env file may contain a key. */
async function fileVariables({ ports }: CommandContext, { paths }: Project): Promise<Record<string, string>> {
  const bytes =
    paths.envFile === undefined ? undefined : await ports.files.read(paths.envFile).catch(() => undefined);
  return bytes === undefined ? {} : variablesOf(new TextDecoder().decode(bytes));
}

/** A program that the project contains or names is not started, because the project is not approved yet. */
async function aboutProgram(
  { ports, env, home }: CommandContext,
  { folder, resolved }: Project,
  { settings, program }: { settings: AgentSettings; program: string },
): Promise<About> {
  const named = resolved.values.get(`agents.${settings.name}.binary`)?.source.layer;
  const real = (await ports.files.realPath(program)) ?? program;
  const isOfProject = named === "project" || !path.relative(folder, real).startsWith("..");
  return isOfProject ? {} : askAbout(ports, { kind: settings.kind, program }, { cwd: home, env });
}

async function checkAgent(
  context: CommandContext,
  project: Project,
  { name, wanted }: { name: string; wanted: boolean },
): Promise<Check> {
  const title = `agent ${name}`;
  if (!knownAgents(project.resolved.settings).includes(name))
    return bad(title, "unknown agent", "correct the task's agent, or add agents.<name> to the settings");
  const finding = await find(context, project, name);
  if ("found" in finding) return toCheck(title, finding.found, finding.signIn);
  return wanted
    ? bad(title, finding.missing, finding.hint)
    : warning(title, `${finding.missing} (no schedule uses it)`, finding.hint);
}

/** Only a warning, because a key may replace the sign-in. */
function toCheck(title: string, found: string, signIn: string | undefined): Check {
  return signIn === undefined ? fine(title, found) : warning(title, `${found}: not signed in`, signIn);
}

async function checkAuto(context: CommandContext, project: Project): Promise<Check> {
  for (const name of AUTO_ORDER) {
    const finding = await find(context, project, name);
    if ("found" in finding) return toCheck("agent", `${name}: ${finding.found}`, finding.signIn);
  }
  return bad("agent", NONE_FOUND.missing, NONE_FOUND.hint);
}
