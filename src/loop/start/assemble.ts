// Collects everything a run needs before it starts: approvals, agents, rules, repository. Starts no agent, and writes only what
// the user asked for (a repository, an approval, and a branch once the locks are held). open-run.ts takes locks and opens the log.
import { asResult } from "../../git/base/git.js";
import {
  chooseAuto,
  createAgent,
  exceededBy,
  explainNoneFound,
  mayKnowCost,
  canReportTokens,
} from "../../agents/clients/registry.js";
import { AUTO_ORDER } from "../../config/settings/setting-row.js";
import { agentSettings, knownAgents, type AgentSettings } from "../../config/read/agent-settings.js";
import { readPrices } from "../../config/read/prices.js";
import { resolvePath, GO_BACKLOG } from "../../config/read/places.js";
import { AUTO, isStrategyModule } from "../../config/settings/settings.js";
import { findOperation } from "../../git/index/operation.js";
import { initRepository, openRepository, type Repository } from "../../git/base/repository/repository.js";
import type { HiddenCheck } from "../../gate/rooms/hidden.js";
import type { EventOf } from "../../logging/events/events.js";
import type { Rules } from "../../logging/rules.js";
import { environmentError, usageError } from "../../system/errors.js";
import { never } from "../../system/never.js";
import { parseJson } from "../../system/text/json.js";
import { nearest } from "../../system/text/nearest.js";
import type { CheckOptions } from "../../todo/check/check.js";
import { readUserSchema, type UserSchema, findForbiddenChange } from "../../todo/check/user-schema.js";
import { isMarker } from "../../todo/model/select.js";
import type { Task } from "../../todo/model/task.js";
import { askTrust } from "../perform/ask-trust.js";
import { checkRequest, type Requested } from "./before/check-request.js";
import { findWorkflowsInUse, type WorkflowsInUse } from "./find-workflows-in-use.js";
import { refuseHiddenWithoutGit, type FoundHiddenChecks } from "./before/find-hidden-checks.js";
import { makeRules } from "./make-rules.js";
import { makeBaseEnvironment } from "../perform/environment.js";
import { makeRepositoryPlaces, openProjectRepository, type RunRequest } from "../runs/run-request.js";
import { readEnvFile } from "./env-file.js";
import type { ConfiguredAgent, World } from "../perform/world.js";
import { hasDollarBudget, listTokenBudgets } from "../step/job/spending.js";
import { relative } from "node:path";
import { findKnownVersion } from "../perform/known-version.js";
import { findUnprotected } from "../../git/checkpoint/large.js";
import { OWN_IDENT } from "../../git/base/fast-import.js";
import type { Head } from "../../git/base/repository/head.js";

/** The facts about a run before it starts. */
export interface Assembly extends Pick<World, "configuredAgents" | "trusted" | "check" | "repo"> {
  rules: Rules;
  agents: EventOf<"run_started">["agents"];
  envFile: Readonly<Record<string, string>>;
  /** Variables that the agents' settings add to their environments. */
  agentEnv: Readonly<Record<string, string>>;
  /** Empty for a release. */
  hidden: readonly HiddenCheck[];
  warnings: readonly string[];
}

/** The task file, the workflows and the agents of a run, as they are before anything is asked or looked up. */
export interface Collected extends Requested {
  /** With the agents of the workflows in its settings. */
  request: RunRequest;
  inUse: WorkflowsInUse;
  check: CheckOptions;
  configuredAgents: ReadonlyMap<string, ConfiguredAgent>;
}

/** The same for a run, for its plan, and for a look at whether it could start. */
export async function collect(asked: RunRequest): Promise<Collected> {
  const requested = await checkRequest(asked);
  const inUse = await findWorkflowsInUse(asked, requested.tasks);
  const request = { ...asked, project: inUse.project };
  const check = await readCheckOptions(request);
  const configuredAgents = await configureAgents(request);
  return { ...requested, request, inUse, check, configuredAgents };
}

