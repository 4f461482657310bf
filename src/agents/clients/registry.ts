// The table of the kinds of agents, and from settings to an agent.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { AUTO_ORDER, type AgentKind } from "../../config/settings/setting-row.js";
import { acp } from "../acp/acp.js";
import type { Agent } from "../agent.js";
import type { AgentDeps, Client } from "../process/client.js";
import { chapo } from "../hosted/chapo.js";
import { moduleAgent, scriptedAgent } from "../hosted/hosted.js";
import { processAgent } from "../process/process-agent.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { command } from "./command.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";
import { given } from "../../system/given.js";
import type { Ports } from "../../system/ports.js";

/** Every kind. */
const CLIENTS: Readonly<Record<AgentKind, Client>> = {
  acp,
  chapo,
  claude,
  codex,
  command,
  gemini,
  module: moduleAgent,
  opencode,
  scripted: scriptedAgent,
};

/** The agent these settings describe. */
export function createAgent(settings: AgentSettings, deps: AgentDeps): Agent {
  return processAgent(CLIENTS[settings.kind], { ...deps, settings });
}

/** The facts on a kind that need no start of it. */
export function clientOf({ kind }: Pick<AgentSettings, "kind">): Client {
  return CLIENTS[kind];
}

/** The actions of an agent beyond its permissions; `undefined` where they hold. */
export function exceededBy(
  settings: Pick<AgentSettings, "kind" | "permissions" | "chapo">,
): string | undefined {
  return settings.permissions === "full" ? undefined : CLIENTS[settings.kind].exceeds(settings);
}

type Payee = Pick<AgentSettings, "kind" | "output" | "chapo" | "price">;

/** Whether an agent can tell what tokens it used at all. */
export function canReportTokens(settings: Payee): boolean {
  return CLIENTS[settings.kind].reports(settings) !== "nothing";
}

/** Whether what an agent costs can be known at all: by its own word, or by the price of its model's tokens. */
export function mayKnowCost(settings: Payee): boolean {
  const reported = CLIENTS[settings.kind].reports(settings);
  return reported === "cost" || (reported === "tokens" && settings.price !== undefined);
}

/** The message and the hint when `auto` finds no agent. `known`: the agents of the settings; `auto` takes none that is the user's own. */
export function explainNoneFound(known: readonly string[]): { missing: string; hint: string } {
  const builtIn: readonly string[] = AUTO_ORDER;
  const own = known.filter((name) => !builtIn.includes(name));
  const missing = `none of ${builtIn.slice(0, -1).join(", ")} is on PATH, and no key is set for chapo`;
  const install =
    "npm install -g @anthropic-ai/claude-code, or npm install -g @openai/codex, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY";
  const [first] = own;
  if (first === undefined) return { missing, hint: install };
  const hint = `name your own: looper config set schedule.agent ${first}, or looper run --agent ${first}`;
  return {
    missing: `${missing}; of your own there ${own.length === 1 ? "is" : "are"} ${own.join(", ")}`,
    hint,
  };
}

/** The first of these agents that can be started; `undefined` when none can. */
export async function chooseAuto(
  candidates: readonly Agent[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Agent | undefined> {
  for (const agent of candidates) {
    if ("found" in (await agent.find(env, cwd))) return agent;
  }
  return undefined;
}

/** The client's answers; a field is absent when it is not known. */
export interface About {
  /** E.g. `0.169.0`. */
  version?: string;
  signedIn?: boolean;
}

/** The longest an answer may take. */
const PATIENCE_MS = 15_000;
const MOST_BYTES = 64 * 1024;

/** Asks a client. One that does not answer, or in words not known, has said nothing. */
export async function askAbout(
  { processes }: Pick<Ports, "processes">,
  { settings, program }: { settings: Pick<AgentSettings, "kind">; program: string },
  place: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<About> {
  const questions = clientOf(settings).about;
  if (questions === undefined) return {};
  const ask = async (args: readonly string[]): Promise<{ stdout: string; exitCode: number } | undefined> => {
    const limits = { timeoutMs: PATIENCE_MS, maxBytes: MOST_BYTES };
    const { end, stdout } = await processes.run({ command: program, args, ...place }, limits);
    return end.how === "exited"
      ? { stdout: Buffer.from(stdout).toString("utf8"), exitCode: end.code }
      : undefined;
  };
  const { signedIn } = questions;
  const [version, login] = await Promise.all([
    ask(questions.version),
    signedIn === undefined ? undefined : ask(signedIn.args),
  ]);
  const number = /(?<!\d)\d+\.\d+\.\d+\S*/.exec(version?.stdout ?? "")?.[0];
  const isSignedIn = login === undefined ? undefined : signedIn?.read(login.stdout, login.exitCode);
  return given({ version: number, signedIn: isSignedIn });
}
