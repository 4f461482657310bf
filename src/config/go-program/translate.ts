// Settings of the Go program as settings of this one. Pure. Leaves finding and reading its files to find.ts, and writing to `init`.
import { rowAt, show } from "../read/layers.js";
import { AGENT_NAME, BUILT_IN_AGENTS } from "../settings/settings.js";
import { replaceKey } from "../settings/go-program-names.js";

/** A value and its two names. */
export interface MovedKey {
  from: string;
  to: string;
  value: unknown;
}

/** A key that nothing here takes the place of, and why; or a value that is not taken. */
export interface LeftKey {
  from: string;
  value: unknown;
  why: string;
}

export interface Translation {
  moved: readonly MovedKey[];
  left: readonly LeftKey[];
}

/** Translates what a `looper.toml` holds. Empty texts count as unset there, so they are neither moved nor left. */
export function translateSettings(toml: Readonly<Record<string, unknown>>): Translation {
  const given = leavesOf(toml, []).filter(({ value }) => value !== "");
  const [moved, left]: [MovedKey[], LeftKey[]] = [[], []];
  for (const { path, value } of given) {
    const read = translateKey(path, value);
    if ("why" in read) left.push({ from: path.join("."), value, why: read.why });
    else moved.push(...read.map(({ to, value: made }) => ({ from: path.join("."), to, value: made })));
  }
  const agents = kindsOf(moved);
  return withKnownAgents([...withoutDefaults(moved), ...agents], left);
}

interface Leaf {
  path: readonly string[];
  value: unknown;
}

/** Tables are looked into; lists and dates are values. */
function leavesOf(value: unknown, path: readonly string[]): Leaf[] {
  const isTable =
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
  if (!isTable) return [{ path, value }];
  const members: [string, unknown][] = Object.entries(value);
  // An old spelling of custom agents: [agents.agents.name].
  const isNested = (key: string): boolean => path.length === 1 && path[0] === "agents" && key === "agents";
  return members.flatMap(([key, below]) => leavesOf(below, isNested(key) ? path : [...path, key]));
}

type Made = readonly { to: string; value: unknown }[];

function translateKey(path: readonly string[], value: unknown): Made | { why: string } {
  const named = path[0] === "agents" ? [path[0], tidy(path[1] ?? ""), ...path.slice(2)] : path;
  const instead = replaceKey(named);
  if (instead === undefined) return { why: "the Go program has no such key either" };
  if ("says" in instead) return { why: instead.says };
  if (named[0] === "agents" && !AGENT_NAME.test(named[1] ?? ""))
    return { why: "an agent's name is a small letter, then small letters, digits and dashes" };
  if (instead.key === "log_dir" && /^(?:~|\$HOME|\$\{HOME\})\/\.looper\/?$/.test(String(value)))
    return { why: "this is the Go program's default; runs are logged in `looper-logs`, in the project" };
  if (instead.key === "schedule.strategy") return scheduleOf(tidy(String(value)));
  const to = instead.key;
  if (isPromptOfClient(to, value))
    return { why: `looper passes ${named[1] ?? ""} its prompt in its own way` };
  const made = spelled(to, value);
  const read = rowAt(to.split("."))?.type.read(made);
  if (read?.ok !== true) return { why: `${to} cannot be ${show(value)}: ${read?.faults[0].allowed ?? ""}` };
  return [{ to, value: made }];
}

/** How the Go program passes the prompt, where nothing else is set. */
const PROMPT_FORMATS: ReadonlyMap<string, string> = new Map([
  ["codex", "stdin"],
  ["claude", "arg"],
]);

/** Whether another way to pass the prompt was set for a client that is built in: here that cannot be chosen. */
function isPromptOfClient(to: string, value: unknown): boolean {
  const [, name = "", key] = to.split(".");
  return key === "prompt_via" && isBuiltIn(name) && PROMPT_FORMATS.get(name) !== value;
}

