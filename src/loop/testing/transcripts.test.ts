// Golden transcripts of `step`: testdata/*.txt have commands and their results. Rewrite them with UPDATE_TRANSCRIPTS=1 and
// review the difference.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Workflow } from "../../workflow/workflow.js";
import { playTranscript } from "./transcript.js";

const folder = path.join(import.meta.dirname, "testdata");
const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));

/** A workflow that Looper brings. */
function load(name: string): Workflow {
  const file = path.join(import.meta.dirname, "../../../workflows", `${name}.json`);
  return Workflow.parse(JSON.parse(readFileSync(file, "utf8")));
}

test("testdata has transcripts", () => {
  expect(names.length).toBeGreaterThanOrEqual(20);
});

test.each(names)("%s", (name) => {
  const file = path.join(folder, name);
  const text = readFileSync(file, "utf8");
  const played = playTranscript(text, load);
  if (process.env["UPDATE_TRANSCRIPTS"] === "1") writeFileSync(file, played);
  expect(played).toBe(readFileSync(file, "utf8"));
});
