// `looper clean` and the limits of the logs, from outside: what goes, what stays because a next start needs it, and what other
// commands say where a log is gone.
import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { CleanAnswer } from "../../src/ui/shapes/runs.js";
import { mountTmpfs } from "../rig/mounts.js";
import { call, playScript } from "../rig/chapo.js";
import { type Rig, story } from "../rig/rig.js";

const logs = (rig: Rig, ...names: string[]) => path.join(rig.project, "looper-logs", ...names);
const attempts = (rig: Rig) =>
  rig.git("for-each-ref", "--format=%(refname)", "refs/looper/attempts").split("\n").slice(0, -1);

async function clean(rig: Rig, ...words: string[]): Promise<CleanAnswer> {
  const { code, stdout, stderr } = await rig.run(["clean", "--json", ...words]);
  expect(code, stderr).toBe(0);
  return CleanAnswer.parse(JSON.parse(stdout));
}

/** An agent that does what it is given. */
async function worker(rig: Rig, settings: Record<string, unknown> = {}): Promise<void> {
  const puppet = await rig.agent({}, settings);
  puppet.play(async (turn) => {
    await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, "made\n");
    await turn.report();
  });
}

test(
  "old runs go with what git keeps of their attempts; the rest is there for replay, undo and tail",
  story(async (rig) => {
    await worker(rig);
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    for (const id of ["T1", "T2"]) expect((await rig.run(["run", "--task", id, "--no-review"])).code).toBe(0);
    const [first = "", second = ""] = rig.runs();
    expect(await clean(rig, "--keep", "1", "--dry-run")).toMatchObject({
      dry_run: true,
      removed: [{ run: first }],
      refs: null,
      kept: 1,
    });
    expect(rig.runs()).toEqual([first, second]);
    const { removed, refs, stay } = await clean(rig, "--keep", "1");
    expect([removed.map(({ run }) => run), stay]).toEqual([[first], []]);
    expect(refs).toBe(2);
    expect(attempts(rig).every((ref) => ref.includes(second))).toBe(true);
    expect(attempts(rig)).toHaveLength(2);
    expect(readlinkSync(logs(rig, "last"))).toBe(`runs/${second}`);
    expect((await rig.run(["runs", "--json"])).stdout.match(/"run":/g)).toHaveLength(1);
    const gone = await rig.run(["tail", first]);
    expect([gone.code, gone.stdout]).toEqual([2, ""]);
    expect(gone.stderr).toMatch(new RegExp(`there is no run ${first} in .*, or no longer\n +did you mean`));
    expect(await rig.replayTree({ run: second })).toMatchObject({ same: true });
    // Its log is gone, its commit is not.
    expect((await rig.run(["undo", "T1"])).stdout).toContain("T1");
    expect(rig.statuses()).toMatchObject({ T1: "todo", T2: "done" });
    expect((await rig.run(["doctor"])).stdout).not.toContain("✗ leftovers");
    // Refs of a log that was removed by hand go with the next clean.
    await rig.run(["run", "--no-review"]);
    await rig.run(["clean", "--keep", "1"]);
    const [last = ""] = rig.runs();
    mkdirSync(logs(rig, "runs", "2026-01-02_03-04-05"));
    rig.git("update-ref", `refs/looper/attempts/${second}/T9-1`, "HEAD");
    expect(attempts(rig).some((ref) => ref.includes(last))).toBe(true);
    expect((await clean(rig, "--keep", "0")).removed).toHaveLength(2);
    expect(attempts(rig)).toEqual([`refs/looper/attempts/${second}/T9-1`]);
    expect((await rig.run(["runs"])).stdout).toBe("no runs yet\n");
  }),
);

exhaustively(
  "a run in progress is never removed, and a rescue keeps its run until it is dropped",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    puppet.play(async (turn) => {
      await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, "half\n");
      if (turn.task === "T2")
        expect((await clean(rig, "--keep", "0")).stay).toEqual([{ run: rig.runs().at(-1), why: "running" }]);
      await turn.report({ status: "blocked", blockers: ["no key"] });
    });
    expect((await rig.run(["run", "--no-review"])).code).toBe(1);
    const [run = ""] = rig.runs();
    expect((await clean(rig, "--keep", "0")).stay).toEqual([{ run, why: "rescue" }]);
    const told = await rig.run(["clean", "--age", "0s"]);
    expect(told.stdout).toMatch(new RegExp(`^stays ${run}: its abandoned work is kept; see looper rescue\n`));
    const ids = [...(await rig.run(["rescue"])).stdout.matchAll(/^\S+\/\S+/gm)].map(([id]) => id);
    expect(ids).toHaveLength(2);
    expect((await rig.run(["rescue", "drop", ...ids])).code).toBe(0);
    expect((await clean(rig, "--keep", "0")).removed).toMatchObject([{ run }]);
    expect(attempts(rig)).toEqual([]);
  }),
);