/** Collects the facts; throws a `UserError` if the run cannot start. */
export async function assemble(asked: RunRequest): Promise<Assembly> {
  // The command line and the backlog come before any question.
  const collected = await collect(asked);
  const { request, tasks, note, hidden, inUse, check, configuredAgents } = collected;
  const { settings } = request.project.resolved;
  await requireTasksOrDraft(request, collected);
  // A finished backlog starts nothing, so neither approval nor an agent is needed.
  const finished = tasks.some(isMarker) && tasks.every(({ status }) => status === "done");
  const trusted = finished ? new Set<string>() : await askTrust(request, tasks, inUse.own);
  const schedule = finished ? [AUTO] : await resolveSchedule(request, configuredAgents);
  const rules = {
    ...makeRules(request, schedule, makeBootstrapRule(request, tasks)),
    ...(finished ? {} : inUse.rules),
    // Only in a workflow is a person asked anything.
    ...(finished || inUse.rules.workflows === undefined ? {} : askingRules(request)),
  };
  const agents = finished ? [] : await lookUpAgents(request, { configuredAgents, rules, tasks });
  const { repo, warning } = await openOrInitRepository(request);
  if (repo === undefined && hidden.checks.length > 0) throw refuseHiddenWithoutGit();
  const envFile = await readEnvFile(request);
  return {
    rules: finished ? rules : { ...rules, ...makePreflightRule(request, hidden) },
    hidden: hidden.checks,
    trusted,
    configuredAgents,
    agents,
    check,
    envFile,
    agentEnv: Object.fromEntries(Object.values(settings.agents).flatMap(({ env }) => Object.entries(env))),
    repo,
    warnings: [
      ...(warning === undefined ? [] : [warning]),
      ...(note === undefined ? [] : [note]),
      ...hidden.warnings,
      ...(finished ? [] : inUse.warnings),
      ...(finished ? [] : warnOfMissingChecks(request, { tasks, git: repo !== undefined })),
      ...(finished || repo === undefined ? [] : await warnOfRepository(request, repo)),
    ],
  };
}

function askingRules({ askPerson, wait }: RunRequest): Pick<Rules, "asks_person" | "waits"> {
  return { asks_person: askPerson && true, waits: wait === true ? true : undefined };
}

/** Collects the facts of a release: one agent (`--agent`, `roles.push`, or the schedule's first), and a repository, which must exist already. */
export async function assembleRelease(asked: RunRequest): Promise<Assembly & { repo: Repository }> {
  const { settings } = asked.project.resolved;
  const { tasks } = await checkRequest(asked);
  const check = await readCheckOptions(asked);
  const repo = await openProjectRepository(asked, {
    lacking: "nothing can be released",
    hint: "run git init and commit your files",
  });
  const trusted = await askTrust(asked, tasks);
  const configuredAgents = await configureAgents(asked);
  const named = asked.agent ?? settings.roles.push;
  const agent = named ?? (await resolveSchedule(asked, configuredAgents))[0] ?? AUTO;
  const request = { ...asked, agent };
  const rules = makeRules(request, [agent], { refused: "a release drafts no backlog" });
  return {
    rules,
    trusted,
    configuredAgents,
    agents: await lookUpAgents(request, { configuredAgents, rules, tasks }),
    check,
    repo,
    hidden: [],
    envFile: await readEnvFile(request),
    agentEnv: Object.fromEntries(Object.values(settings.agents).flatMap(({ env }) => Object.entries(env))),
    warnings: [],
  };
}

/** The environment in which agents are looked up; the env file may have a key. */
async function readLookUpEnvironment(request: RunRequest): Promise<Readonly<Record<string, string>>> {
  return makeBaseEnvironment(request.env, await readEnvFile(request));
}

/** Checks whether a run could start, except for approvals and the repository. Throws the `UserError` the run would throw. */
export async function checkStart(asked: RunRequest): Promise<void> {
  const { request, tasks, inUse, configuredAgents } = await collect(asked);
  const schedule = await resolveSchedule(request, configuredAgents);
  const rules = { ...makeRules(request, schedule, makeBootstrapRule(request, tasks)), ...inUse.rules };
  await lookUpAgents(request, { configuredAgents, rules, tasks });
}

/** Warns if no check is configured, so that only the agent decides what is done (docs/gate.md). */
function warnOfMissingChecks(
  { project }: RunRequest,
  { tasks, git }: { tasks: readonly Task[]; git: boolean },
): string[] {
  const { verify } = project.resolved.settings;
  if (verify.cold === true && !git && verify.commands.length > 0)
    throw environmentError("verify.cold needs git", "git init, or set verify.cold to auto");
  if (verify.commands.length > 0 || tasks.some((task) => (task.verify ?? []).length > 0)) return [];
  return [
    'No checks are configured, so "done" is only the agent\'s word. Set verify.commands or use --verify "npm test"',
  ];
}

