// What a start reads: a person waits for every byte. Budgets with little room; nothing here is timed.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DIST, loadedBy } from "./loaded.js";

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

const ADVICE =
  "a start reads more than it may: import what is rarely needed where it is needed, keep zod and libraries out of what these commands use (bench/RESULTS.md says what it costs), or raise the budget and say why";

test.each([
  { args: ["--version"], files: 1, kilobytes: 52 },
  { args: ["--help"], files: 3, kilobytes: 95 },
  { args: ["ls"], files: 8, kilobytes: 320 },
  { args: ["validate"], files: 8, kilobytes: 320 },
  { args: ["status"], files: 8, kilobytes: 320 },
])("looper $args reads at most $files files, $kilobytes kB", async ({ args, files, kilobytes }) => {
  const loaded = await loadedBy(args, folder);
  const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0);
  const shown = [...loaded].map(([name, size]) => `${name} ${String(size)}`).join(", ");
  expect(loaded.size, `${ADVICE}: ${shown}`).toBeLessThanOrEqual(files);
  expect(bytes, `${ADVICE}: ${shown}`).toBeLessThanOrEqual(kilobytes * 1000);
});

/** Parts for few, by what only their files say. */
const HEAVY = {
  "the libraries that speak to providers": /anthropic-version|generativelanguage|chat\/completions/,
  "the protocol of editors": /Method not found[^]*fs\/read_text_file|fs\/read_text_file[^]*Method not found/,
  "the protocol of tools": /notifications\/tools\/list_changed/,
  "what reads web pages": /turndown|[Rr]eadability/,
};

/** The files of libraries that hold it; how our own words name it is no matter. */
function filesWith(pattern: RegExp): string[] {
  const folderOf = path.join(DIST, "chunks");
  return readdirSync(folderOf)
    .filter((name) => !["everyday.js", "run.js", "others.js"].includes(name))
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
