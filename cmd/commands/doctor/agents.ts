// Checks the agents a run may use: installed, version, signed in, which costs nothing. Finds keys that others
// can read: in files that git tracks, or that other users of the machine can open.
import path from "node:path";
import {
  askAbout,
  clientOf,
  createAgent,
  exceededBy,
  explainNoneFound,
  type About,
} from "../../../src/agents/clients/registry.js";
import { AUTO_ORDER } from "../../../src/config/settings/setting-row.js";
import { agentSettings, knownAgents, type AgentSettings } from "../../../src/config/read/agent-settings.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { AUTO, isStrategyModule } from "../../../src/config/settings/settings.js";
import { given } from "../../../src/system/given.js";
import type { CheckResult } from "../../../src/todo/check/check.js";
import type { CommandContext } from "../../context/command-context.js";
import { bad, fine, warning, type Check } from "../../../src/ui/answers/project/project.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/run-request.js";
import { asResult } from "../../../src/git/base/git.js";
import { readEnvFile } from "../../../src/loop/start/env-file.js";
import { PROJECT_FILES, listUserFiles } from "../../../src/config/read/places.js";
import { openRepository } from "../../../src/git/base/repository/repository.js";
import { listTracked } from "../../../src/git/base/read/history.js";
import { createRedact, findSecretValues } from "../../../src/system/text/secrets/redact.js";
import { shownPath } from "../../lookup/project.js";

/** The agents a run may use, and others that the settings name. */
export async function checkAgents(
  context: CommandContext,
  project: Project,
  { backlog, approved }: { backlog: CheckResult | string | undefined; approved: boolean },
): Promise<Check[]> {
  const { wanted, auto } = wantedAgents(project, backlog);
  const spokenOf = knownAgents(project.resolved.settings).filter((name) => isSpokenOf(project, name));
  const names = [...new Set([...wanted, ...spokenOf])];
  const checks = await Promise.all(
    names.map((name) => checkAgent(context, project, { name, approved, wanted: wanted.has(name) })),
  );
  return auto ? [await checkAuto(context, project, approved), ...checks] : checks;
}