/** Rejects an `--agent` that the settings do not have; returns the names of those they have. */
function checkAgent({ project, agent }: RunRequest): string[] {
  const agentNames = knownAgents(project.resolved.settings);
  if (agent === undefined || agentNames.includes(agent)) return agentNames;
  const close = nearest(agent, agentNames);
  throw usageError(
    `no agent is called "${agent}"`,
    close === undefined ? `known: ${agentNames.join(", ")}` : `did you mean ${close}?`,
  );
}

async function readCheckOptions(request: RunRequest): Promise<CheckOptions> {
  const { ports, project } = request;
  const { schemaFile } = project.paths;
  const agentNames = checkAgent(request);
  if (schemaFile === undefined) return { agentNames };
  const bytes = await ports.files.read(schemaFile);
  if (bytes === undefined)
    throw usageError(`cannot read schema_file ${schemaFile}: it does not exist`, "correct the setting");
  const schema = readUserSchema(bytes, schemaFile);
  await requireSchemaAllowsRun(request, schemaFile, schema);
  return { agentNames, schema };
}

async function configureAgents(request: RunRequest): Promise<Map<string, ConfiguredAgent>> {
  const { ports, project, home, self } = request;
  const { settings } = project.resolved;
  const { pricesFile } = project.paths;
  const prices = pricesFile === undefined ? {} : await readPrices(ports.files, pricesFile);
  const place = { project: project.folder, home };
  return new Map(
    knownAgents(settings).map((name) => {
      const own = agentSettings(settings, name, place);
      const price = own.model === undefined ? undefined : prices[own.model];
      const priced = price === undefined ? own : { ...own, price };
      return [name, { settings: priced, agent: createAgent(priced, { ports, self }) }];
    }),
  );
}

/** The schedule as a list (docs/SETTINGS.md); iterations go through it in a circle. */
export async function resolveSchedule(
  request: RunRequest,
  configuredAgents: ReadonlyMap<string, ConfiguredAgent>,
): Promise<string[]> {
  const { schedule, roles } = request.project.resolved.settings;
  const { strategy } = schedule;
  if (isStrategyModule(strategy)) return listAgentsToPick(request, configuredAgents);
  switch (strategy) {
    case "odd-even":
      return [schedule.odd, schedule.even];
    case "round-robin":
      return [...schedule.agents];
    case "pattern":
      if (schedule.pattern !== undefined) return [...schedule.pattern];
      throw usageError(
        "schedule.strategy is pattern, and schedule.pattern is not set",
        "looper config set schedule.pattern claude claude codex",
      );
    case "single":
      if (schedule.agent !== AUTO) return [schedule.agent];
      if (request.agent !== undefined) return [request.agent];
      if (roles.iteration !== undefined) return [roles.iteration];
      return [await findInstalledAgent(request, configuredAgents)];
    default:
      return never(strategy);
  }
}

/** The agents that a module may choose: of `schedule.agents`, else those that the settings configure, else those installed. */
async function listAgentsToPick(
  request: RunRequest,
  configuredAgents: ReadonlyMap<string, ConfiguredAgent>,
): Promise<string[]> {
  const { ports, project } = request;
  const { values, settings } = project.resolved;
  const file = findPicker(request)?.file ?? "";
  if ((await ports.files.stat(file))?.kind !== "file")
    throw usageError(`schedule.strategy: there is no module ${file}`, "correct the path");
  if (values.get("schedule.agents")?.source.layer !== "default")
    return [...new Set(settings.schedule.agents)];
  const own = [...configuredAgents.keys()].filter((name) =>
    [...values].some(([key, { source }]) => key.startsWith(`agents.${name}.`) && source.layer !== "default"),
  );
  if (own.length > 0) return own;
  const env = await readLookUpEnvironment(request);
  const found: string[] = [];
  for (const [name, { agent }] of configuredAgents)
    if ("found" in (await agent.find(env, project.folder))) found.push(name);
  return found.length > 0 ? found : [await findInstalledAgent(request, configuredAgents)];
}

/** The module of `schedule.strategy`; `undefined` where that is a word. */
export function findPicker({
  project,
  home,
  self,
}: Pick<RunRequest, "project" | "home" | "self">): World["picker"] {
  const { strategy } = project.resolved.settings.schedule;
  if (!isStrategyModule(strategy)) return undefined;
  return { self, file: resolvePath(strategy, { project: project.folder, home }) };
}

