// Merges files that have both parts of the work and settings of checks, above all package.json: the work as the attempt
// left it, the settings as at the base. Pure. protected-room.ts finds these files.
import { isDeepStrictEqual } from "node:util";
import { mergeMakefile } from "./protected-makefile.js";
import { parse, stringify, TomlError } from "smol-toml";
import { parseJson } from "../../system/text/json.js";

type Table = Record<string, unknown>;

interface Merge {
  /** Settings of checks, restored to the base. Each is a path of keys. */
  settings: readonly (readonly string[])[];
  /** Tables of named commands: those of the base are restored, new ones stay. */
  scripts: readonly (readonly string[])[];
}

const NODE: Merge = {
  settings: [
    ..."jest vitest mocha ava c8 nyc tap jasmine karma cypress playwright wdio babel eslintConfig eslintIgnore".split(
      " ",
    ),
    ..."prettier stylelint xo standard config looper packageManager volta husky lint-staged bunfig".split(
      " ",
    ),
  ].map((key) => [key]),
  scripts: [["scripts"]],
};
const DENO: Merge = { settings: [["test"], ["lint"], ["fmt"]], scripts: [["tasks"]] };
const COMPOSER: Merge = { settings: [["config"]], scripts: [["scripts"]] };
const PYTHON: Merge = {
  settings: "pytest coverage tox nox unittest ruff mypy pyright pylint flake8 black isort hatch pytest_env"
    .split(" ")
    .map((key) => ["tool", key]),
  scripts: [
    ["tool", "poe", "tasks"],
    ["tool", "taskipy", "tasks"],
    ["tool", "pdm", "scripts"],
  ],
};

const MANIFESTS: Readonly<Record<string, Merge>> = {
  "package.json": NODE,
  "deno.json": DENO,
  "composer.json": COMPOSER,
  "pyproject.toml": PYTHON,
};

/** Scripts that npm runs automatically, before or after other commands. */
const UNASKED =
  /^(?:(?:pre|post)(?:install|prepare|publish|publishOnly|pack|test|start|stop|restart|version|uninstall|shrinkwrap)?|install|prepare|prepublish|prepublishOnly|prepack|dependencies)$/;

/** Whether a file of this name is such a manifest. */
export function isManifest(name: string): boolean {
  return Object.hasOwn(MANIFESTS, name);
}

/** Whether a file of this name has rules for make. */
export function isRuleFile(name: string): boolean {
  return /^(?:GNUmakefile|[Mm]akefile|.+\.mk)$/.test(name);
}

/**
 * Restores the settings of checks in the attempt's file to the base; `undefined` if they are unchanged. With `keepNew`,
 * settings that the base does not have stay. A file that is not valid JSON or TOML stays too: it fails by itself.
 */
export function mergeManifest(
  name: string,
  texts: { base: string; now: string },
  keepNew: boolean,
): string | undefined {
  if (isRuleFile(name)) return mergeMakefile(texts.base, texts.now);
  const merge = MANIFESTS[name];
  const format = name.endsWith(".toml") ? TOML : JSON_FORMAT;
  const base = format.read(texts.base);
  const now = format.read(texts.now);
  if (merge === undefined || base === undefined || now === undefined) return undefined;
  const merged = copyTables(now);
  for (const path of merge.settings) {
    const old = at(base, path);
    if (old !== undefined || !keepNew) put(merged, path, old);
  }
  for (const path of merge.scripts) put(merged, path, mergeScripts(at(base, path), at(now, path)));
  return isDeepStrictEqual(merged, now) ? undefined : format.write(merged);
}

/** Whether Looper's settings in package.json differ. */
export function changesLooperKey(texts: { base: string; now: string }): boolean {
  const base = JSON_FORMAT.read(texts.base);
  const now = JSON_FORMAT.read(texts.now);
  return now !== undefined && !isDeepStrictEqual(at(base ?? {}, ["looper"]), at(now, ["looper"]));
}

function mergeScripts(base: unknown, now: unknown): unknown {
  if (!isTable(now)) return base;
  const old = isTable(base) ? base : {};
  const isSly = (name: string): boolean => {
    const about = /^(?:pre|post)(.+)$/.exec(name)?.[1];
    return UNASKED.test(name) || (about !== undefined && Object.hasOwn(old, about));
  };
  const added = Object.entries(now).filter(([name]) => !Object.hasOwn(old, name) && !isSly(name));
  if (base === undefined && added.length === 0) return undefined;
  return { ...old, ...Object.fromEntries(added) };
}

interface Format {
  /** `undefined`: not a table, or not this format at all. */
  read: (text: string) => Table | undefined;
  write: (table: Table) => string;
}

const JSON_FORMAT: Format = {
  read: (text) => {
    const value = parseJson(text);
    return isTable(value) ? value : undefined;
  },
  write: (table) => `${JSON.stringify(table, undefined, 2)}\n`,
};

const TOML: Format = {
  read: (text) => {
    try {
      // Its tables do not have a prototype, which would make them differ from equal tables.
      return copyTables(parse(text, { integersAsBigInt: true }));
    } catch (error) {
      if (error instanceof TomlError) return undefined;
      throw error;
    }
  },
  write: (table) => stringify(table, { numbersAsFloat: true }),
};

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Copies tables; other values, dates for instance, are shared. */
function copyTables(table: Table): Table {
  return Object.fromEntries(
    Object.entries(table).map(([key, value]) => [key, isTable(value) ? copyTables(value) : value]),
  );
}

function at(table: Table, path: readonly string[]): unknown {
  let value: unknown = table;
  for (const key of path) value = isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Sets or removes the value at a path; missing tables are created only for a value. */
function put(table: Table, path: readonly string[], value: unknown): void {
  const [key = "", ...rest] = path;
  const inner = Object.hasOwn(table, key) ? table[key] : undefined;
  if (rest.length > 0) {
    if (isTable(inner)) put(inner, rest, value);
    else if (value !== undefined) {
      const made: Table = {};
      put(made, rest, value);
      table[key] = made;
    }
  } else if (value === undefined) {
    Reflect.deleteProperty(table, key);
  } else {
    table[key] = value;
  }
}
