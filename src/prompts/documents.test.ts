import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeFiles } from "../system/files/files.js";
import { chooseDocuments, readDocuments } from "./read-documents.js";

test("documents that say what to build count, the most telling first", () => {
  const paths = [
    "CHANGELOG.md",
    "IDEA.md",
    "LICENSE.md",
    "PROJECT.md",
    "README.md",
    "SPEC.txt",
    "aspect.md",
    "docs/api-Design_v2.md",
    "docs/SPEC.md",
  ];
  expect(chooseDocuments(paths)).toEqual([
    "docs/SPEC.md",
    "docs/api-Design_v2.md",
    "IDEA.md",
    "PROJECT.md",
    "README.md",
  ]);
});

let project = "";
beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), "documents-"));
});
afterEach(() => {
  rmSync(project, { recursive: true });
});

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
  writeFileSync(path.join(project, name), text);
}

test("they are read from the root and docs/, empty ones left out, with the folder's entries", async () => {
  write("README.md", "read me");
  write("PLAN.md", " \n");
  write("docs/spec.md", "the spec");
  write("docs/deep/SPEC.md", "too deep");
  write(".hidden", "");
  mkdirSync(path.join(project, "IDEA.md"));
  expect(await readDocuments(nodeFiles(), project)).toEqual({
    documents: [
      { path: "docs/spec.md", text: "the spec" },
      { path: "README.md", text: "read me" },
    ],
    entries: ["IDEA.md/", "PLAN.md", "README.md", "docs/"],
  });
});

test("a link that leads out of the project is not read, one inside it is", async () => {
  const outside = mkdtempSync(path.join(tmpdir(), "outside-"));
  writeFileSync(path.join(outside, "key.md"), "a key");
  write("notes.txt", "the notes");
  symlinkSync("notes.txt", path.join(project, "SPEC.md"));
  symlinkSync(path.join(outside, "key.md"), path.join(project, "README.md"));
  symlinkSync("missing", path.join(project, "PLAN.md"));
  symlinkSync("GOALS.md", path.join(project, "GOALS.md"));
  symlinkSync(outside, path.join(project, "docs"));
  writeFileSync(path.join(outside, "IDEA.md"), "an idea of others");
  const { documents } = await readDocuments(nodeFiles(), project);
  rmSync(outside, { recursive: true });
  expect(documents).toEqual([{ path: "SPEC.md", text: "the notes" }]);
});

test("a large one is cut at a whole character, and says so", async () => {
  write("SPEC.md", "a" + "é".repeat(40_000));
  const [spec] = (await readDocuments(nodeFiles(), project)).documents;
  expect(spec?.text).toMatch(/^aé+\n\[… cut: \d+ bytes\]$/);
});

test("there is an end to how many are read", async () => {
  for (let index = 0; index < 20; index++) write(`spec-${String(index)}.md`, "x");
  expect((await readDocuments(nodeFiles(), project)).documents).toHaveLength(8);
});
