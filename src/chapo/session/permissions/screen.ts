// Keeps what the rules cover out of results: names and contents of files for the file tools, and, for results whose origin
// cannot be told (a shell, a foreign tool), the lines of files that a deny rule covers. Also removes the models' keys.
import path from "node:path";
import { decodePath, readStart, type Hidden, type ProjectFolder } from "../../paths.js";
import type { PermissionMode } from "../../../config/settings/modes.js";
import { TABLE } from "../../rules/modes.js";
import { meetsPath } from "../../rules/patterns.js";
import { type PermissionRules, listGuardedPaths } from "../../rules/read-rules.js";
import { findReadRule } from "../../rules/reading.js";
import { isNamed } from "../../rules/tool-names.js";
import { hasSecretName } from "../../../system/text/secrets/secret-names.js";
import { createRedact, type Redact } from "../../../system/text/secrets/redact.js";
import { findModelKeys } from "../../tool-env.js";
import type { Gatekeepers } from "../../engine/world.js";
import { findGuardedNames } from "./hard-links.js";

/** The parts that decide what is kept out of results. */
export interface ScreenPlace extends ProjectFolder {
  rules: PermissionRules;
  mode: () => PermissionMode;
  env: Readonly<Record<string, string>>;
}

/** Creates the screen of a session. */
export function createScreen(place: ScreenPlace): Pick<Gatekeepers, "screen"> & { hidden: Hidden } {
  const removeKeys = createKeyFilter(place.env);
  return {
    hidden: createHidden(place),
    screen: async (tool, text) => removeKeys(OPAQUE.test(tool) ? await removeDenied(place, text) : text),
  };
}

/** Removes the values of the models' keys, and nothing else. */
function createKeyFilter(env: Readonly<Record<string, string>>): Redact {
  const keys = findModelKeys(env);
  if (keys.length === 0) return (text) => text;
  const redact = createRedact(keys);
  // The redactor knows the shapes of other keys too; texts without one of these keys stay as they are.
  return (text) => (keys.some((key) => mayContain(text, key)) ? redact(text) : text);
}

function mayContain(text: string, key: string): boolean {
  return (
    text.includes(key) ||
    text.includes(JSON.stringify(key).slice(1, -1)) ||
    /\\[ux/\\]|%[0-9a-fA-F]{2}/.test(text)
  );
}

/** Decides what the file tools leave out of lists and searches. A file that is named in a call is decided on by the gate. */
function createHidden({ files, root, rules, mode }: ScreenPlace): Hidden {
  const byPath: Pick<Hidden, "name" | "content"> = {
    name: (file) => findReadRule(rules, file) !== undefined,
    content: (file) =>
      findReadRule(rules, file) !== undefined ||
      (TABLE[mode()].secret !== "run" && hasSecretName(file) && !isAllowed(rules, file)),
  };
  const named = listGuardedPaths(rules).filter((one) => byPath.name(one));
  return {
    ...byPath,
    linked: async (hides, paths) =>
      new Set((await findGuardedNames({ files, root, isGuarded: byPath[hides], named }, paths)).keys()),
  };
}

function isAllowed({ all, root }: PermissionRules, file: string): boolean {
  return all.some(
    ({ list, tools, pattern }) =>
      list === "allow" &&
      isNamed(tools, "fs_readFile") &&
      (pattern === undefined || meetsPath(pattern.path, file, { root, wide: false })),
  );
}

/** Tools whose results may contain any file. */
const OPAQUE = /^(?:bash_|run_command|npm_|pm2_|logs_|mcp_|git_(?:add|commit|push|pull|status))/;
const LARGEST = 64 * 1024;
const MOST_BYTES = 1024 * 1024;
const SHORTEST = 8;
const SKIPPED = new Set([".git", "node_modules"]);

async function removeDenied(place: ScreenPlace, text: string): Promise<string> {
  const denied = place.rules.all.some(({ list, isAgainstReading }) => list === "deny" && isAgainstReading);
  if (!denied || text.length < SHORTEST) return text;
  let clean = text;
  for (const { file, line } of await readDeniedLines(place))
    if (clean.includes(line)) clean = clean.replaceAll(line, `[left out: a rule denies reading ${file}]`);
  return clean;
}

async function readDeniedLines(place: ScreenPlace): Promise<{ file: string; line: string }[]> {
  const { files, root, rules } = place;
  const real = (await files.realPath(root)) ?? root;
  const walked = await files.tree(real).walk("", (folder) => !SKIPPED.has(path.basename(folder)));
  const lines = new Map<string, string>();
  let left = MOST_BYTES;
  for (const { path: bytes, kind } of walked) {
    const file = decodePath(bytes);
    if (kind !== "file" || left <= 0 || findReadRule(rules, file)?.list !== "deny") continue;
    const read = await readStart(files, path.join(real, file), LARGEST);
    if (read === undefined || read.cut) continue;
    left -= read.text.length;
    for (const line of read.text.split("\n").flatMap(splitValue)) if (!lines.has(line)) lines.set(line, file);
  }
  // The longest first, so that nothing of a longer line stays.
  return [...lines].map(([line, file]) => ({ line, file })).sort((a, b) => b.line.length - a.line.length);
}

/** Returns the line, and the value of `NAME=value` or `name: value`. */
function splitValue(line: string): string[] {
  const [, value = ""] =
    /^(?:export\s+)?["']?[\w.-]+["']?\s*[=:](?:\s*["'])?([^"']*)["']?,?$/.exec(line.trim()) ?? [];
  return [line.trim(), value.trim()].filter((one) => one.length >= SHORTEST);
}
