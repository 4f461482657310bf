// Settings of the repository that do not fit the disk: a restore is exact all the same.
import { asResult } from "../base/git.js";
import {
  lstatSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint } from "../checkpoint/checkpoint.js";
import { restoreTo } from "../restore/restore.js";
import { test, type Scratch } from "./scratch.js";
import { stateOf } from "./scratch-state.js";

const at = (scratch: Scratch, path: string) => join(scratch.top, path);

async function tellsCasesApart(scratch: Scratch): Promise<boolean> {
  return (await scratch.ports.files.stat(at(scratch, ".GIT"))) === undefined;
}

test("a restore is complete with core.ignorecase on a case-sensitive disk", async ({ scratch }) => {
  if (!(await tellsCasesApart(scratch))) return;
  writeFileSync(at(scratch, "b.txt"), "b\n");
  writeFileSync(at(scratch, "c.txt"), "c\n");
  await scratch.commitAll("more");
  await scratch.git("config", "core.ignorecase", "true");
  writeFileSync(at(scratch, "A.txt"), "the user's\n");
  const before = await stateOf(scratch);
  const repo = await scratch.open();
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  writeFileSync(at(scratch, "A.txt"), "the agent's\n");
  rmSync(at(scratch, "b.txt"));
  renameSync(at(scratch, "c.txt"), at(scratch, "C.txt"));
  await scratch.git("add", "-A");
  const back = await restoreTo(repo, { checkpoint: taken, run: "run-1", label: "T1-1" });
  expect(readFileSync(at(scratch, "A.txt"), "utf8")).toBe("the user's\n");
  expect(readdirSync(scratch.top)).toContain("c.txt");
  expect(readdirSync(scratch.top)).not.toContain("C.txt");
  expect(await stateOf(scratch)).toEqual(before);
  expect(await scratch.git("show", `${back.rescue ?? ""}:A.txt`)).toBe("the agent's");
});

test("a restored link is a link with core.symlinks off on a disk that supports links", async ({
  scratch,
}) => {
  await scratch.git("config", "core.symlinks", "false");
  symlinkSync("a.txt", at(scratch, "link"));
  const repo = await scratch.open();
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  rmSync(at(scratch, "link"));
  await restoreTo(repo, { checkpoint: taken, run: "run-1", label: "T1-1" });
  expect(lstatSync(at(scratch, "link")).isSymbolicLink()).toBe(true);
});

test("a failed restore keeps both states of the tree, and its message has the command to finish", async ({
  scratch,
}) => {
  const { ports } = scratch;
  const broken: typeof ports = {
    ...ports,
    processes: {
      ...ports.processes,
      run: (spec, options) =>
        spec.args.includes("read-tree") && spec.args.includes("-u")
          ? ports.processes.run({ ...spec, args: ["no-such-command"] }, options)
          : ports.processes.run(spec, options),
    },
  };
  const repo = await scratch.open({}, broken);
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
  writeFileSync(at(scratch, "new.txt"), "agent\n");
  rmSync(at(scratch, "a.txt"));
  const back = await asResult(() => restoreTo(repo, { checkpoint: taken, run: "run-1", label: "T1-1" }));
  const told = back.ok ? "" : back.error.message;
  expect(told).toContain("looper rescue show run-1/T1-1)");
  expect(told).toContain("git restore --source=refs/looper/rescue/run-1/T1-1-before --worktree -- :/");
  expect(await scratch.git("show", "refs/looper/rescue/run-1/T1-1:new.txt")).toBe("agent");
  expect(await scratch.git("show", "refs/looper/rescue/run-1/T1-1-before:a.txt")).toBe("one");
});
