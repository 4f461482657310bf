// Prepares `looper chapo`: the project, the engine's settings with the flags on top, and the model.
// Leaves opening a session to src/chapo, and the conversation to converse.ts.
import path from "node:path";
import { chapo } from "../../../src/agents/hosted/chapo.js";
import { processAgent } from "../../../src/agents/process/process-agent.js";
import { agentSettings, type AgentSettings } from "../../../src/config/read/agent-settings.js";
import { readModelName } from "../../../src/config/settings/model-names.js";
import type { ChapoSettings } from "../../../src/config/read/chapo-settings.js";
import { readEnvFile } from "../../../src/loop/start/env-file.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { MODES } from "../../../src/config/settings/modes.js";
import { EFFORTS } from "../../../src/config/settings/efforts.js";
import { rowOf } from "../../../src/config/settings/settings.js";
import { readValue } from "../../../src/config/settings/types.js";
import { askTrust } from "../../../src/loop/perform/ask-trust.js";
import { makeBaseEnvironment } from "../../../src/loop/perform/environment.js";
import { environmentError, usageError } from "../../../src/system/errors.js";
import { given } from "../../../src/system/given.js";
import type { Redact } from "../../../src/system/text/secrets/redact.js";
import { redactorFor } from "../../../src/system/text/secrets/redactor.js";
import { hintOn } from "../../../src/system/text/nearest.js";
import { projectOf } from "../../lookup/project.js";
import type { CommandContext } from "../../context/command-context.js";
import { openChapo } from "../../../src/chapo/session/open-session.js";
import type { Chapo, SessionRequest } from "../../../src/chapo/session/session-request.js";
import { nodeNetwork } from "../../../src/system/network.js";
import type { OpenTrees } from "../../../src/chapo/session/checkpoints.js";
import { openRepository } from "../../../src/git/base/repository/repository.js";
import { keepSessionTree, takeBackSpans } from "../../../src/git/undo/session-trees.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/run-request.js";

const VOCABULARIES = ["chapo", "claude", "anvil"] as const;

/** The agent whose settings are the engine's. */
const NAME = "chapo";

/** The words and options of `looper chapo`; the library and the Agent Client Protocol give the same. */
export interface ChapoLine {
  words: readonly string[];
  session?: string;
  model?: string;
  effort?: string;
  tools?: string;
  maxIterations?: string;
  skill?: readonly string[];
  mode?: string;
  /** The remark to an answer. */
  message?: string;
  args?: string;
  serveStdio?: true;
  trust?: true;
  json?: true;
}

/** Where `looper chapo` was called. */
export interface ChapoSite {
  project: Project;
  /** With what was typed. */
  settings: ChapoSettings;
  agent: AgentSettings;
  /** The environment of its tools' processes, with the additions of the agent's settings. */
  env: Readonly<Record<string, string>>;
  redact: Redact;
  /** Absolute. */
  sessionsFolder: string;
}

/** A call of `looper chapo`: from where, what was typed, and the project. */
export interface ChapoCall {
  context: CommandContext;
  request: ChapoLine;
  site: ChapoSite;
}

/** Reads the settings; what was typed wrong is a `usage` error. */
export async function siteOf(context: CommandContext, request: ChapoLine): Promise<ChapoSite> {
  const project = await projectOf(context);
  const { ports, home } = context;
  const place = { project: project.folder, home };
  const agent = agentSettings(project.resolved.settings, NAME, place);
  if (agent.chapo === undefined)
    throw usageError(
      `agents.${NAME}.kind is ${agent.kind}: looper chapo needs the kind chapo there`,
      "give that agent another name",
    );
  const env = { ...makeBaseEnvironment(context.env, await readEnvFile({ ports, project })), ...agent.env };
  return {
    project,
    settings: withTyped(agent.chapo, request),
    agent,
    env,
    redact: await redactorFor(ports, env),
    sessionsFolder: path.join(project.folder, ".looper", "sessions"),
  };
}

/** The `provider/model` to ask, once the project is trusted; an `environment` error where there is none. */
export async function modelOf(call: ChapoCall): Promise<string> {
  await trustSite(call);
  const { agent, settings, env } = call.site;
  const { ports, self, cwd } = call.context;
  const typed = call.request.model;
  const model = typed === undefined ? agent.model : wholeName(typed, agent.model);
  const asked = { ...agent, chapo: settings, ...given({ model }) };
  const found = await processAgent(chapo, { settings: asked, ports, self }).find(env, cwd);
  if ("found" in found) return found.found;
  const what = found.missing.startsWith("agents.") ? found.missing : `chapo has no model: ${found.missing}`;
  throw environmentError(what, found.hint);
}

