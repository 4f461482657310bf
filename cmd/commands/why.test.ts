import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WhyAnswer } from "../../src/ui/shapes/backlog.js";
import { contextIn, typeLine } from "../testing/testing.js";

let root = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "why-"));
  for (const name of ["project", "home"]) mkdirSync(path.join(root, name));
  const task = (id: string, more: object): object => ({
    id,
    title: id,
    priority: 3,
    status: "todo",
    ...more,
  });
  const since = "2026-11-24T08:00:00Z";
  const ada = { by: "ada", via: "cli", at: since };
  const at = { workflow: "w", digest: "d", stage: "start", visit: 2, since };
  const asked = { source: "stage", text: "Start?", outcomes: ["start", "reject"], asked_at: since };
  const question = { id: "T5.2", ...asked };
  const tasks = [
    task("T1", { status: "done", meta: { verdict: "verified" } }),
    task("T2", { depends_on: ["T1"], priority: 2 }),
    task("T3", { depends_on: ["T2"] }),
    task("T4", { status: "blocked", blockers: ["no key"], priority: 1 }),
    task("T5", { status: "blocked", blockers: ["Start?"], progress: { ...at, question } }),
    task("T6", { depends_on: ["T5"], priority: 5 }),
    task("T7", { priority: 5, progress: { ...at, paused: { ...ada, why: "legal" } } }),
    task("T8", { status: "done", meta: { verdict: "unbroken" } }),
  ];
  const text = JSON.stringify({ schema_version: 1, source_files: [], tasks });
  writeFileSync(path.join(root, "project/to-do.json"), text);
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

async function ask(...words: string[]): Promise<string> {
  const started = contextIn(root);
  expect(await typeLine(started.context, "why", ...words)).toBe("ok");
  return started.out();
}

test.each([
  ["T1", "T1 is done, verified\n"],
  ["T8", "T8 is done, unbroken\n"],
  ["T2", "T2 is next: the lowest priority number, then the lowest id, of 2 that are ready\n"],
  ["T3", "T3 waits for T2 (todo, p2)\nto be done first: T2 (todo, p2)\n"],
  [
    "T4",
    "T4 is ready; 1 task comes before it: T2 (todo, p2)\nit is blocked: no key\nblocked tasks are tried once, after all others\n",
  ],
  ["T5", "T5 waits for an answer to T5.2: Start?\nanswer it with `looper answer T5.2 (start, reject)`\n"],
  [
    "T6",
    "T6 waits for T5 (blocked, p3)\nT5 waits for an answer to T5.2: Start?\nanswer it with `looper answer T5.2 (start, reject)`\n",
  ],
  ["T7", "T7 is paused, by ada (cli), 2026-11-24T08:00:00Z: legal\nlift the pause with `looper resume T7`\n"],
])("why %s", async (id, lines) => {
  expect(await ask(id)).toBe(lines);
});

test("why prints JSON, and refuses an unknown task", async () => {
  expect(WhyAnswer.parse(JSON.parse(await ask("T3", "--json")))).toEqual({
    ...{
      task: "T3",
      status: "todo",
      verdict: null,
      answer: "waits",
      before: [],
      waits_for: ["T2"],
      first: ["T2"],
    },
  });
  const asked = ask("T33");
  await expect(asked).rejects.toMatchObject({
    kind: "usage",
    message: "there is no task T33",
    hint: 'did you mean "T3"?',
  });
});
