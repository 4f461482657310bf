import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "../../git/checkpoint/checkpoint.js";
import { snapshot } from "../../git/attempt/snapshot.js";
import { NEVER, test, type Cold, type ProjectTree } from "../testing/cold-scratch.js";
import { measureHidden, runHidden, type HiddenCheck, type HiddenVerdict } from "./hidden.js";

const PROJECT: ProjectTree = { "a.txt": "one\n", "run.sh": "echo 'ok 1 - adds'; echo 'ok 2 - halves'\n" };

/** Runs a hidden check, whose script has this text, before and after an attempt. */
async function judge(
  cold: Cold,
  attempt: ProjectTree,
  { look, ...check }: Partial<HiddenCheck> & { look: string },
): Promise<HiddenVerdict | "interrupted"> {
  await cold.write(PROJECT);
  await cold.scratch.git("add", "-A");
  await cold.scratch.git("commit", "--allow-empty", "-qm", "the project");
  const places = await cold.places();
  const files = join(dirname(cold.scratch.top), "unseen");
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "look.sh"), look);
  const checks = [
    { name: "verify.hidden[0]", command: "sh hidden/look.sh", into: "hidden", files, ...check },
  ];
  const rules = { checks, timeoutMs: 60_000, reports: ["stdout"] };
  const { repo } = places.rooms;
  const before = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  const measured = await measureHidden(places, rules, { start: before.base, persons: [] }, NEVER);
  await cold.write(attempt);
  const order = { checkpoint: before, run: "run-1", label: "T1-1", policy: "runner" as const };
  const { changes } = await snapshot(repo, order);
  const baseline = measured.how === "done" ? measured.value : undefined;
  return runHidden(places, rules, { base: before.base, changes, task: "T1", baseline }, NEVER);
}

const TAP = "echo TAP version 13; echo 1..2; sh run.sh";

test("hidden checks see the tree that would be committed", async ({ cold }) => {
  const look = "test -e more.txt || grep -q one a.txt";
  expect(await judge(cold, { "a.txt": "three\n" }, { look })).toMatchObject({ failed: true });
  expect(await judge(cold, { "a.txt": "two\n", "more.txt": "" }, { look })).toMatchObject({ failed: false });
});

test("a hidden test that no longer runs fails the attempt, which cannot have removed it", async ({
  cold,
}) => {
  const skips = { "run.sh": "echo 'ok 1 - adds'; echo 'ok 2 - halves # SKIP'\n" };
  expect(await judge(cold, skips, { look: TAP })).toMatchObject({ failed: true, stillRed: [] });
});

test("a hidden check whose result before the work is unknown fails nothing, and verifies nothing", async ({
  cold,
}) => {
  const places = await cold.places();
  const rules = {
    checks: [{ name: "verify.hidden[0]", command: "false", into: "hidden" }],
    timeoutMs: 60_000,
    reports: [],
  };
  const base = await cold.scratch.git("rev-parse", "HEAD");
  const order = { base: base.trim(), changes: [], task: "T1", baseline: undefined };
  expect(await runHidden(places, rules, order, NEVER)).toMatchObject({
    failed: false,
    stillRed: ["verify.hidden[0]"],
  });
});

test("files go into the folder that a check names, and replace what is there", async ({ cold }) => {
  const look = "grep -q one a.txt";
  const found = await judge(
    cold,
    { "run.sh": "true\n", "look.sh": "exit 1\n" },
    {
      look,
      into: ".",
      command: "sh look.sh",
    },
  );
  expect(found).toMatchObject({ failed: false, stillRed: [] });
});
