// One layer of settings becomes entries: a row, a key path, a value that meets the row's type, a source.
// Leaves which entry wins to resolve.ts; env-layer.ts reads the variables.
import { shorten } from "../../system/text/cut.js";
import { nearest } from "../../system/text/nearest.js";
import {
  AGENT_NAME,
  branchAt,
  isStrategyModule,
  ROWS,
  SETTINGS,
  STRATEGY_WORDS,
  TREE,
  type Branch,
} from "../settings/settings.js";
import { NAME_PATTERN } from "../../workflow/words.js";
import { kindOfName } from "./agent-settings.js";
import type { SettingsFile } from "./settings-text.js";
import { keyOf, type KeyPath, type Row } from "../settings/setting-row.js";
import { choicesOf, readValue } from "../settings/types.js";

export type Layer = "default" | "user" | "project" | "env" | "flag";

/** Where a value came from: `where` is a file and line, a variable, a flag, or "" for a default. */
export interface Source {
  layer: Layer;
  where: string;
}

/** One value of one layer. */
export interface SettingEntry {
  path: KeyPath;
  /** As the row's type gives it: durations in milliseconds, strategies in their first spelling. */
  value: unknown;
  /** As it was spelled, where that is not the value. */
  spelled?: unknown;
  source: Source;
}

/** The result of reading a layer. Problems are whole sentences, shown together. */
export interface LayerReading {
  entries: SettingEntry[];
  problems: string[];
}

/** The entries of a settings file, with every problem in the file's order. */
export function readFileLayer(file: SettingsFile, layer: "user" | "project"): LayerReading {
  const reading: LayerReading = { entries: [], problems: [] };
  if (file.value !== undefined) readBranch({ file, layer, reading }, TREE, [], file.value);
  return reading;
}

interface FileReader {
  file: SettingsFile;
  layer: "user" | "project";
  reading: LayerReading;
}

function readBranch(reader: FileReader, branch: Branch, path: KeyPath, value: unknown): void {
  const { file, layer, reading } = reader;
  const where = `${file.name}:${String(file.lineOf(path))}`;
  if (branch.row !== undefined) {
    addValue(reading, { path, row: branch.row, raw: value, source: { layer, where } });
    return;
  }
  if (keyOf(path) === "schedule" && typeof value === "string") {
    addSchedule(reading, value, { layer, where });
    return;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const what = path.length === 0 ? "the settings are" : `${keyOf(path)} is`;
    reading.problems.push(`${where}: ${what} ${show(value)}; allowed: an object`);
    return;
  }
  const members: [string, unknown][] = Object.entries(value);
  const [first, name = ""] = path;
  if (first === "agents" && members.length === 0 && path.length === 2 && kindOfName(name) === undefined)
    reading.problems.push(`${where}: ${keyOf(path)}.kind is missing`);
  for (const [key, below] of members) {
    if (path.length === 0 && key === "$schema") continue;
    const child = branch.children.get(key) ?? branch.children.get("*");
    const problem = child === undefined ? unknownKey(branch, path, key) : badName(path, key);
    if (child !== undefined && problem === undefined) readBranch(reader, child, [...path, key], below);
    else reading.problems.push(`${file.name}:${String(file.lineOf([...path, key]))}: ${problem ?? ""}`);
  }
}

function unknownKey(branch: Branch, path: KeyPath, key: string): string {
  const near = nearest(key, [...branch.children.keys()]);
  const elsewhere = [...ROWS.keys()].find((known) => known.endsWith(`.${key}`));
  const guess = near === undefined ? elsewhere?.replace("*", "<name>") : keyOf([...path, near]);
  const hint = guess === undefined ? "" : `did you mean ${guess}? `;
  return `unknown key ${keyOf([...path, key])}; ${hint}allowed here: ${[...branch.children.keys()].join(", ")}`;
}

/** A schedule that is one word: a strategy, or the name of an agent, as upstream's `--schedule codex`. */
export function addSchedule(reading: LayerReading, word: string, source: Source): void {
  const { "schedule.strategy": row, "schedule.agent": agent } = SETTINGS;
  const spelled = word.trim();
  const name = isStrategyModule(spelled) ? spelled : spelled.toLowerCase();
  const add = (key: string, one: Row, raw: string): void => {
    addValue(reading, { path: ["schedule", key], row: one, raw, source });
  };
  const isAgent = !readValue(row.type, name).ok;
  if (isAgent && !AGENT_NAME.test(name)) {
    const allowed = `${STRATEGY_WORDS}, or an agent's name`;
    reading.problems.push(`${source.where}: schedule is ${show(word)}; allowed: ${allowed}`);
    return;
  }
  add("strategy", row, isAgent ? "single" : name);
  if (isAgent) add("agent", agent, name);
}

/** Names the user chooses: agents, and variables of their environment. */
function badName(path: KeyPath, key: string): string | undefined {
  if (path.length === 1 && path[0] === "agents" && !AGENT_NAME.test(key)) {
    return `${show(key)} cannot be an agent's name; allowed: a small letter, then small letters, digits and dashes`;
  }
  if (path.length === 1 && path[0] === "roles" && !NAME_PATTERN.test(key)) {
    return `${show(key)} cannot be a role's name; allowed: a small letter, then at most 39 small letters, digits, dashes and underscores`;
  }
  if (path.length === 3 && path[2] === "env" && !/^[^=\0]+$/.test(key)) {
    return `${show(key)} cannot be a variable's name`;
  }
  // Dots part the words of a key; names end up in those of tools.
  const isNamed = path.length > 3 && path[0] === "agents" && branchAt(path)?.children.has("*") === true;
  if (isNamed && !/^[A-Za-z0-9][\w-]{0,63}$/.test(key)) {
    return `${show(key)} cannot be a name; allowed: at most 64 letters, digits, dashes and underscores`;
  }
  return undefined;
}

/** The value given for one setting; `raw` is as spelled. */
export interface Given {
  path: KeyPath;
  row: Row;
  raw: unknown;
  source: Source;
}

/** Adds a value that meets the row's type; else a problem that says what is allowed. */
export function addValue(reading: LayerReading, given: Given): void {
  const { path, row, raw, source } = given;
  const read = readValue(row.type, raw);
  if (read.ok) {
    reading.entries.push({ path, value: read.value, spelled: raw, source });
    return;
  }
  const { key, wrong } = pointAt(raw, read.path, keyOf(path));
  const near = typeof wrong === "string" ? nearest(wrong, choicesOf(row.type) ?? []) : undefined;
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  reading.problems.push(`${source.where}: ${key} is ${show(wrong)}; allowed: ${read.allowed}${hint}`);
}

/** The part of a value that is wrong, as far as it is there, and its address. */
function pointAt(raw: unknown, path: readonly PropertyKey[], key: string): { key: string; wrong: unknown } {
  const [first, ...rest] = path;
  if (Array.isArray(raw) && typeof first === "number")
    return pointAt(raw[first], rest, `${key}[${String(first)}]`);
  if (typeof raw !== "object" || raw === null || typeof first !== "string") return { key, wrong: raw };
  const member = new Map<string, unknown>(Object.entries(raw)).get(first);
  return member === undefined ? { key, wrong: raw } : pointAt(member, rest, `${key}.${first}`);
}

/** A value in a message: as JSON, at most about a line of it. */
export function show(value: unknown): string {
  return shorten(JSON.stringify(value), 80);
}
