import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../rig/documents.js";

const CONFIG = "oxlint.config.mjs";

interface Report {
  number_of_files: number;
  diagnostics: { filename: string; code: string }[];
}

/** A folder with the configuration of the project; without types, because the rules that need them are not ours. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "looper-lint-"));
  const text = readFileSync(path.join(ROOT, CONFIG), "utf8");
  const untyped = text
    .replace("{ typeAware: true, typeCheck: true }", "{}")
    .replace('from "oxlint"', `from "${ROOT}/node_modules/oxlint/dist/index.js"`);
  writeFileSync(path.join(folder, CONFIG), untyped);
  cpSync(path.join(ROOT, "scripts/lint-ports.mjs"), path.join(folder, "scripts/lint-ports.mjs"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The names of the rules that each of some files breaks, by its path: one start of the linter for all. */
function lint(files: Readonly<Record<string, string>>): Map<string, string[]> {
  const names = Object.keys(files);
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), files[name] ?? "");
  }
  const oxlint = path.join(ROOT, "node_modules/.bin/oxlint");
  const { stdout } = spawnSync(oxlint, ["-c", CONFIG, "-f", "json", ...names], {
    cwd: folder,
    encoding: "utf8",
  });
  const told = JSON.parse(stdout) as Report;
  expect(told.number_of_files).toBe(names.length);
  const found = new Map<string, string[]>(names.map((name) => [name, []]));
  for (const { filename, code } of told.diagnostics)
    found.get(filename)?.push(code.replace(/^eslint\((.*)\)$/, "$1"));
  return found;
}

function rules(file: string, code: string): string[] | undefined {
  return lint({ [file]: code }).get(file);
}

const long = (lines: number) => `export function long(): void {\n${"  void 0;\n".repeat(lines - 2)}}\n`;

const BANNED: readonly (readonly [code: string, rule: string])[] = [
  ["export const t = Date.now();", "no-restricted-properties"],
  ["const { now } = Date;\nexport const t = now();", "no-restricted-properties"],
  ["export const t = new Date();", "ports(no-now)"],
  ["export const t = Date();", "ports(no-now)"],
  ["export const t = Math.random();", "no-restricted-properties"],
  ["export const t = crypto.randomUUID();", "no-restricted-globals"],
  ["export const t = performance.now();", "no-restricted-globals"],
  ["setTimeout(() => undefined, 1);", "no-restricted-globals"],
  ["setInterval(() => undefined, 1);", "no-restricted-globals"],
  ["export const t = AbortSignal.timeout(5);", "no-restricted-properties"],
  ["export const t = fetch;", "no-restricted-globals"],
  ["export const t = process.env;", "no-restricted-globals"],
  ["export const t = globalThis.process;", "no-restricted-globals"],
  ["console.log(1);", "no-restricted-globals"],
  ['import fs from "node:fs";\nexport const t = fs;', "ports(no-node)"],
  ['import fs from "fs/promises";\nexport const t = fs;', "ports(no-node)"],
  ['import type { Stats } from "node:fs";\nexport type T = Stats;', "ports(no-node)"],
  ['export { readFileSync } from "node:fs";', "ports(no-node)"],
  ['export const t = import("node:fs");', "ports(no-node)"],
  ['export type T = import("node:child_process").ChildProcess;', "ports(no-node)"],
  ['import { watch } from "chokidar";\nexport const t = watch;', "no-restricted-imports"],
  ['import { cosmiconfig } from "cosmiconfig";\nexport const t = cosmiconfig;', "no-restricted-imports"],
  ['import type { Tool } from "ai";\nexport type T = Tool;', "no-restricted-imports"],
  ['import { openai } from "@ai-sdk/openai";\nexport const t = openai;', "no-restricted-imports"],
  ['import turndown from "turndown";\nexport const t = turndown;', "no-restricted-imports"],
  ["try {\n  void 0;\n} catch {}", "no-empty"],
  ["export const t: any = 1;", "typescript(no-explicit-any)"],
  ["export const t = (a?: string) => a!;", "typescript(no-non-null-assertion)"],
  ["export const f = (a: 1, b: 2, c: 3, d: 4, e: 5) => [a, b, c, d, e];", "max-params"],
];

test("a thinking file may not ask the world", () => {
  const places = ["src/todo/model", "cmd"];
  const files = BANNED.flatMap(([code], at) =>
    places.map((place) => [`${place}/case-${at}.ts`, code] as const),
  );
  const found = lint(Object.fromEntries(files));
  const expected = BANNED.flatMap(([, rule], at) =>
    places.map((place) => [`${place}/case-${at}.ts`, [rule]] as const),
  );
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

test("files and functions have an end", () => {
  expect(rules("src/todo/model/task.ts", long(81))).toEqual(["max-lines-per-function"]);
  expect(rules("src/todo/model/task.ts", "export {};\n".repeat(601))).toEqual(["max-lines"]);
});

test("a thinking file may take dates and paths apart", () => {
  const code = [
    'import path from "node:path";',
    'import { fileURLToPath } from "node:url";',
    'import { isDeepStrictEqual } from "node:util";',
    "export const t = [path.sep, fileURLToPath, isDeepStrictEqual, new Date(0).toISOString(), Date.parse('')];",
  ].join("\n");
  expect(rules("src/todo/model/task.ts", code + long(60))).toEqual([]);
});

test.each(["src/system/clock.ts", "cmd/looper.ts"])("%s touches the world", (path) => {
  const code = 'import fs from "node:fs";\nsetTimeout(() => fs, Date.now());\nconsole.log(process.pid);';
  expect(rules(path, code)).toEqual([]);
});

test("a library that touches is imported in its one home", () => {
  const chokidar = 'import { watch } from "chokidar";\nexport const t = watch;';
  const cosmiconfig = 'import { cosmiconfig } from "cosmiconfig";\nexport const t = cosmiconfig;';
  expect(rules("src/system/files/change-watch.ts", chokidar)).toEqual([]);
  expect(rules("src/config/read/search.ts", cosmiconfig)).toEqual([]);
  expect(rules("src/system/processes/processes.ts", cosmiconfig)).toEqual(["no-restricted-imports"]);
  expect(rules("src/config/read/search.ts", chokidar)).toEqual(["no-restricted-imports"]);
  expect(rules("cmd/looper.ts", chokidar)).toEqual(["no-restricted-imports"]);
  expect(rules("src/config/read/search.ts", 'import "node:fs";')).toEqual(["ports(no-node)"]);
  const model = 'import type { LanguageModel } from "ai";\nexport type T = LanguageModel;';
  expect(rules("src/chapo/models/sdk.ts", model)).toEqual([]);
  expect(rules("src/chapo/models/sdk.ts", 'import "node:fs";')).toEqual(["ports(no-node)"]);
  expect(rules("src/chapo/tools/web/web.ts", model)).toEqual(["no-restricted-imports"]);
});

test("tests neither sleep nor mock, and their callbacks may be long", () => {
  expect(rules("src/todo/task.test.ts", "setTimeout(() => undefined, 1);")).toEqual([
    "no-restricted-globals",
  ]);
  expect(rules("src/todo/task.test.ts", 'vi.mock("./task.js");')).toEqual(["no-restricted-properties"]);
  expect(rules("src/todo/task.test.ts", 'import "node:timers/promises";')).toEqual(["no-restricted-imports"]);
  expect(rules("src/todo/task.test.ts", `import "node:fs";\n${long(81)}`)).toEqual([]);
});