async function findInstalledAgent(
  request: RunRequest,
  configuredAgents: ReadonlyMap<string, ConfiguredAgent>,
): Promise<string> {
  const candidates = AUTO_ORDER.flatMap((name) => configuredAgents.get(name)?.agent ?? []);
  const found = await chooseAuto(candidates, await readLookUpEnvironment(request), request.project.folder);
  if (found !== undefined) return found.settings.name;
  const { missing, hint } = explainNoneFound([...configuredAgents.keys()]);
  throw environmentError(
    `no agent is installed: ${missing}`,
    `${hint}; or try looper demo, which needs none`,
  );
}

/** Looks up every agent the run may use, before the first iteration. A missing one is an error. */
async function lookUpAgents(
  request: RunRequest,
  run: { configuredAgents: ReadonlyMap<string, ConfiguredAgent>; rules: Rules; tasks: readonly Task[] },
): Promise<Assembly["agents"]> {
  const { rules, tasks } = run;
  const own = tasks.flatMap(({ agent, status }) => (agent === undefined || status === "done" ? [] : [agent]));
  const names: readonly (string | undefined)[] =
    rules.agent === undefined
      ? [...rules.schedule, ...Object.values(rules.roles), ...Object.values(rules.stage_agents ?? {}), ...own]
      : [rules.agent];
  const agents: Assembly["agents"] = [];
  const env = await readLookUpEnvironment(request);
  for (const name of new Set(names.filter((one) => one !== undefined))) {
    const configured = run.configuredAgents.get(name);
    // An unknown name is reported as a problem of the backlog, with its line.
    if (configured === undefined) continue;
    const finding = await configured.agent.find(env, request.project.folder);
    if ("missing" in finding) throw environmentError(`agent ${name}: ${finding.missing}`, finding.hint);
    checkBudget(rules, configured.settings);
    const { kind, permissions, model } = configured.settings;
    const note = exceededBy(configured.settings);
    agents.push({
      name,
      kind,
      binary: finding.found,
      permissions,
      model,
      note,
    });
  }
  return agents;
}

async function openOrInitRepository(request: RunRequest): Promise<{ repo?: Repository; warning?: string }> {
  const { ports, project, env } = request;
  const { git } = project.resolved.settings;
  const places = makeRepositoryPlaces(request);
  let opened = await openRepository(ports, places);
  if (!opened.ok && opened.error.why === "no-repository" && git.init) {
    await asResult(() => initRepository(ports, project.folder, env));
    opened = await openRepository(ports, places);
  }
  if (!opened.ok) {
    if (opened.error.why === "unusable")
      throw environmentError(opened.error.message, "fix the repository, then run again");
    return {
      warning: `${opened.error.message}: nothing is committed, and changes of reviews and abandoned tasks are not reverted`,
    };
  }
  const progress = await asResult(() => findOperation(opened.value));
  if (!progress.ok) throw environmentError(progress.error.message, "fix the repository");
  if (progress.value !== undefined) throw environmentError(progress.value.message, progress.value.hint);
  return { repo: opened.value };
}

// Checks that the budgets of a run can be enforced on an agent.

type Payee = Pick<AgentSettings, "name" | "kind" | "output" | "model" | "price" | "chapo">;

/** Throws a `usage` error if a budget in dollars or tokens is set and the agent's usage cannot be known. */
export function checkBudget({ budget }: Pick<Rules, "budget">, agent: Payee): void {
  if (budget.unknown_cost === "allow") return;
  if (hasDollarBudget({ budget }) && !mayKnowCost(agent)) {
    const message = `cannot enforce a budget in dollars: ${agent.name} does not report its cost`;
    throw usageError(message, makeHint(agent));
  }
  const [inTokens] = listTokenBudgets({ budget });
  if (inTokens === undefined || canReportTokens(agent)) return;
  const message = `cannot enforce ${inTokens}: ${agent.name} does not report its tokens`;
  throw usageError(message, makeHint(agent));
}

function makeHint(agent: Payee): string {
  const { name, model } = agent;
  if (!canReportTokens(agent)) {
    return (
      `set agents.${name}.output to jsonl and have it print a line with its usage ` +
      `({"type":"usage","input_tokens":1,"output_tokens":1,"cost_usd":0.01}), or set loop.unknown_cost to allow`
    );
  }
  const price = model === undefined ? `set agents.${name}.model, and its price` : `put a price for ${model}`;
  return `${price} in prices_file, or set loop.unknown_cost to allow; loop.max_tokens works for every agent that reports its tokens`;
}