/** Names are read as the Go program reads them; lists may be texts with commas. */
function spelled(key: string, value: unknown): unknown {
  if (key === "hooks.post_iteration") return [value];
  if (/^roles\.|^schedule\.(?:odd|even)$/.test(key)) return typeof value === "string" ? tidy(value) : value;
  if (key !== "schedule.agents" && !key.endsWith(".args")) return value;
  const list: unknown[] =
    typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [value];
  const items = list
    .map((item) => (typeof item === "string" ? item.trim() : item))
    .filter((item) => item !== "");
  return key === "schedule.agents"
    ? items.map((item) => (typeof item === "string" ? tidy(item) : item))
    : items;
}

function tidy(name: string): string {
  return name.trim().toLowerCase();
}

/** A schedule there is a strategy or an agent's name. */
function scheduleOf(word: string): Made | { why: string } {
  if (/^odd[-_]?even$/.test(word)) return [{ to: "schedule.strategy", value: "odd-even" }];
  if (/^(?:round[-_]?robin|rr)$/.test(word)) return [{ to: "schedule.strategy", value: "round-robin" }];
  if (!AGENT_NAME.test(word)) return { why: `${show(word)} is neither a strategy nor an agent's name` };
  return [{ to: "schedule.agent", value: word }];
}

function isBuiltIn(name: string): boolean {
  return BUILT_IN_AGENTS.some((known) => known === name);
}

/** Leaves out keys that only repeat a default: `binary = "codex"`, and how a built-in client gets its prompt. */
function withoutDefaults(moved: readonly MovedKey[]): MovedKey[] {
  return moved.filter(({ to, value }) => {
    const [group, name = "", key] = to.split(".");
    if (group !== "agents" || !isBuiltIn(name)) return true;
    return key !== "prompt_via" && !(key === "binary" && value === name) && !isEmptyList(value);
  });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** An agent of the user's own is a command. */
function kindsOf(moved: readonly MovedKey[]): MovedKey[] {
  const own = new Map<string, MovedKey[]>();
  for (const one of moved) {
    const [group, name = ""] = one.to.split(".");
    if (group === "agents" && !isBuiltIn(name)) own.set(name, [...(own.get(name) ?? []), one]);
  }
  return [...own].flatMap(([name, keys]) => {
    const from = `agents.${name}`;
    const binary = keys.some(({ to }) => to === `${from}.binary`);
    return [
      { from, to: `${from}.kind`, value: "command" },
      ...(binary ? [] : [{ from, to: `${from}.binary`, value: name }]),
    ];
  });
}

const NAMES_AGENTS = /^roles\.|^schedule\.(?:agent|agents|odd|even)$/;

/** A name of an agent that the Go program had from a plugin would stop every command. */
function withKnownAgents(moved: readonly MovedKey[], left: readonly LeftKey[]): Translation {
  const known = new Set<unknown>(moved.flatMap(({ to }) => /^agents\.([^.]+)\./.exec(to)?.[1] ?? []));
  const lost = ({ to, value }: MovedKey): unknown =>
    NAMES_AGENTS.test(to)
      ? (Array.isArray(value) ? value : [value]).find((name) => !isBuiltIn(String(name)) && !known.has(name))
      : undefined;
  const strange = moved.filter((one) => lost(one) !== undefined);
  return {
    moved: moved.filter((one) => lost(one) === undefined),
    left: [
      ...left,
      ...strange.map((one) => ({
        from: one.from,
        value: one.value,
        why: `no agent is called ${show(lost(one))} here; add it under \`agents\`, then set ${one.to}`,
      })),
    ],
  };
}

/** The values as a settings file nests them. */
export function nestSettings(moved: readonly Pick<MovedKey, "to" | "value">[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const { to, value } of moved) {
    const path = to.split(".");
    let branch = root;
    for (const key of path.slice(0, -1)) {
      const below = branch[key];
      const next: Record<string, unknown> = typeof below === "object" && below !== null ? { ...below } : {};
      branch[key] = next;
      branch = next;
    }
    branch[path.at(-1) ?? ""] = value;
  }
  return root;
}

/** Whether a settings file says something at a key path, whatever it says. */
export function isSet(settings: unknown, key: string): boolean {
  let value = settings;
  for (const part of key.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return false;
    value = Reflect.get(value, part);
  }
  return true;
}