function wantedAgents({ resolved: { settings } }: Project, backlog: CheckResult | string | undefined) {
  const { schedule, roles } = settings;
  const { strategy } = schedule;
  // The start of a run looks up those that a module may choose.
  const bySchedule = isStrategyModule(strategy)
    ? []
    : {
        single: [schedule.agent],
        "odd-even": [schedule.odd, schedule.even],
        "round-robin": schedule.agents,
        pattern: schedule.pattern ?? [],
      }[strategy];
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

async function find(
  context: CommandContext,
  project: Project,
  { name, approved }: { name: string; approved: boolean },
): Promise<Found> {
  const { ports, self, env, home } = context;
  const settings = agentSettings(project.resolved.settings, name, { project: project.folder, home });
  // Another check reports an env file that is not valid.
  const file = await readEnvFile({ ports, project }).catch(() => ({}));
  const variables = { ...file, ...env };
  const finding = await createAgent(settings, { ports, self }).find(variables, project.folder);
  if ("missing" in finding) return finding;
  const about = await aboutProgram(context, project, {
    ...{ settings, approved, program: finding.found },
    variables: { ...variables, ...settings.env },
  });
  const note = exceededBy(settings);
  const words = [
    finding.found,
    ...(about.version === undefined ? [] : [about.version]),
    ...(about.signedIn === true ? ["signed in"] : []),
    ...(about.isUnasked === true ? [UNASKED] : []),
    ...(note === undefined ? [] : [`(${settings.permissions}: ${note})`]),
  ];
  const signIn = about.signedIn === false ? clientOf(settings).about?.signedIn?.how : undefined;
  return { found: words.join(" "), ...given({ signIn }) };
}

const UNASKED =
  "(the project names it and is not approved yet, so its version and sign-in are not known: --trust)";

interface Program {
  settings: AgentSettings;
  program: string;
  approved: boolean;
  /** The environment that a run would start it in. */
  variables: Readonly<Record<string, string>>;
}

/** A program that the project contains or names is not started, nor gets variables, before an approval. */
async function aboutProgram(
  { ports, env, home }: CommandContext,
  { folder, resolved }: Project,
  { settings, program, approved, variables }: Program,
): Promise<About & { isUnasked?: boolean }> {
  const named = resolved.values.get(`agents.${settings.name}.binary`)?.source.layer;
  const real = (await ports.files.realPath(program)) ?? program;
  const isOfProject = named === "project" || !path.relative(folder, real).startsWith("..");
  if (isOfProject && !approved) return { isUnasked: clientOf(settings).about !== undefined };
  return askAbout(ports, { settings, program }, { cwd: home, env: approved ? variables : env });
}

async function checkAgent(
  context: CommandContext,
  project: Project,
  { name, wanted, approved }: { name: string; wanted: boolean; approved: boolean },
): Promise<Check> {
  const title = `agent ${name}`;
  if (!knownAgents(project.resolved.settings).includes(name))
    return bad(title, "unknown agent", "correct the task's agent, or add agents.<name> to the settings");
  const finding = await find(context, project, { name, approved });
  if ("found" in finding) return toCheck(title, finding.found, finding.signIn);
  return wanted
    ? bad(title, finding.missing, finding.hint)
    : warning(title, `${finding.missing} (no schedule uses it)`, finding.hint);
}

/** Only a warning, because a key may replace the sign-in. */
function toCheck(title: string, found: string, signIn: string | undefined): Check {
  return signIn === undefined ? fine(title, found) : warning(title, `${found}: not signed in`, signIn);
}

async function checkAuto(context: CommandContext, project: Project, approved: boolean): Promise<Check> {
  for (const name of AUTO_ORDER) {
    const finding = await find(context, project, { name, approved });
    if ("found" in finding) return toCheck("agent", `${name}: ${finding.found}`, finding.signIn);
  }
  const { missing, hint } = explainNoneFound(knownAgents(project.resolved.settings));
  return bad("agent", missing, hint);
}

/** Longer files are not searched, because no person edits them. */
const LONGEST = 50_000_000;
const OTHERS = 0o077;

interface Keeper {
  file: string;
  mode: number;
}

/** Searches the settings files, the env file and the task file; the message never contains the key. */
export async function checkKeys(context: CommandContext, project: Project): Promise<Check[]> {
  const keepers = await findKeys(context, project);
  if (keepers.length === 0) return [fine("keys", "none in the settings or the task file")];
  const tracked = await trackedOf(context, project, keepers);
  return keepers.map(({ file, mode }) => {
    const shown = shownPath(context, file);
    if (tracked.has(file))
      return bad(
        "keys",
        `${shown} holds a key, and git tracks it`,
        "put the key into the environment, or into an env_file that git ignores; and have it changed: the history keeps it",
      );
    if ((mode & OTHERS) !== 0 && !context.platform.startsWith("win32"))
      return warning("keys", `${shown} holds a key, and others can read it`, `chmod 600 ${shown}`);
    return fine("keys", `${shown} holds a key; only you can read it`);
  });
}

async function findKeys({ ports, env, home }: CommandContext, project: Project): Promise<Keeper[]> {
  const { todoFile, paths, folder, resolved } = project;
  const { envFile } = paths;
  const inProject = [...PROJECT_FILES, "package.json"].map((name) => path.join(folder, name));
  const named = [...listUserFiles(env, home), ...inProject, todoFile];
  const files = envFile === undefined ? named : [...named, envFile];
  const variables = await readEnvFile({ ports, project }).catch(() => ({}));
  const texts = new Map<string, { text: string; mode: number }>();
  for (const file of files) {
    const stat = await ports.files.stat(file).catch(() => undefined);
    if (stat?.kind !== "file" || stat.size > LONGEST) continue;
    const real = (await ports.files.realPath(file)) ?? file;
    // Another check reports unreadable files.
    const bytes = await ports.files.read(file).catch(() => undefined);
    if (bytes === undefined) continue;
    const text = Buffer.from(bytes).toString("utf8");
    texts.set(real, { text, mode: stat.mode });
  }
  const agents = Object.values(resolved.settings.agents).map((agent) => agent.env);
  const secrets = [env, ...agents, variables]
    .flatMap(findSecretValues)
    .filter((value) => !value.startsWith("/"));
  const redact = createRedact([...new Set(secrets)]);
  return [...texts].flatMap(([file, { text, mode }]) => (redact(text) === text ? [] : [{ file, mode }]));
}

async function trackedOf({ ports, env }: CommandContext, project: Project, keepers: readonly Keeper[]) {
  const repo = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  if (!repo.ok) return new Set();
  const tracked = await asResult(() =>
    listTracked(
      repo.value,
      keepers.map(({ file }) => file),
    ),
  );
  return new Set(tracked.ok ? tracked.value : []);
}