/** A model without its provider is one of the provider of the settings. */
function wholeName(model: string, set: string | undefined): string {
  if ("provider" in readModelName(model)) return model;
  const own = set === undefined ? undefined : readModelName(set);
  const name = own !== undefined && "provider" in own ? `${own.provider}/${model}` : model;
  const read = readModelName(name);
  if ("provider" in read) return name;
  throw usageError(read.problem, "name the provider, too: --model provider/model");
}

/** The project's own files can name servers, hosts and where the key is sent: not before a yes. */
export async function trustSite({ context, request, site: { project } }: ChapoCall): Promise<void> {
  const { ports, env, home } = context;
  const terminal = context.stdin.isTerminal;
  const trust = request.trust === true || env["CI"] === "true";
  const confirm = (question: string, lines: readonly string[]) => context.confirm(question, lines);
  await askTrust({ ports, project, env, home, trust, terminal, confirm }, []);
}

function withTyped(settings: ChapoSettings, request: ChapoLine): ChapoSettings {
  const tools = oneOf("--tools", request.tools, VOCABULARIES);
  const mode = oneOf("--mode", request.mode, MODES);
  const effort = oneOf("--effort", request.effort, EFFORTS);
  const most = request.maxIterations;
  return {
    ...settings,
    ...given({ tools, mode, effort }),
    ...(most === undefined ? {} : { maxIterations: iterationsOf(most) }),
  };
}

function oneOf<T extends string>(flag: string, given: string | undefined, allowed: readonly T[]) {
  const known = allowed.find((one) => one === given);
  if (given === undefined || known !== undefined) return known;
  throw usageError(
    `${flag} is ${given}; allowed: ${allowed.join(" | ")}`,
    hintOn(given, allowed, "correct it"),
  );
}

/** Within the same bounds as in the settings. */
function iterationsOf(given: string): number {
  const row = rowOf(`agents.${NAME}.chapo.max_iterations`);
  const read = row === undefined ? undefined : readValue(row.type, Number(given));
  if (read?.ok === true && typeof read.value === "number" && /^\d+$/.test(given)) return read.value;
  const allowed = read?.ok === false ? read.allowed : "a whole number, at least 1";
  throw usageError(`--max-iterations is ${given}; allowed: ${allowed}`, "correct it");
}

/** The receivers of a session's events and of its questions. */
export type SessionListener = Pick<SessionRequest, "ask" | "takeMessages" | "onEvent" | "onWarning">;

interface Opening {
  model: string;
  /** Cancels the opening. */
  signal?: AbortSignal | undefined;
  /** The session; absent: a new one. */
  resume?: string | undefined;
  /** The folder of its tools, absolute; absent: the project's. */
  root?: string | undefined;
}

/** Opens a session. */
export function openHere(
  call: ChapoCall,
  { model, signal, resume, root }: Opening,
  listener: SessionListener,
): Promise<Chapo> {
  const { ports, home, promptsFolder, cwd } = call.context;
  const { project, agent, settings, env, redact, sessionsFolder } = call.site;
  return openChapo({
    ...{ ports, env, home, settings, model, promptsFolder, sessionsFolder, redact, ...listener },
    network: nodeNetwork(),
    root: root ?? project.folder,
    project: project.folder,
    from: root ?? cwd,
    permissions: agent.permissions,
    trees: treesOf(call),
    signal: signal ?? new AbortController().signal,
    skills: call.request.skill ?? [],
    ...given({ resume }),
  });
}

/** The project's files, kept with git; the repository is opened once. */
export function treesOf({ context: { ports, env }, site: { project } }: ChapoCall): OpenTrees {
  let opened: ReturnType<OpenTrees> | undefined;
  const open: OpenTrees = async () => {
    const found = await openRepository(ports, makeRepositoryPlaces({ project, env }));
    if (!found.ok) return { problem: found.error.message };
    const repo = found.value;
    return {
      keep: (session, name) => keepSessionTree(repo, session, name),
      takeBack: (session, spans) => takeBackSpans(repo, session, spans),
    };
  };
  return () => (opened ??= open());
}
