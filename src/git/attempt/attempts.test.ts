import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { recordAttempt } from "../commit/run-refs.js";
import { checkpoint } from "../checkpoint/checkpoint.js";
import { attemptRef } from "../base/names.js";
import { test, watchGit } from "../testing/scratch.js";
import { changesOf } from "../testing/scratch-task.js";
import { snapshot } from "./snapshot.js";

const ORDER = { run: "run-1", task: "T1", attempt: 1 };

test("an attempt is recorded on top of its checkpoint in one process, and a later one of its name replaces it", async ({
  scratch,
}) => {
  const asked: string[] = [];
  const ports = watchGit(scratch.ports, ([command]) => void asked.push(command ?? ""));
  const repo = await scratch.open({}, ports);
  writeFileSync(join(scratch.top, "a.txt"), "person\n");
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  writeFileSync(join(scratch.top, "new"), "agent\n");
  const label = { run: "run-1", label: "T1-1", policy: "runner" as const };
  const { changes } = await snapshot(repo, { checkpoint: taken, ...label });
  const before = asked.length;
  const commit = await recordAttempt(repo, { ...ORDER, base: taken.base, changes });
  expect(asked.slice(before)).toEqual(["fast-import"]);
  expect(await scratch.git("rev-parse", attemptRef("run-1", "T1", 1), `${commit}^`)).toBe(
    `${commit}\n${taken.base}`,
  );
  expect(await changesOf(scratch, commit)).toEqual(["A new"]);
  expect(await scratch.git("show", `${commit}:a.txt`)).toBe("person");
  const again = await recordAttempt(repo, { ...ORDER, base: taken.base, changes: [] });
  expect(await scratch.git("for-each-ref", "--format=%(objectname)", "refs/looper/attempts")).toBe(again);
});
