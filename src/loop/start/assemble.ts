// What a run needs to know before it starts: trust, agents that are there, rules, repository. Starts no agent, writes nothing
// but what was asked for (a repository, a remembered yes; a branch, once the locks are held). Leaves locks and log to open-run.ts.
import { describeContainment } from "../../agents/process/containment.js";
import { AUTO_ORDER, chooseAuto, createAgent, NONE_FOUND } from "../../agents/clients/registry.js";
import { agentSettings, knownAgents } from "../../config/read/agent-settings.js";
import { parseEnvFile } from "../../config/read/env-file.js";
import { readPrices, type Prices } from "../../config/read/prices.js";
import { AUTO } from "../../config/table/settings.js";
import { useBranch } from "../../git/base/branch.js";
import { headOf, type Head } from "../../git/base/head.js";
import { inProgress } from "../../git/index/operation.js";
import { initRepository, openRepository, type Repository } from "../../git/base/repository.js";
import { hookText } from "../hooks/read-hook.js";
import type { StepEvent } from "../../logging/events.js";
import { formatStamp } from "../../logging/run-log.js";
import type { Rules } from "../../logging/rules.js";
import { UserError } from "../../system/errors.js";
import { given } from "../../system/given.js";
import { never } from "../../system/never.js";
import { tryParseJson } from "../../system/text/json.js";
import { nearest } from "../../system/text/nearest.js";
import type { CheckOptions } from "../../todo/check/check.js";
import { compileUserSchema } from "../../todo/check/user-schema.js";
import { isMarker } from "../../todo/model/select.js";
import { TaskId, type Task } from "../../todo/model/task.js";
import { askTrust, type Trusted } from "../perform/ask-trust.js";
import { checkBudget } from "./check-budget.js";
import { checkRequest } from "./check-request.js";
import { findMissingChecks, type MissingChecks } from "./missing-checks.js";
import { mustAllowRun } from "./check-schema.js";
import { baseEnvironment } from "../perform/environment.js";
import { bootstrapRule, mustBeWanted } from "./bootstrap-rule.js";
import { repositoryPlaces } from "../runs/repository-places.js";
import type { RunRequest } from "../runs/run-request.js";
import { warnOfRepository } from "./warn-of-repository.js";
import type { ConfiguredAgent } from "../perform/world.js";

/** All that was found out about a run before it starts. */
export interface Assembly {
  rules: Rules;
  configuredAgents: ReadonlyMap<string, ConfiguredAgent>;
  agents: Extract<StepEvent, { type: "run_started" }>["agents"];
  trusted: Trusted;
  check: CheckOptions;
  envFile: Readonly<Record<string, string>>;
  /** What agents' own settings add to their environments. */
  agentEnv: Readonly<Record<string, string>>;
  repo?: Repository;
  warnings: readonly string[];
  /** Why the run must end before it begins any work. */
  refused?: string;
}

/** Finds out. Whatever keeps the run from starting is a `UserError`. */
export async function assemble(request: RunRequest): Promise<Assembly> {
  const { settings } = request.project.resolved;
  const { tasks, folder, note } = await checkRequest(request);
  // The command line and the backlog come before any question.
  checkAgent(request);
  await mustBeWanted(request, tasks);
  // A finished backlog starts nothing: neither trust nor an agent is asked for.
  const finished = tasks.some(isMarker) && tasks.every(({ status }) => status === "done");
  const trusted = finished ? new Set<string>() : await askTrust(request, tasks);
  const check = await checkOptions(request);
  const configuredAgents = configureAgents(request, await pricesOf(request));
  const schedule = finished ? [AUTO] : await scheduleOf(request, configuredAgents);
  const rules = rulesOf(request, schedule, bootstrapRule(request, tasks));
  const agents = finished ? [] : await lookUp(request, { configuredAgents, rules, tasks });
  const { repo, warning } = await repositoryOf(request);
  const envFile = await readEnvFile(request);
  const place = { folder, env: baseEnvironment(request.env, envFile), trusted };
  const missing: MissingChecks = finished ? { warnings: [] } : await findMissingChecks(request, tasks, place);
  return {
    rules: finished ? rules : { ...rules, ...preflightRule(request) },
    trusted,
    configuredAgents,
    agents,
    check,
    envFile,
    agentEnv: Object.fromEntries(Object.values(settings.agents).flatMap(({ env }) => Object.entries(env))),
    ...given({ repo, refused: missing.refused }),
    warnings: [
      ...(warning === undefined ? [] : [warning]),
      ...(note === undefined ? [] : [note]),
      ...(finished ? [] : unproven(request, { tasks, git: repo !== undefined })),
      ...missing.warnings,
      ...(finished || repo === undefined ? [] : await warnOfRepository(request, repo)),
    ],
  };
}

