// Five layers become one: defaults, the user's file, the project's file, LOOPER_* variables, flags; each
// value keeps its source. Leaves reading the files to load.ts.
import { usageError } from "../../system/errors.js";
import { hintOn, nearest } from "../../system/text/nearest.js";
import { addClaudeHooks, type ClaudeHook } from "../claude/claude-hooks.js";
import { kindOfName } from "./agent-settings.js";
import { readEnvLayer } from "./env-layer.js";
import {
  addValue,
  readFileLayer,
  show,
  type SettingEntry,
  type LayerReading,
  type Source,
} from "./layers.js";
import type { Env } from "./places.js";
import { AUTO, namesAgents, rowAt, ROWS, STRATEGIES, type Settings } from "../settings/settings.js";
import type { SettingsFile } from "./settings-text.js";
import { BUILT_IN_AGENTS, keyOf, type KeyPath } from "../settings/setting-row.js";
import { addText } from "./text-values.js";

/** The typed values by flag (`--hook`); a repeated flag has a list. Paths are absolute already. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[]>>;

/** The layers above the defaults, lowest first. */
export interface Layers {
  user?: SettingsFile | undefined;
  /** Agents of workflows: above the user's file, below the project's. A project's own need its trust. */
  workflows?: readonly { file: SettingsFile; layer: "user" | "project" }[] | undefined;
  project?: SettingsFile | undefined;
  env: Env;
  flags: Flags;
  /** Hooks of Claude Code's files, after those of the settings. */
  claudeHooks?: readonly ClaudeHook[] | undefined;
}

export interface Valued {
  value: unknown;
  /** As a file would spell it. */
  spelled: unknown;
  source: Source;
}

/** The settings, and where each came from: `values` by key path, only of settings that have a value. */
export interface ResolvedSettings {
  settings: Settings;
  values: ReadonlyMap<string, Valued>;
  /** Sentences about variables that look like settings and are none, and settings that do nothing. */
  warnings: readonly string[];
  /** The hooks of Claude Code's files, which are in `settings` too. */
  claudeHooks?: readonly ClaudeHook[];
}

/** Throws one `usage` error that lists every problem of every layer. */
export function resolveSettings(layers: Layers): ResolvedSettings {
  const files = [
    layers.user === undefined ? nothing() : readFileLayer(layers.user, "user"),
    ...(layers.workflows ?? []).map(({ file, layer }) => readFileLayer(file, layer)),
    layers.project === undefined ? nothing() : readFileLayer(layers.project, "project"),
  ];
  const env = readEnvLayer(layers.env, agentNames(files));
  const flags = readFlagLayer(layers.flags, agentNames([...files, env]));
  const readings = [...files, env, flags];
  const names = agentNames(readings);
  // The later entry of a key wins; keys keep the table's order, then that of the layers.
  const all = [...defaults(names), ...readings.flatMap((reading) => reading.entries)];
  const entries = new Map(all.map((entry) => [keyOf(entry.path), entry]));
  refuse(readings.flatMap((reading) => reading.problems));
  refuse([...incompleteAgents(names, entries), ...unknownAgents(names, entries)]);
  const [settings, values] = [nest(entries, names), valuesOf(entries)];
  const resolved = { settings, values, warnings: [...env.warnings, ...findUnusedSettings(settings, values)] };
  const { claudeHooks } = layers;
  if (claudeHooks === undefined) return resolved;
  return { ...resolved, settings: addClaudeHooks(settings, claudeHooks), claudeHooks };
}

function nothing(): LayerReading {
  return { entries: [], problems: [] };
}

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  // Of a flag the message itself is enough.
  const ofFlags = problems.every((problem) => problem.startsWith("--"));
  throw usageError(problems.join("\n"), ofFlags ? undefined : "correct the settings named above");
}

/** The built-in agents, then the others in the order they are met. */
function agentNames(readings: readonly LayerReading[]): string[] {
  const met = readings.flatMap(({ entries }) =>
    entries.map(({ path }) => (path[0] === "agents" ? path[1] : undefined)),
  );
  return [...new Set([...BUILT_IN_AGENTS, ...met.filter((name) => name !== undefined)])];
}

function readFlagLayer(flags: Flags, agents: readonly string[]): LayerReading {
  const reading = nothing();
  for (const [flag, given] of Object.entries(flags)) {
    const [key, row] = [...ROWS].find(([, candidate]) => candidate.flag?.name === flag) ?? [];
    if (key === undefined || row === undefined) throw new Error(`no setting has the flag ${flag}`);
    const source = { layer: "flag", where: flag } as const;
    for (const path of pathsOf(key, agents)) {
      const raw = typeof given === "boolean" ? given !== flag.startsWith("--no-") : given;
      if (typeof given === "string") addText(reading, { path, text: given, source });
      else addValue(reading, { path, row, raw, source });
    }
  }
  return reading;
}

function defaults(agents: readonly string[]): SettingEntry[] {
  const source = { layer: "default", where: "" } as const;
  const entries: SettingEntry[] = [];
  for (const [key, row] of ROWS) {
    const value = row.default === undefined ? undefined : row.type.parse(row.default);
    for (const path of pathsOf(key, agents)) {
      const own = key === "agents.*.kind" ? kindOfName(path[1] ?? "") : value;
      if (own !== undefined) entries.push({ path, value: own, spelled: row.default, source });
    }
  }
  return entries;
}