exhaustively(
  "a killed run is kept until the next run has resumed it",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["test -e T1.txt"], cold: false } });
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    puppet.play(async (turn) => {
      await turn.write(`${turn.hello.cwd}/T1.txt`, "half\n");
      await program.kill("group");
    });
    const program = rig.start(["run", "--no-review"]);
    await program.ended;
    const [killed = ""] = rig.runs();
    expect((await clean(rig, "--keep", "0")).stay).toEqual([
      { run: killed, why: expect.any(String) as unknown },
    ]);
    puppet.play((turn) => turn.report());
    expect((await rig.run(["run", "--no-review"])).code).toBe(0);
    // The baseline from before the killed attempt was found in its log: T1.txt was not there.
    expect(rig.events().find(({ type }) => type === "baseline_finished")).toMatchObject({ outcome: "kept" });
    expect((await clean(rig, "--keep", "1")).removed).toMatchObject([{ run: killed }]);
  }),
);

test(
  "log.keep and log.max_bytes: at its end a run removes older ones, and says so",
  story(async (rig) => {
    await worker(rig, { log: { keep: 2 } });
    rig.writeBacklog([1, 2, 3, 4].map((n) => ({ id: `T${String(n)}` })));
    rig.gitInit();
    const go = (...words: string[]) => rig.run(["run", "--no-review", "--task", ...words]);
    await go("T1");
    await go("T2");
    expect(rig.runs()).toHaveLength(2);
    const [first, second] = rig.runs();
    const { stderr } = await go("T3");
    expect(stderr).toMatch(/removed the logs of 1 old run, \d+\.\d KB \(log\.keep, log\.max_bytes\)/);
    expect(rig.runs()).toHaveLength(2);
    expect(rig.events().filter(({ type }) => type === "logs_cleaned")).toMatchObject([
      { runs: [first], refs: 2 },
    ]);
    expect(rig.events().slice(-2)[0]).toMatchObject({ type: "run_ended" });
    // Too small for two: the newest stays whatever it takes.
    const { code } = await rig.run(["run", "--no-review"], { env: { LOOPER_LOG_MAX_BYTES: "1KB" } });
    expect(code).toBe(0);
    expect(rig.runs()).toHaveLength(1);
    expect(rig.runs()).not.toContain(second);
  }),
);

test(
  "a disk that cannot be written: 3, and nothing is gone",
  story(async (rig) => {
    await worker(rig);
    rig.writeBacklog([{ id: "T1" }]);
    const mount = mountTmpfs(logs(rig), 2048);
    if (typeof mount === "string") return;
    try {
      await rig.run(["run", "--no-review"]);
      mount.makeReadOnly();
      const refused = await rig.run(["clean", "--keep", "0"]);
      expect([refused.code, refused.stdout]).toEqual([3, ""]);
      expect(refused.stderr).toMatch(
        /^looper: cannot remove old runs in .*: EROFS.*\n {2}make the folder writable/,
      );
      expect(rig.runs()).toHaveLength(1);
      await rig.replayAll();
    } finally {
      mount.unmount();
    }
  }),
);

test(
  "a folder of runs that leads out of the project is not followed",
  story(async (rig) => {
    const outside = path.join(rig.root, "outside");
    mkdirSync(path.join(outside, "2020-01-01_00-00-00"), { recursive: true });
    mkdirSync(logs(rig), { recursive: true });
    symlinkSync(outside, logs(rig, "runs"));
    rig.writeBacklog([{ id: "T1" }]);
    const { code, stderr } = await rig.run(["clean", "--keep", "0"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("looper-logs/runs is a symlink")]);
    expect(readdirSync(outside)).toEqual(["2020-01-01_00-00-00"]);
    expect((await rig.run(["clean"])).code).toBe(2);
    rmSync(logs(rig, "runs"));
  }),
);

exhaustively(
  "an old session of Chapo goes with its checkpoints; those of the others stay",
  story(async (rig) => {
    rig.gitInit();
    const trees = () =>
      rig.git("for-each-ref", "--format=%(refname)", "refs/looper/chapo").trim().split("\n");
    for (const name of ["a", "b"]) {
      playScript(rig, {
        turns: [call("fs_writeFile", { path: `${name}.txt`, content: "x\n" }), { say: "Done." }],
      });
      await rig.run(["chapo", "--json", "--mode", "trusted", "Write"]);
    }
    expect(trees()).toHaveLength(4);
    const { sessions } = await clean(rig, "--keep", "1");
    const [gone] = sessions.removed;
    expect(sessions).toMatchObject({ refs: 2, kept: 1, stay: [] });
    expect(trees()).toHaveLength(2);
    expect(trees().join(" ")).not.toContain(gone?.session);
    expect((await rig.run(["chapo", "undo", "last"])).stdout).toContain("b.txt");
  }),
);