/** The same of a release: one agent, and a repository that must be there; none is made. */
export async function assembleRelease(given: RunRequest): Promise<Assembly & { repo: Repository }> {
  const { settings } = given.project.resolved;
  const { tasks } = await checkRequest(given);
  checkAgent(given);
  const repo = await releaseRepository(given);
  const trusted = await askTrust(given, tasks);
  const { request, rules, configuredAgents, agents, check } = await releaseAgent(given, tasks);
  return {
    rules,
    trusted,
    configuredAgents,
    agents,
    check,
    repo,
    envFile: await readEnvFile(request),
    agentEnv: Object.fromEntries(Object.values(settings.agents).flatMap(({ env }) => Object.entries(env))),
    warnings: [],
  };
}

/** Who prepares releases: `--agent`, `roles.push`, or the schedule's first; looked up, and nothing started. */
export async function releaseAgent(given: RunRequest, tasks: readonly Task[] = []) {
  const check = await checkOptions(given);
  const configuredAgents = configureAgents(given, await pricesOf(given));
  const { roles } = given.project.resolved.settings;
  const [first] =
    given.agent === undefined && roles.push === undefined ? await scheduleOf(given, configuredAgents) : [];
  const agent = given.agent ?? roles.push ?? first ?? AUTO;
  const request = { ...given, agent };
  const rules = rulesOf(request, [agent], { refused: "a release drafts no backlog" });
  return {
    request,
    rules,
    configuredAgents,
    check,
    agent,
    agents: await lookUp(request, { configuredAgents, rules, tasks }),
  };
}

/** The repository a release is made in; `no` where there is none. */
export async function releaseRepository(request: RunRequest): Promise<Repository> {
  const opened = await openRepository(request.ports, repositoryPlaces(request));
  if (opened.ok) return opened.value;
  const { why, message } = opened.error;
  throw new UserError(
    why === "unusable" ? "environment" : "no",
    `${message}: there is nothing to release`,
    why === "no-repository" ? "git init, and commit what there is" : undefined,
  );
}

async function readEnvFile({ ports, project }: RunRequest): Promise<Readonly<Record<string, string>>> {
  const { envFile } = project.paths;
  if (envFile === undefined) return {};
  const bytes = await ports.files.read(envFile);
  if (bytes === undefined)
    throw new UserError("usage", `env_file ${envFile} is not there`, "create it, or remove the setting");
  return parseEnvFile(envFile, Buffer.from(bytes).toString("utf8"));
}

/** What agents are found by: a key may stand in the env file. */
export async function lookUpEnv(request: RunRequest): Promise<Readonly<Record<string, string>>> {
  return baseEnvironment(request.env, await readEnvFile(request));
}

/** Whether a run could start, trust and repository aside: what keeps it from it is the `UserError` it would end with. */
export async function checkStart(request: RunRequest): Promise<void> {
  const { tasks } = await checkRequest(request);
  await checkOptions(request);
  const configuredAgents = configureAgents(request, await pricesOf(request));
  const rules = rulesOf(request, await scheduleOf(request, configuredAgents), bootstrapRule(request, tasks));
  await lookUp(request, { configuredAgents, rules, tasks });
}

/** Contract §5: without a command that checks it, "done" is what the agent says. */
function unproven(
  { project }: RunRequest,
  { tasks, git }: { tasks: readonly Task[]; git: boolean },
): string[] {
  const { verify } = project.resolved.settings;
  if (verify.cold && !git) return ["verify.cold needs git: without it the checks run in the project itself"];
  if (verify.commands.length > 0 || tasks.some((task) => (task.verify ?? []).length > 0)) return [];
  return [
    'No checks are configured, so "done" is only the agent\'s word. Set verify.commands or use --verify "npm test"',
  ];
}

/** Refuses an `--agent` that the settings do not know; answers with the names they know. */
function checkAgent({ project, agent }: RunRequest): string[] {
  const agentNames = knownAgents(project.resolved.settings);
  if (agent === undefined || agentNames.includes(agent)) return agentNames;
  const close = nearest(agent, agentNames);
  throw new UserError(
    "usage",
    `no agent is called "${agent}"`,
    close === undefined ? `known: ${agentNames.join(", ")}` : `did you mean ${close}?`,
  );
}

