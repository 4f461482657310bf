// The layer of environment variables: `LOOPER_` + the key path, and upstream's short names (contract §2).
// Leaves which value wins to resolve.ts.
import { nearest } from "../../system/text/nearest.js";
import { type LayerReading } from "./layers.js";
import type { Env } from "./places.js";
import { AGENT_NAME, rowAt, ROWS } from "../settings/settings.js";
import type { KeyPath } from "../settings/setting-row.js";
import { addText } from "./text-values.js";

/** Set by a run for what it starts, or read by others: never settings, never a typing error. */
const NEVER_SETTINGS = new Set(
  "RUN_ID PHASE ITERATION ATTEMPT TASK_ID STATUS VERIFIED AGENT LAST_MESSAGE LOG_LEVEL LOG_FORMAT CHAPO_API_KEY"
    .split(" ")
    .map((name) => `LOOPER_${name}`),
);
const PREFIX = "LOOPER_";
const MARK = "LOOPER_MARK_";
const AGENTS = "LOOPER_AGENTS_";
const ROLES = "LOOPER_ROLES_";

/** Upstream's names of variables, and the key that each sets. */
export const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  [...ROWS.values()].flatMap((row) => Object.entries(row.env ?? {})),
);

/** Made for the first variable that may be a setting. */
const lazy: { longNames?: ReadonlyMap<string, string>; agentKeys?: readonly string[] } = {};

function longNames(): ReadonlyMap<string, string> {
  return (lazy.longNames ??= new Map(
    [...ROWS.keys()].filter((key) => !key.includes("*")).map((key) => [longName(key), key]),
  ));
}

/** The suffixes of `LOOPER_AGENTS_<NAME>_`, the longest first: PASS_ENV before ENV, IDLE_TIMEOUT before TIMEOUT. */
function agentKeys(): readonly string[] {
  return (lazy.agentKeys ??= [...ROWS.keys()]
    .filter((key) => key.startsWith("agents.*."))
    .map((key) => key.slice("agents.*.".length).replace(/\.\*$/, ""))
    .sort((a, b) => b.length - a.length));
}

/** `loop.max_iterations` → `LOOPER_LOOP_MAX_ITERATIONS`. */
function longName(key: string): string {
  return `LOOPER_${capitals(key)}`;
}

/** The variables that set a key of the table: its own, then upstream's short ones. `<NAME>` stands for an agent's. */
export function variablesOf(key: string): string[] {
  const own = longName(key.startsWith("agents.") ? key.replace(/\.\*$/, "") : key);
  const short = Object.keys(ROWS.get(key)?.env ?? {});
  return [...new Set([own.replace("*", "<NAME>"), ...short])];
}

function capitals(text: string): string {
  return text.toUpperCase().replace(/[.-]/g, "_");
}

/**
 * The settings among the variables of an environment, long names after short ones so that they win.
 * `agents`: the names known so far; others are read off the variables. `warnings` are about unknown `LOOPER_…`.
 */
export function readEnvLayer(env: Env, agents: readonly string[]): LayerReading & { warnings: string[] } {
  const reading: LayerReading & { warnings: string[] } = {
    entries: [],
    empty: [],
    problems: [],
    warnings: [],
  };
  const names = Object.keys(env).sort();
  // Later variables win.
  const rank = (name: string): number => (SHORT_NAMES.has(name) ? 0 : 1);
  for (const name of names.sort((a, b) => rank(a) - rank(b))) {
    const path = pathOf(name, agents);
    const text = env[name];
    if (text === undefined) continue;
    if (path !== undefined) addVariable(reading, path, { name, text, agents });
    else if (isUnknown(name)) reading.warnings.push(unknownVariable(name, agents));
  }
  return reading;
}

function addVariable(
  reading: LayerReading,
  path: KeyPath,
  { name, text, agents }: { name: string; text: string; agents: readonly string[] },
): void {
  const source = { layer: "env", where: name } as const;
  const one = SHORT_NAMES.has(name) && rowAt(path)?.isOne === true;
  addText(reading, { path, text, source, one, emptyIsUnset: true, agents });
}

function isUnknown(name: string): boolean {
  return name.startsWith("LOOPER_") && !NEVER_SETTINGS.has(name) && !name.startsWith(MARK);
}

function unknownVariable(name: string, agents: readonly string[]): string {
  const ofAgents = agents.flatMap((agent) => agentKeys().map((key) => longName(`agents.${agent}.${key}`)));
  const known = [...longNames().keys(), ...SHORT_NAMES.keys(), ...ofAgents].filter((one) =>
    one.startsWith(PREFIX),
  );
  // The common prefix does not count towards similarity.
  const near = nearest(
    name.slice(PREFIX.length),
    known.map((one) => one.slice(PREFIX.length)),
  );
  return `${name} is not a setting and was ignored${near === undefined ? "" : `; did you mean ${PREFIX}${near}?`}`;
}

function pathOf(name: string, agents: readonly string[]): KeyPath | undefined {
  const short = SHORT_NAMES.get(name);
  if (short === undefined && !name.startsWith(PREFIX)) return undefined;
  const key = short ?? longNames().get(name);
  if (key !== undefined) return key.split(".");
  if (name.startsWith(ROLES)) return ["roles", lower(name.slice(ROLES.length))];
  return name.startsWith(AGENTS) ? agentPath(name.slice(AGENTS.length), agents) : undefined;
}

/** `MY_BOT_ENV` → agents.my-bot.env. A known agent's name is tried first, the longest one; else the rest is a new name. */
function agentPath(rest: string, agents: readonly string[]): KeyPath | undefined {
  for (const agent of [...agents].sort((a, b) => b.length - a.length)) {
    const key = agentKeys().find((candidate) => rest === `${capitals(agent)}_${capitals(candidate)}`);
    if (key !== undefined) return ["agents", agent, ...key.split(".")];
  }
  const key = agentKeys().find((candidate) => rest.endsWith(`_${capitals(candidate)}`));
  if (key === undefined) return undefined;
  const agent = lower(rest.slice(0, -key.length - 1));
  return AGENT_NAME.test(agent) ? ["agents", agent, ...key.split(".")] : undefined;
}

/** `MY_BOT` → `my-bot`. */
function lower(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
