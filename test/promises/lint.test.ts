import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { expect, test } from "vitest";

// The rules that need types are left out here: they would cost seconds and have tests of their own.
const eslint = new ESLint({
  cwd: new URL("../..", import.meta.url).pathname,
  overrideConfig: [tseslint.configs.disableTypeChecked],
});

async function rules(path: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: path });
  return (result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message);
}

const long = (lines: number) => `export function long(): void {\n${"  void 0;\n".repeat(lines - 2)}}\n`;

test.each([
  ["export const t = Date.now();", "no-restricted-properties"],
  ["const { now } = Date;\nexport const t = now();", "no-restricted-properties"],
  ["export const t = new Date();", "no-restricted-syntax"],
  ["export const t = Date();", "no-restricted-syntax"],
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
  ['import fs from "node:fs";\nexport const t = fs;', "no-restricted-imports"],
  ['import fs from "fs/promises";\nexport const t = fs;', "no-restricted-imports"],
  ['import type { Stats } from "node:fs";\nexport type T = Stats;', "no-restricted-imports"],
  ['export { readFileSync } from "node:fs";', "no-restricted-imports"],
  ['export const t = import("node:fs");', "no-restricted-syntax"],
  ['export type T = import("node:child_process").ChildProcess;', "no-restricted-syntax"],
  ['import { watch } from "chokidar";\nexport const t = watch;', "no-restricted-imports"],
  ['import { cosmiconfig } from "cosmiconfig";\nexport const t = cosmiconfig;', "no-restricted-imports"],
  ['import type { Tool } from "ai";\nexport type T = Tool;', "no-restricted-imports"],
  ['import { openai } from "@ai-sdk/openai";\nexport const t = openai;', "no-restricted-imports"],
  ['import turndown from "turndown";\nexport const t = turndown;', "no-restricted-imports"],
  ["try {\n  void 0;\n} catch {}", "no-empty"],
  ["export const t: any = 1;", "@typescript-eslint/no-explicit-any"],
  ["export const t = (a?: string) => a!;", "@typescript-eslint/no-non-null-assertion"],
  ["export const f = (a: 1, b: 2, c: 3, d: 4, e: 5) => [a, b, c, d, e];", "@typescript-eslint/max-params"],
])("a thinking file may not say: %s", async (code, rule) => {
  expect(await rules("src/todo/model/task.ts", code)).toEqual([rule]);
  expect(await rules("cmd/program.ts", code)).toEqual([rule]);
});

test("files and functions have an end, and no comment lengthens them", async () => {
  expect(await rules("src/todo/model/task.ts", long(61))).toEqual(["max-lines-per-function"]);
  expect(await rules("src/todo/model/task.ts", "export {};\n".repeat(401))).toEqual(["max-lines"]);
  const silenced = `// eslint-disable-next-line\n${long(61)}`;
  expect(await rules("src/todo/model/task.ts", silenced)).toEqual([
    expect.stringContaining("noInlineConfig"),
    "max-lines-per-function",
  ]);
});

test("a thinking file may take dates and paths apart", async () => {
  const code = [
    'import path from "node:path";',
    'import { fileURLToPath } from "node:url";',
    'import { isDeepStrictEqual } from "node:util";',
    "export const t = [path.sep, fileURLToPath, isDeepStrictEqual, new Date(0).toISOString(), Date.parse('')];",
  ].join("\n");
  expect(await rules("src/todo/model/task.ts", code + long(60))).toEqual([]);
});

test.each(["src/system/clock.ts", "cmd/looper.ts"])("%s touches the world", async (path) => {
  const code = 'import fs from "node:fs";\nsetTimeout(() => fs, Date.now());\nconsole.log(process.pid);';
  expect(await rules(path, code)).toEqual([]);
});

test("a library that touches is imported in its one home", async () => {
  const chokidar = 'import { watch } from "chokidar";\nexport const t = watch;';
  const cosmiconfig = 'import { cosmiconfig } from "cosmiconfig";\nexport const t = cosmiconfig;';
  expect(await rules("src/system/files/change-watch.ts", chokidar)).toEqual([]);
  expect(await rules("src/config/read/load.ts", cosmiconfig)).toEqual([]);
  expect(await rules("src/system/processes/processes.ts", cosmiconfig)).toEqual(["no-restricted-imports"]);
  expect(await rules("src/config/read/load.ts", chokidar)).toEqual(["no-restricted-imports"]);
  expect(await rules("cmd/looper.ts", chokidar)).toEqual(["no-restricted-imports"]);
  expect(await rules("src/config/read/load.ts", 'import "node:fs";')).toEqual(["no-restricted-imports"]);
  const model = 'import type { LanguageModel } from "ai";\nexport type T = LanguageModel;';
  expect(await rules("src/chapo/models/sdk.ts", model)).toEqual([]);
  expect(await rules("src/chapo/models/sdk.ts", 'import "node:fs";')).toEqual(["no-restricted-imports"]);
  expect(await rules("src/chapo/tools/web/web-fetch.ts", model)).toEqual(["no-restricted-imports"]);
});

test("tests neither sleep nor mock, and their callbacks may be long", async () => {
  expect(await rules("src/todo/task.test.ts", "setTimeout(() => undefined, 1);")).toEqual([
    "no-restricted-globals",
  ]);
  expect(await rules("src/todo/task.test.ts", 'vi.mock("./task.js");')).toEqual(["no-restricted-properties"]);
  expect(await rules("src/todo/task.test.ts", 'import "node:timers/promises";')).toEqual([
    "no-restricted-imports",
  ]);
  expect(await rules("src/todo/task.test.ts", `import "node:fs";\n${long(61)}`)).toEqual([]);
});