export async function checkOptions(request: RunRequest): Promise<CheckOptions> {
  const { ports, project } = request;
  const { schemaFile } = project.paths;
  const agentNames = checkAgent(request);
  if (schemaFile === undefined) return { agentNames };
  const bytes = await ports.files.read(schemaFile);
  if (bytes === undefined)
    throw new UserError("usage", `schema_file ${schemaFile} is not there`, "correct the setting");
  const schema = tryParseJson(bytes);
  if (!schema.ok) throw new UserError("usage", `${schemaFile} is not JSON`, "correct the schema");
  const compiled = compileUserSchema(schema.value);
  if (!compiled.ok) throw new UserError("usage", `${schemaFile}: ${compiled.error}`, "correct the schema");
  await mustAllowRun(request, schemaFile, compiled.value);
  return { agentNames, schema: compiled.value };
}

/** What the models cost; empty without a file of prices. */
async function pricesOf({ ports, project }: RunRequest): Promise<Prices> {
  const { pricesFile } = project.paths;
  return pricesFile === undefined ? {} : readPrices(ports.files, pricesFile);
}

export function configureAgents(request: RunRequest, prices: Prices = {}): Map<string, ConfiguredAgent> {
  const { ports, project, home, self } = request;
  const { settings } = project.resolved;
  const place = { project: project.folder, home };
  return new Map(
    knownAgents(settings).map((name) => {
      const told = agentSettings(settings, name, place);
      const price = told.model === undefined ? undefined : prices[told.model];
      const own = price === undefined ? told : { ...told, price };
      return [name, { settings: own, agent: createAgent(own, { ports, self }) }];
    }),
  );
}

/** The schedule as a list (contract §2): iteration n takes entry n, round and round. */
export async function scheduleOf(
  request: RunRequest,
  configuredAgents: ReadonlyMap<string, ConfiguredAgent>,
): Promise<string[]> {
  const { schedule, roles } = request.project.resolved.settings;
  switch (schedule.strategy) {
    case "odd-even":
      return [schedule.odd, schedule.even];
    case "round-robin":
      return [...schedule.agents];
    case "single":
      if (schedule.agent !== AUTO) return [schedule.agent];
      if (request.agent !== undefined) return [request.agent];
      if (roles.iteration !== undefined) return [roles.iteration];
      return [await autoAgent(request, configuredAgents)];
    default:
      return never(schedule.strategy);
  }
}

async function autoAgent(
  request: RunRequest,
  configuredAgents: ReadonlyMap<string, ConfiguredAgent>,
): Promise<string> {
  const candidates = AUTO_ORDER.flatMap((name) => configuredAgents.get(name)?.agent ?? []);
  const found = await chooseAuto(candidates, await lookUpEnv(request), request.project.folder);
  if (found !== undefined) return found.settings.name;
  throw new UserError(
    "environment",
    `no agent is installed: ${NONE_FOUND.missing}`,
    `${NONE_FOUND.hint}; or try looper demo, which needs none`,
  );
}

export function rulesOf(request: RunRequest, schedule: string[], bootstrap: Rules["bootstrap"]): Rules {
  const {
    loop,
    roles,
    hooks,
    git,
    verify,
    schedule: { on_limit },
  } = request.project.resolved.settings;
  return {
    max_iterations: loop.max_iterations,
    max_attempts: loop.max_attempts,
    max_reviews: loop.max_reviews,
    delay_ms: loop.delay_seconds * 1000,
    apply_summary: loop.apply_summary,
    review: loop.review,
    completion_marker: loop.completion_marker,
    schedule,
    roles: {
      ...given({
        iteration: roles.iteration,
        review: roles.review,
        repair: roles.repair,
        bootstrap: roles.bootstrap,
      }),
    },
    on_limit,
    ...given({ max_wait_ms: loop.max_wait }),
    budget: budgetOf(loop),
    ...given({ agent: request.agent }),
    ...(request.only === undefined ? {} : { only: TaskId.parse(request.only) }),
    hooks: {
      pre_iteration: hooks.pre_iteration.map(hookText),
      post_iteration: hooks.post_iteration.map(hookText),
      on_blocked: hooks.on_blocked.map(hookText),
      on_run_end: hooks.on_run_end.map(hookText),
    },
    commit: git.commit,
    // Where the agent commits, its commits stay on the branch: the tree must not be taken back from under them.
    on_failure: git.commit === "agent" ? "keep" : git.on_failure,
    baseline: verify.commands.length > 0,
    verify_from_agents: verify.from_agents,
    bootstrap,
    workers: 1,
  };
}

