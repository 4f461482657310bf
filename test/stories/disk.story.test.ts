// A disk that fills up in the middle of a run: the error is clear, the task file intact, and the next run completes the work once
// there is room again.
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sample } from "../rig/exhaustive.js";
import { mountTmpfs } from "../rig/mounts.js";
import { type Rig, story } from "../rig/rig.js";

const KIB = 1024;

/** A story in a project on a disk of 1 MiB; skipped, with the reason, where none can be mounted. */
function onSmallDisk(name: string, body: (rig: Rig) => Promise<void>): void {
  test(name, async (context) => {
    let reason: string | undefined;
    await story(async (rig) => {
      const mount = mountTmpfs(rig.project, KIB);
      if (typeof mount === "string") {
        reason = mount;
        expect(reason).toContain("mount");
        return;
      }
      try {
        await body(rig);
        // Here, since every run is read again, and with the mount its log would be gone.
        await rig.replayAll();
      } finally {
        mount.unmount();
      }
    })();
    if (reason !== undefined) context.skip(reason);
  });
}

/** Takes what is free on the disk, save for so many blocks. */
function fill(rig: Rig, spared = 0): void {
  const { bavail, bsize } = statfsSync(rig.project);
  writeFileSync(path.join(rig.project, "ballast"), Buffer.alloc((bavail - spared) * bsize));
  expect(statfsSync(rig.project).bavail).toBe(spared);
}

function free(rig: Rig, ...names: string[]): void {
  for (const name of names) rmSync(path.join(rig.project, name), { recursive: true, force: true });
}

/** The message a user must see, whichever file could not be written. */
function expectClearError({ code, stderr }: { code: number | undefined; stderr: string }): void {
  expect(code).toBe(3);
  expect(stderr).toMatch(/no space left on device/i);
  expect(stderr).toMatch(/free (?:some )?space|make room/);
  expect(stderr).toMatch(/nothing (?:that was done )?is lost/);
  expect(stderr).not.toMatch(/\bbug\b|\n {4}at /);
}

/** A new run does what is left. */
async function expectGoesOn(rig: Rig, env: Record<string, string>): Promise<void> {
  const { code, stderr } = await rig.run(["run"], { env });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
  expect(rig.readBacklog().tasks.find(({ id }) => id === "T1")?.title).toBe("Do T1");
}

const good = { summary: { status: "done" } };

onSmallDisk("an agent whose output fills the disk ends the run, and the next one continues", async (rig) => {
  rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
  const ran = await rig.run(["run"], {
    env: rig.clis({ tasks: { T1: [{ bytes: 4 * KIB * KIB, ...good }] } }),
  });
  expectClearError(ran);
  expect(rig.statuses()).toEqual({ T1: "doing", T2: "todo" });
  free(rig, "looper-logs");
  await expectGoesOn(rig, again(rig));
});

onSmallDisk("a big file that fills the disk ends the run, and the next one continues", async (rig) => {
  rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
  rig.gitInit();
  const big = "head -c 2000000 /dev/zero >big";
  const ran = await rig.run(["run"], { env: rig.clis({ tasks: { T1: [{ shell: [big], ...good }] } }) });
  expectClearError(ran);
  expect(rig.statuses()).toEqual({ T1: "doing", T2: "todo" });
  free(rig, "big");
  await expectGoesOn(rig, again(rig));
  expect(rig.commitsByTask()).toEqual({ T1: 1, T2: 1 });
  expect(rig.git("status", "--porcelain")).toBe("");
});

// With no block left its lock cannot be written; with two the lock can, and half of the file itself.
for (const spared of sample([2, 0], 1)) {
  onSmallDisk(`a task file that finds ${spared} of its blocks free stays as it was`, async (rig) => {
    // The log lies on another disk: what fails is the task file itself.
    const logs = path.join(rig.root, "logs");
    mkdirSync(logs);
    const puppet = await rig.agent({}, { log_dir: logs });
    rig.writeBacklog([{ id: "T1", description: "long ".repeat(4000) }, { id: "T2" }]);
    const program = rig.start(["run"]);
    const turn = await puppet.next();
    const before = rig.read("to-do.json");
    fill(rig, spared);
    await turn.report({ summary: "done, but it cannot be written down" });
    const ran = await program.ended;
    expectClearError(ran);
    expect(ran.stderr).toContain(
      `${spared === 0 ? "cannot lock" : "cannot write"} ${rig.project}/to-do.json`,
    );
    expect(rig.read("to-do.json")).toBe(before);
    // Nor does half a file stay beside it.
    expect(readdirSync(rig.project).sort()).toEqual([".looper", "ballast", "to-do.json"]);
    free(rig, "ballast");
    puppet.play((one) => one.report());
    await expectGoesOn(rig, {});
  });
}

onSmallDisk("on a disk that is full from the start nothing is started", async (rig) => {
  rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
  const before = rig.read("to-do.json");
  fill(rig);
  const starts = path.join(rig.root, "starts.jsonl");
  const env = { ...rig.clis(), FAKE_AGENT_LOG: starts };
  const { code, stderr } = await rig.run(["run"], { env });
  expect(code).toBe(3);
  expect(stderr).toMatch(/^looper: cannot write .*ENOSPC: no space left on device.*\n {2}.*free some space/);
  expect(existsSync(starts)).toBe(false);
  expect(rig.read("to-do.json")).toBe(before);
  free(rig, "ballast");
  await expectGoesOn(rig, env);
});

/** The same stand-ins, this time doing each task in their own simple way. */
function again(rig: Rig): Record<string, string> {
  const file = path.join(rig.root, "good.json");
  writeFileSync(file, JSON.stringify({ default: [good] }));
  return { FAKE_AGENT_SCRIPT: file };
}