// Checks that the user's own schema allows a run. A schema that forbids what the runner writes would make the backlog
// invalid at the first change, and each repair costs money.

/** Throws a `usage` error that names what the schema forbids. */
async function requireSchemaAllowsRun(
  { ports, project }: RunRequest,
  schemaFile: string,
  schema: UserSchema,
): Promise<void> {
  const { completion_marker: marks, review } = project.resolved.settings.loop;
  const value = parseJson(await ports.files.read(project.todoFile));
  const breaks = (backlog: unknown): boolean => schema(backlog).length > 0;
  const forbidden = findForbiddenChange(value, breaks, { marks: marks && review });
  if (forbidden === undefined) return;
  const isMarker = forbidden.includes("marks a finished backlog");
  throw usageError(
    `cannot run with ${schemaFile}: it does not allow ${forbidden}, which a run writes`,
    isMarker ? "allow it in the schema, or set `loop.completion_marker` to false" : "allow it in the schema",
  );
}

/** Whether the checks run before the run starts work (contract §5, *A check that cannot run*). */
function makePreflightRule(
  { project }: Pick<RunRequest, "project">,
  hidden: FoundHiddenChecks,
): Pick<Rules, "preflight" | "rooms"> {
  const { verify } = project.resolved.settings;
  if (verify.commands.length + hidden.checks.length === 0) return {};
  return {
    preflight: verify.strict ? "refuse" : "warn",
    ...(verify.cold === true ? { rooms: "required" } : {}),
  };
}

/** On a terminal a draft needs one question, elsewhere a flag (contract §4, *Bootstrap*). */
export function makeBootstrapRule(request: RunRequest, tasks: readonly Task[]): Rules["bootstrap"] {
  if (tasks.length === 0 && request.project.goFiles.includes(GO_BACKLOG))
    return {
      refused: `${GO_BACKLOG} holds tasks of the Go program: move it to ${relative(request.cwd, request.project.todoFile)}`,
    };
  if (tasks.length > 0 || request.yes || request.idea !== undefined) return "allowed";
  if (request.terminal && request.confirm !== undefined) return "ask";
  const file = relative(request.cwd, request.project.todoFile);
  return {
    refused: `there are no tasks in ${file}: set the project up with \`looper init\`, add a task with \`looper add "…"\`, or have an agent draft them with \`looper run --prompt "what to build"\``,
  };
}

/** Throws, before anything is asked or written, if the file has no tasks and no draft was asked for. */
async function requireTasksOrDraft(
  request: RunRequest,
  { tasks, isBroken }: Pick<Requested, "tasks" | "isBroken">,
): Promise<void> {
  const { ports, project } = request;
  const rule = makeBootstrapRule(request, tasks);
  if (typeof rule !== "object" || isBroken) return;
  const opened = await openRepository(ports, makeRepositoryPlaces(request));
  const repo = opened.ok ? { repo: opened.value } : {};
  throw usageError((await findKnownVersion({ ports, project, ...repo })) ?? rule.refused);
}

const TRY_AGAIN = "check the disk and the permissions, then run again";

/** Warnings about a repository. Starts two processes. */
async function warnOfRepository({ project }: RunRequest, repo: Repository): Promise<string[]> {
  const { commit } = project.resolved.settings.git;
  const found = await asResult(() => findUnprotected(repo));
  if (!found.ok) {
    const { command, message } = found.error;
    throw environmentError(`cannot look at the working tree: ${command}: ${message}`, TRY_AGAIN);
  }
  if (commit === "none" || (await repo.identity()).who !== OWN_IDENT.who) return [...found.value];
  const warning = `git has no identity here: commits are made as ${OWN_IDENT.who}; set yours with \`git config user.name "Your Name"\` and \`git config user.email "you@example.com"\``;
  return [warning, ...found.value];
}

/** Warns if commits would not be on a branch. */
export function warnOfHead({ commit, branch }: Head): string[] {
  if (commit === undefined || branch !== undefined) return [];
  return [
    "HEAD is detached: commits are on no branch; keep them with `git switch -c NAME` when the run has ended, or set git.branch",
  ];
}
