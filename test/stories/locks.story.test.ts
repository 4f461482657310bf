// One run per backlog and per working tree; the next one takes over from a dead one, and leaves nothing of it behind.
import { existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { expect, type TestContext, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { mountTmpfs } from "../rig/mounts.js";
import type { Program } from "../rig/program.js";
import { story } from "../rig/rig.js";

/** The message of the second run about the first. */
function names(program: Program): RegExp {
  return new RegExp(
    `another run works on this: pid ${program.pid} on ${hostname()}, since 2\\d{3}-\\d\\d-\\d\\dT[\\d:.]+Z`,
  );
}

test(
  "of two runs at once the second exits 3 and names the first; after kill -9 of the first it takes over",
  story(async (rig) => {
    // In a namespace nothing would be left to take over from.
    const puppet = await rig.agent({ contain: "none" });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    const first = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    await turn.write("half.txt", "half\n");
    const backlog = rig.read("to-do.json");

    const second = await rig.run(["run", "--no-review"]);
    expect(second).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringMatching(names(first)) as string,
    });
    // It neither touched anything nor left a log, and the first continues.
    expect(rig.read("to-do.json")).toBe(backlog);
    expect(rig.runs()).toHaveLength(1);
    expect(existsSync(`/proc/${turn.hello.pid}`)).toBe(true);

    await turn.leaveBehind("trap '' TERM INT; exec sleep 1000");
    await first.kill("alone");
    // The namespace of the next agent, opened already, ends with the runner in its own time.
    await expect.poll(() => rig.leftovers()).toHaveLength(2);
    const third = rig.start(["run", "--no-review"]);
    await turn.gone;
    const again = await puppet.next();
    // Processes of the dead run are gone before the new one starts any.
    expect(rig.leftovers().filter((line) => line.includes("sleep"))).toEqual([]);
    expect([again.task, rig.read("half.txt")]).toEqual(["T1", "half\n"]);
    await again.report();
    puppet.play((one) => one.report());
    const { code, stderr } = await third.ended;
    expect(stderr).toMatch(/took over from run \S+, which is gone, and ended 2 processes it left/);
    expect(code).toBe(0);
    expect(rig.commitsByTask()).toEqual({ T1: 1, T2: 1 });
    expect(rig.git("log", "--format=%s", "--", "half.txt").trim()).toBe("Do T1");
  }),
);

exhaustively(
  "a second backlog in the same tree, and the same backlog from another tree by another name, have to wait too",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.write("other.json", rig.read("to-do.json"));
    rig.gitInit();
    const elsewhere = path.join(rig.root, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(path.join(rig.project, "to-do.json"), path.join(elsewhere, "tasks.json"));

    const first = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    const said = expect.stringMatching(names(first)) as string;
    expect(await rig.run(["run", "other.json"])).toMatchObject({ code: 3, stderr: said });
    expect(await rig.run(["-C", elsewhere, "run", "tasks.json", "--trust"])).toMatchObject({
      code: 3,
      stderr: said,
    });

    puppet.play((one) => one.report());
    await turn.report();
    expect(await first.ended).toMatchObject({ code: 0 });
  }),
);

test(
  "a second run that is turned away leaves branch and repository alone",
  story(async (rig) => {
    const puppet = await rig.agent({}, { git: { branch: "work-{run}" } });
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const first = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    const branch = rig.git("branch", "--show-current").trim();
    expect(branch).toMatch(/^work-2/);
    expect(await rig.run(["run", "--no-review"], { env: { LOOPER_GIT_BRANCH: "another" } })).toMatchObject({
      code: 3,
    });
    expect(rig.git("branch", "--show-current").trim()).toBe(branch);
    puppet.play((one) => one.report());
    await turn.report();
    expect(await first.ended).toMatchObject({ code: 0 });
  }),
);

exhaustively(
  "a run that is killed while it takes over leaves what it took over to the next one",
  story(async (rig) => {
    const puppet = await rig.agent({ contain: "none" });
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const first = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    await turn.leaveBehind("trap '' TERM INT; exec sleep 1000");
    const lock = path.join(rig.project, ".git/index.lock");
    writeFileSync(lock, "");
    await first.kill("alone");

    const second = rig.start(["run", "--no-review"]);
    // It has begun: the dead run's agent is ended, and the git lock is looked at for some seconds.
    await turn.gone;
    await second.kill("alone");

    puppet.play((one) => one.report());
    expect(await rig.run(["run", "--no-review"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("removed dead git locks") as string,
    });
    expect(existsSync(lock)).toBe(false);
    expect(rig.git("status", "--porcelain")).toBe("");
  }),
);

test(
  "a git lock that is older than the dead run is another process's, and is kept",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const lock = path.join(rig.project, ".git/config.lock");
    writeFileSync(lock, "");
    utimesSync(lock, 1_000_000_000, 1_000_000_000);
    const first = rig.start(["run", "--no-review"]);
    await puppet.next();
    await first.kill("group");
    puppet.play((one) => one.report());
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(existsSync(lock)).toBe(true);
  }),
);

exhaustively(
  "a git lock that is there at the start is named, with what to do; one an attempt left goes with it",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const lock = path.join(rig.project, ".git/index.lock");
    const leave = () => {
      writeFileSync(lock, "");
      utimesSync(lock, 1_000_000_000, 1_000_000_000);
    };
    leave();
    const refused = await rig.run(["run", "--no-review"]);
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toMatch(/index\.lock is there: .*\n .*rm '.*\.git\/index\.lock'/);
    const { stdout } = await rig.run(["doctor"]);
    expect(stdout).toMatch(/! git locks +.*\.git\/index\.lock/);
    rmSync(lock);

    const run = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    leave();
    rig.write("made", "by the agent\n");
    puppet.play((one) => one.report());
    await turn.report();
    expect(await run.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("index.lock was left by a killed git") as string,
    });
    expect(existsSync(lock)).toBe(false);
    expect(rig.git("status", "--porcelain")).toBe("");
  }),
);

test("a run without write permission exits with 3 and the reason", async (context: TestContext) => {
  let skipped: string | undefined;
  await story(async (rig) => {
    const mount = mountTmpfs(rig.project, 1024);
    if (typeof mount === "string") {
      skipped = mount;
      return;
    }
    try {
      const env = { ...rig.clis(), FAKE_AGENT_LOG: path.join(rig.root, "starts.jsonl") };
      rig.writeBacklog([{ id: "T1" }]);
      const backlog = rig.read("to-do.json");
      mount.makeReadOnly();
      const { code, stdout, stderr } = await rig.run(["run", "--no-review"], { env });
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toMatch(
        /^looper: cannot write the lock of this run in .*project.*\.looper.*: EROFS.*\n {2}make .*\.looper.* writable/,
      );
      expect(rig.read("to-do.json")).toBe(backlog);
      expect(existsSync(path.join(rig.root, "starts.jsonl"))).toBe(false);
    } finally {
      mount.unmount();
    }
  })();
  if (skipped !== undefined) context.skip(skipped);
});
