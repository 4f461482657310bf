// Prepares `looper chapo`: the project, the engine's settings with the flags on top, and the model.
// Leaves opening a session to src/chapo, and the conversation to converse.ts.
import path from "node:path";
import { chapoAgent } from "../../../src/agents/hosted/chapo.js";
import { agentSettings, type AgentSettings } from "../../../src/config/read/agent-settings.js";
import {
  readModelName,
  findUsualModel,
  type ProviderName,
} from "../../../src/config/settings/model-names.js";
import type { ChapoSettings } from "../../../src/config/read/chapo-settings.js";
import { parseEnvFile } from "../../../src/config/read/env-file.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { MODES } from "../../../src/config/settings/modes.js";
import { EFFORTS } from "../../../src/config/settings/efforts.js";
import { rowOf } from "../../../src/config/settings/settings.js";
import { readValue } from "../../../src/config/settings/types.js";
import { askTrust } from "../../../src/loop/perform/ask-trust.js";
import { makeBaseEnvironment } from "../../../src/loop/perform/environment.js";
import { UserError } from "../../../src/system/errors.js";
import { given } from "../../../src/system/given.js";
import type { Redact } from "../../../src/system/text/secrets/redact.js";
import { redactorFor } from "../../../src/system/text/secrets/redactor.js";
import { didYouMean } from "../../../src/todo/model/problem.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { projectOf } from "../../lookup/project.js";
import { hasFlag, textFlag, type CommandContext, type Typed } from "../../context/command-context.js";
import { VOCABULARIES } from "../../context/words.js";

/** The agent whose settings are the engine's. */
const NAME = "chapo";

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

/** Reads the settings; what was typed wrong is a `usage` error. */
export async function siteOf(context: CommandContext, typed: Typed): Promise<ChapoSite> {
  const project = await projectOf(context);
  const { ports, home } = context;
  const place = { project: project.folder, home };
  const agent = agentSettings(project.resolved.settings, NAME, place);
  if (agent.chapo === undefined)
    throw new UserError(
      "usage",
      `agents.${NAME}.kind is ${agent.kind}: looper chapo needs the kind chapo there`,
      "give that agent another name",
    );
  const env = { ...makeBaseEnvironment(context.env, await readEnvFile(context, project)), ...agent.env };
  return {
    project,
    settings: withTyped(agent.chapo, typed),
    agent,
    env,
    redact: await redactorFor(ports, env),
    sessionsFolder: path.join(project.folder, ".looper", "sessions"),
  };
}

/** `provider/model` that is to be asked; an `environment` error where it cannot be. */
export async function modelOf(
  context: CommandContext,
  typed: Typed,
  { agent, settings, env }: ChapoSite,
): Promise<string> {
  const { ports, self, cwd } = context;
  const model = namedModel(typed, agent.model, env);
  const asked = { ...agent, chapo: settings, ...given({ model }) };
  const found = await chapoAgent(asked, { ports, self }).find(env, cwd);
  if ("found" in found) return found.found;
  const what = found.missing.startsWith("agents.") ? found.missing : `chapo has no model: ${found.missing}`;
  throw new UserError("environment", what, found.hint);
}

/** `--provider` alone takes the model of the settings where it is that provider's, else the usual one. */
function namedModel(
  typed: Typed,
  set: string | undefined,
  env: Readonly<Record<string, string>>,
): string | undefined {
  const [provider, model] = [textFlag(typed, "--provider"), textFlag(typed, "--model")];
  if (provider === undefined) return model === undefined ? set : wholeName(model, set);
  if (model !== undefined) {
    const whole = readModelName(model);
    const own = readModelName(`${provider}/x`);
    const isWhole = "provider" in whole && "provider" in own && whole.provider === own.provider;
    return checked(isWhole ? model : `${provider}/${model}`);
  }
  const own = checked(`${provider}/x`);
  const ofProvider = (name: string | undefined): boolean =>
    name !== undefined && providerOf(name) === providerOf(own);
  if (ofProvider(set)) return set;
  if (providerOf(own) === "scripted") return "scripted";
  const usual = findUsualModel(env, providerOf(own));
  if (usual !== undefined) return usual;
  throw new UserError(
    "usage",
    `--provider ${provider} needs --model`,
    `e.g. --provider ${provider} --model NAME`,
  );
}

/** A model without its provider is one of the provider of the settings. */
function wholeName(model: string, set: string | undefined): string {
  if ("provider" in readModelName(model)) return model;
  const provider = set === undefined ? undefined : providerOf(set);
  return checked(provider === undefined ? model : `${provider}/${model}`);
}

function providerOf(name: string): ProviderName | undefined {
  const read = readModelName(name);
  return "provider" in read ? read.provider : undefined;
}

function checked(name: string): string {
  const read = readModelName(name);
  if ("provider" in read) return name;
  throw new UserError("usage", read.problem, "--provider NAME --model MODEL, or --model provider/model");
}

/** The project's own files can name servers, hosts and where the key is sent: nothing of that before a yes. */
export async function trustSite(
  context: CommandContext,
  typed: Typed,
  { project }: ChapoSite,
): Promise<void> {
  const { ports, env, home } = context;
  const terminal = context.stdin.isTerminal;
  const trust = hasFlag(typed, "--trust") || env["CI"] === "true";
  const confirm = (question: string, lines: readonly string[]) => context.confirm(question, lines);
  await askTrust({ ports, project, env, home, trust, terminal, confirm }, []);
}

function withTyped(settings: ChapoSettings, typed: Typed): ChapoSettings {
  const tools = oneOf(typed, "--tools", VOCABULARIES);
  const mode = oneOf(typed, "--mode", MODES);
  const effort = oneOf(typed, "--effort", EFFORTS);
  const most = textFlag(typed, "--max-iterations");
  return {
    ...settings,
    ...given({ tools, mode, effort }),
    ...(most === undefined ? {} : { maxIterations: iterationsOf(most) }),
  };
}

function oneOf<T extends string>(typed: Typed, flag: string, allowed: readonly T[]): T | undefined {
  const given = textFlag(typed, flag);
  const known = allowed.find((one) => one === given);
  if (given === undefined || known !== undefined) return known;
  throw new UserError(
    "usage",
    `${flag} is ${given}; allowed: ${allowed.join(" | ")}`,
    didYouMean(nearest(given, allowed), "correct it"),
  );
}

/** Within the same bounds as in the settings. */
function iterationsOf(given: string): number {
  const row = rowOf(`agents.${NAME}.chapo.max_iterations`);
  const read = row === undefined ? undefined : readValue(row.type, Number(given));
  if (read?.ok === true && typeof read.value === "number" && /^\d+$/.test(given)) return read.value;
  const allowed = read?.ok === false ? read.allowed : "a whole number, at least 1";
  throw new UserError("usage", `--max-iterations is ${given}; allowed: ${allowed}`, "correct it");
}

async function readEnvFile({ ports }: CommandContext, { paths }: Project): Promise<Record<string, string>> {
  const { envFile } = paths;
  const bytes = envFile === undefined ? undefined : await ports.files.read(envFile);
  return envFile === undefined || bytes === undefined
    ? {}
    : parseEnvFile(envFile, new TextDecoder().decode(bytes));
}
