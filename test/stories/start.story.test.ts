// What a start reads, and what lies in dist/. Nothing here is timed.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveSettings } from "../../src/config/read/resolve.js";
import { spellSettings } from "../../src/config/read/show-settings.js";
import { DIST, loadedBy } from "../rig/loaded.js";
import { Program } from "../rig/program.js";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "looper-start-"));
  const tasks = [{ id: "T1", title: "One", priority: 1, status: "done" }];
  writeFileSync(
    path.join(folder, "to-do.json"),
    JSON.stringify({ schema_version: 1, source_files: [], tasks }),
  );
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Parts for few, by what only their files say. */
const HEAVY = {
  "the libraries that speak to providers": /anthropic-version|generativelanguage|chat\/completions/,
  "the protocol of editors": /Method not found[^]*fs\/read_text_file|fs\/read_text_file[^]*Method not found/,
  "the protocol of tools": /notifications\/tools\/list_changed/,
  "the reader of web pages": /turndown|[Rr]eadability/,
};

/** The files of libraries that match; our own files may name the pattern. */
function filesWith(pattern: RegExp): string[] {
  const folderOf = path.join(DIST, "chunks");
  return readdirSync(folderOf)
    .filter((name) => !["everyday.js", "status.js", "seldom.js", "run.js", "others.js"].includes(name))
    .filter((name) => pattern.test(readFileSync(path.join(folderOf, name), "utf8")))
    .map((name) => path.join("chunks", name));
}

test.each(Object.entries(HEAVY))("%s: read only by who needs them", async (_name, pattern) => {
  const having = filesWith(pattern);
  expect(having.length).toBeGreaterThan(0);
  for (const args of [["--help"], ["ls"], ["status"], ["validate"], ["config"], ["run"]]) {
    const loaded = await loadedBy(args, folder);
    expect(having.filter((name) => loaded.has(name))).toEqual([]);
  }
});

test.each([
  [{}, []],
  [{ CODEX_MODEL: "some" }, ["agents.codex.model"]],
  [{ LOOPER_LOOP_MAX_ITERATIONS: "7" }, ["loop.max_iterations"]],
])("the settings lie ready as they would be resolved, and %j still counts", async (set, keys) => {
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, ...set };
  const said = await new Program(["config", "--json"], { cwd: folder, env }).ended;
  const wanted = spellSettings(resolveSettings({ env, flags: {} }).values, env);
  const { settings } = JSON.parse(said.stdout) as { settings: { key: string; layer: string }[] };
  expect(settings).toEqual(wanted.map(({ key, value, source }) => ({ key, value, ...source })));
  expect(settings.filter(({ layer }) => layer !== "default").map(({ key }) => key)).toEqual(keys);
});

test("the whole of dist/ stays small", () => {
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const sizes = files.map((one) => statSync(path.join(one.parentPath, one.name)).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes, `dist/ has ${String(bytes)} bytes: what is it that grew, and who needs it?`).toBeLessThan(
    // Of them about 0.2 MB for the gate: reading imports, lock files and the reports of test runners; 0.05 MB for `looper mcp`.
    7_500_000,
  );
});

test("the package holds all it needs, and is small", () => {
  const root = path.dirname(DIST);
  const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as object;
  expect(manifest, "what is bundled need not be installed once more: devDependencies").not.toHaveProperty(
    "dependencies",
  );
  const said = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(said) as [{ size: number; unpackedSize: number }];
  expect(packed.size).toBeLessThan(2_250_000);
  expect(packed.unpackedSize).toBeLessThan(8_500_000);
});

test("every module of dist/ runs with nothing installed beside it", () => {
  const alone = path.join(folder, "alone");
  cpSync(DIST, alone, { recursive: true });
  const script = path.join(folder, "all.cjs");
  cpSync(fileURLToPath(new URL("../fakes/run-all.cjs", import.meta.url)), script);
  const said = execFileSync(process.execPath, [script, alone], { encoding: "utf8" });
  expect(JSON.parse(said)).toEqual({
    ran: expect.toSatisfy((ran: number) => ran > 300) as unknown,
    failed: [],
  });
});
