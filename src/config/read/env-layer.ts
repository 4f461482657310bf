// The layer of environment variables: `LOOPER_` + the key path, and upstream's short names.
// Leaves which value wins to resolve.ts.
import { nearest } from "../../system/text/nearest.js";
import { type LayerReading } from "./layers.js";
import type { Env } from "./places.js";
import { AGENT_NAME, rowAt, ROWS } from "../settings/settings.js";
import type { KeyPath } from "../settings/setting-row.js";
import { addText } from "./text-values.js";

/** Read by others: no settings, and no typing errors. */
const NEVER_SETTINGS = new Set(["LOOPER_LOG_LEVEL", "LOOPER_LOG_FORMAT", "LOOPER_CHAPO_API_KEY"]);
/** A run sets variables for what it starts, this one in all cases: below it no other is a typing error. */
const OF_A_RUN = "LOOPER_RUN_ID";
const PREFIX = "LOOPER_";
const MARK = "LOOPER_MARK_";
const AGENTS = "LOOPER_AGENTS_";
const ROLES = "LOOPER_ROLES_";

/** Upstream's names of variables, and the key that each sets. */
export const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  [...ROWS.values()].flatMap((row) => Object.entries(row.env ?? {})),
);

const LONG_NAMES: ReadonlyMap<string, string> = new Map(
  [...ROWS.keys()].filter((key) => !key.includes("*")).map((key) => [longName(key), key]),
);

/** The suffixes of `LOOPER_AGENTS_<NAME>_`, the longest first: PASS_ENV before ENV, IDLE_TIMEOUT before TIMEOUT. */
const AGENT_KEYS: readonly string[] = [...ROWS.keys()]
  .filter((key) => key.startsWith("agents.*."))
  .map((key) => key.slice("agents.*.".length).replace(/\.\*$/, ""))
  .sort((a, b) => b.length - a.length);

/** `loop.max_iterations` → `LOOPER_LOOP_MAX_ITERATIONS`. */
function longName(key: string): string {
  return `${PREFIX}${capitals(key)}`;
}

function capitals(text: string): string {
  return text.toUpperCase().replace(/[.-]/g, "_");
}

/**
 * The settings among the variables of an environment, long names after short ones so that they win.
 * `agents`: the names known so far; others are read off the variables. `warnings` are about unknown `LOOPER_…`.
 */
export function readEnvLayer(env: Env, agents: readonly string[]): LayerReading & { warnings: string[] } {
  const reading = { entries: [], problems: [], warnings: new Array<string>() };
  // Later variables win.
  const rank = (name: string): number => (SHORT_NAMES.has(name) ? 0 : 1);
  const names = Object.keys(env).sort();
  for (const name of names.sort((a, b) => rank(a) - rank(b))) {
    const path = pathOf(name, agents);
    const text = env[name];
    if (text === undefined) continue;
    if (path === undefined) {
      if (env[OF_A_RUN] === undefined && isUnknown(name))
        reading.warnings.push(unknownVariable(name, agents));
      continue;
    }
    const source = { layer: "env", where: name } as const;
    const one = SHORT_NAMES.has(name) && rowAt(path)?.isOne === true;
    addText(reading, { path, text, source, one, emptyIsUnset: true });
  }
  return reading;
}

function isUnknown(name: string): boolean {
  return name.startsWith("LOOPER_") && !NEVER_SETTINGS.has(name) && !name.startsWith(MARK);
}

function unknownVariable(name: string, agents: readonly string[]): string {
  const ofAgents = agents.flatMap((agent) => AGENT_KEYS.map((key) => longName(`agents.${agent}.${key}`)));
  const known = [...LONG_NAMES.keys(), ...SHORT_NAMES.keys(), ...ofAgents];
  // The common prefix does not count towards similarity.
  const near = nearest(
    name.slice(PREFIX.length),
    known.filter((one) => one.startsWith(PREFIX)).map((one) => one.slice(PREFIX.length)),
  );
  return `${name} is not a setting and was ignored${near === undefined ? "" : `; did you mean ${PREFIX}${near}?`}`;
}

function pathOf(name: string, agents: readonly string[]): KeyPath | undefined {
  const key = SHORT_NAMES.get(name) ?? LONG_NAMES.get(name);
  if (key !== undefined) return key.split(".");
  if (name.startsWith(ROLES)) return ["roles", lower(name.slice(ROLES.length))];
  return name.startsWith(AGENTS) ? agentPath(name.slice(AGENTS.length), agents) : undefined;
}

/** `MY_BOT_ENV` → agents.my-bot.env. The longest known agent's name is tried first; else it is a new one. */
function agentPath(rest: string, agents: readonly string[]): KeyPath | undefined {
  const splits = AGENT_KEYS.filter((key) => rest.endsWith(`_${capitals(key)}`)).map((key) => ({
    agent: lower(rest.slice(0, -key.length - 1)),
    key,
  }));
  const found = splits.findLast(({ agent }) => agents.includes(agent)) ?? splits[0];
  if (found === undefined || !AGENT_NAME.test(found.agent)) return undefined;
  return ["agents", found.agent, ...found.key.split(".")];
}

/** `MY_BOT` → `my-bot`. */
function lower(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