/** An agent needs a kind, and some kinds need to be told what to start. */
function incompleteAgents(agents: readonly string[], entries: ReadonlyMap<string, SettingEntry>): string[] {
  return agents.flatMap((agent) => {
    const kind = entries.get(`agents.${agent}.kind`)?.value;
    const met = [...entries.values()].find(
      (entry) => entry.path[1] === agent && entry.source.layer !== "default",
    );
    const where = `${met?.source.where ?? ""}: agents.${agent}`;
    if (kind === undefined) {
      const near = nearest(agent, BUILT_IN_AGENTS);
      return [`${where}.kind is missing${near === undefined ? "" : `; did you mean the agent ${near}?`}`];
    }
    return [...ROWS]
      .filter(([, { neededBy }]) => neededBy?.some((one) => one === kind))
      .map(([key]) => key.replace("agents.*.", ""))
      .filter((needed) => !entries.has(`agents.${agent}.${needed}`))
      .map((needed) => `${where}.${needed} is missing; kind ${show(kind)} needs it`);
  });
}

/** Problems with names in the schedule and the roles that are not agents. */
function unknownAgents(agents: readonly string[], entries: ReadonlyMap<string, SettingEntry>): string[] {
  return [...entries.values()].flatMap(({ path, value, source }) => {
    const key = keyOf(path);
    const row = rowAt(path);
    if (row === undefined || !namesAgents(row)) return [];
    const extra = key === "schedule.agent" ? [AUTO] : [];
    const named: unknown[] = Array.isArray(value) ? value : [value];
    return named
      .filter((name) => typeof name === "string" && ![...agents, ...extra].includes(name))
      .map((name) => {
        const candidates = [...agents, ...extra, ...(key === "schedule.agent" ? STRATEGIES : [])];
        return `${source.where}: ${key} is ${show(name)}, which is not an agent; ${hintOn(String(name), candidates, `allowed: ${candidates.join(", ")}`)}`;
      });
  });
}

/** A branch of the settings while it is being filled; without a prototype, for a variable may have any name. */
interface Nest {
  [key: string]: unknown;
}

function nest(entries: ReadonlyMap<string, SettingEntry>, agents: readonly string[]): Settings {
  const root: Nest = Object.create(null) as Nest;
  const branchAt = (path: KeyPath): Nest =>
    path.reduce<Nest>((branch, key) => (branch[key] ??= Object.create(null)) as Nest, root);
  for (const key of ROWS.keys()) for (const path of pathsOf(key, agents)) branchAt(path.slice(0, -1));
  for (const { path, value } of entries.values()) branchAt(path.slice(0, -1))[path.at(-1) ?? ""] = value;
  // The table is both the type and what was checked above; the compiler cannot follow a tree built at run time.
  return root as Settings;
}

/** The key paths of a row: one for each agent where it is about agents. */
function pathsOf(key: string, agents: readonly string[]): KeyPath[] {
  const [first = "", name, ...rest] = key.split(".");
  if (name !== "*") return [key.split(".")];
  // Roles have no defaults.
  if (first !== "agents") return [];
  return agents.map((agent) => [first, agent, ...rest]);
}

/** The roles that are not those of stages. */
const ROLES = [...ROWS.keys()].flatMap((key) => /^roles\.([a-z]+)$/.exec(key)?.[1] ?? []);

/**
 * A warning for each setting in a file that has no effect for its agent's kind. A flag or a variable is meant for every agent
 * that can use it.
 */
function findUnusedSettings({ agents }: Settings, values: ReadonlyMap<string, Valued>): string[] {
  return [...values].flatMap(([key, { source }]) => {
    const [top, name = ""] = key.split(".");
    const meant = top === "roles" && !ROLES.includes(name) ? nearest(name, ROLES) : undefined;
    if (meant !== undefined)
      return [`${source.where}: ${key} is for stages that name this role; did you mean roles.${meant}?`];
    const kinds = rowAt(key.split("."))?.kinds;
    const kind = agents[name]?.kind ?? kindOfName(name);
    const inFile = source.layer === "user" || source.layer === "project";
    if (kinds === undefined || kind === undefined || !inFile || kinds.includes(kind)) return [];
    return [
      `${source.where}: ${key} does nothing: ${name} is of kind ${kind}; it is for ${kinds.join(", ")}`,
    ];
  });
}

/** The values by key. The built-in engine's defaults are left out for all other agents. */
function valuesOf(entries: ReadonlyMap<string, SettingEntry>): Map<string, Valued> {
  const isOfOther = ({ path: [, agent = "", part], source }: SettingEntry): boolean =>
    part === "chapo" && source.layer === "default" && entries.get(`agents.${agent}.kind`)?.value !== "chapo";
  const told = [...entries].filter(([, entry]) => !isOfOther(entry));
  return new Map(told.map(([key, { value, spelled = value, source }]) => [key, { value, spelled, source }]));
}