/** Contract §5, *A check that cannot run*. */
function preflightRule({ project }: RunRequest): Pick<Rules, "preflight"> {
  const { verify } = project.resolved.settings;
  if (verify.commands.length === 0) return {};
  return { preflight: verify.strict ? "refuse" : "warn" };
}

function budgetOf(loop: RunRequest["project"]["resolved"]["settings"]["loop"]): Rules["budget"] {
  const { max_duration: longest = 0, max_cost_usd, max_tokens, task_cost_usd, task_tokens } = loop;
  return {
    ...(longest === 0 ? {} : { max_duration_ms: longest }),
    ...given({ max_cost_usd, max_tokens, task_cost_usd, task_tokens }),
    ...(loop.unknown_cost === "allow" ? { unknown_cost: "allow" } : {}),
  };
}

/** Every agent the run may use, looked up before the first iteration; a missing one keeps the run from starting. */
async function lookUp(
  request: RunRequest,
  run: { configuredAgents: ReadonlyMap<string, ConfiguredAgent>; rules: Rules; tasks: readonly Task[] },
): Promise<Assembly["agents"]> {
  const { rules, tasks } = run;
  const own = tasks.flatMap(({ agent, status }) => (agent === undefined || status === "done" ? [] : [agent]));
  const names =
    rules.agent === undefined ? [...rules.schedule, ...Object.values(rules.roles), ...own] : [rules.agent];
  const agents: Assembly["agents"] = [];
  const env = await lookUpEnv(request);
  for (const name of new Set(names.filter((one) => one !== undefined))) {
    const configured = run.configuredAgents.get(name);
    // A name nobody knows is a problem of the backlog, which says so with its line.
    if (configured === undefined) continue;
    const finding = await configured.agent.find(env, request.project.folder);
    if ("missing" in finding)
      throw new UserError("environment", `agent ${name}: ${finding.missing}`, finding.hint);
    checkBudget(rules, configured.settings);
    const { kind, permissions, model } = configured.settings;
    const note = describeContainment(configured.settings);
    agents.push({
      name,
      kind,
      binary: finding.found,
      permissions,
      ...given({ model, note }),
    });
  }
  return agents;
}

async function repositoryOf(request: RunRequest): Promise<{ repo?: Repository; warning?: string }> {
  const { ports, project, env } = request;
  const { git } = project.resolved.settings;
  const places = repositoryPlaces(request);
  let opened = await openRepository(ports, places);
  if (!opened.ok && opened.error.why === "no-repository" && git.init) {
    await initRepository(ports, project.folder, env);
    opened = await openRepository(ports, places);
  }
  if (!opened.ok) {
    if (opened.error.why === "unusable")
      throw new UserError("environment", opened.error.message, "mend the repository, then run again");
    return {
      warning: `${opened.error.message}: the work is done, but nothing is committed, and what a review or a task that is given up changed stays as it is`,
    };
  }
  const progress = await inProgress(opened.value);
  if (!progress.ok) throw new UserError("environment", progress.error.message, "mend the repository");
  if (progress.value !== undefined)
    throw new UserError("environment", progress.value.message, progress.value.hint);
  return { repo: opened.value };
}

/** Goes to the branch that is asked for; answers where HEAD is then. Contract: the run holds its locks, or another run works here. */
export async function goToBranch(request: RunRequest, repo: Repository): Promise<Head | undefined> {
  const { ports, project } = request;
  const { branch } = project.resolved.settings.git;
  // What is released is the branch one stands on.
  if (branch !== "current" && request.release === undefined) {
    const used = await useBranch(repo, branch.replaceAll("{run}", formatStamp(ports.clock.now())));
    if (!used.ok)
      throw new UserError(
        used.error.command === "git check-ref-format" ? "usage" : "environment",
        `git.branch: ${used.error.message}`,
        used.error.command === "git check-ref-format"
          ? "correct the setting"
          : "commit or put aside what is changed, or choose another branch",
      );
  }
  const head = await headOf(repo);
  return head.ok ? head.value : undefined;
}
