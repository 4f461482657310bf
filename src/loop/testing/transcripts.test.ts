// The judgement, written out: testdata/*.txt hold commands and what they lead to, rewritten with UPDATE_TRANSCRIPTS=1 and
// read in review.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { playTranscript } from "./transcript.js";

const folder = path.join(import.meta.dirname, "testdata");
const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));

test("there are transcripts", () => {
  expect(names.length).toBeGreaterThanOrEqual(20);
});

test.each(names)("%s", (name) => {
  const file = path.join(folder, name);
  const text = readFileSync(file, "utf8");
  const played = playTranscript(text);
  if (process.env["UPDATE_TRANSCRIPTS"] === "1") writeFileSync(file, played);
  expect(played).toBe(readFileSync(file, "utf8"));
});
