// A run seen and stopped from another terminal: `status`, `show`, `stop`, and what they say once it is over.
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { LsAnswer } from "../../src/ui/shapes/backlog.js";
import { ShowAnswer, StatusAnswer, StopAnswer } from "../../src/ui/shapes/runs.js";
import { type Rig, story } from "../rig/rig.js";
import { inTmux, noTmux } from "../rig/tmux.js";

const statusOf = async (rig: Rig): Promise<StatusAnswer> =>
  StatusAnswer.parse(JSON.parse((await rig.run(["status", "--json"])).stdout));

const shown = async (rig: Rig, id: string): Promise<ShowAnswer> =>
  ShowAnswer.parse(JSON.parse((await rig.run(["show", id, "--json"])).stdout));

test(
  "status: no run yet, a run in progress, one that is over",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2", title: "Dates" }, { id: "T3", status: "blocked" }]);
    expect((await rig.run(["status"])).stdout).toBe("no runs yet\n0 of 3 tasks done · 2 left · 1 blocked\n");
    expect(await statusOf(rig)).toMatchObject({ tasks: { todo: 2, blocked: 1 }, run: null });
    const program = rig.start(["run", "--no-review"]);
    const first = await puppet.next();
    // The remaining time is unknown: nothing was done yet.
    expect(await statusOf(rig)).toMatchObject({
      tasks: { todo: 1, doing: 1, blocked: 1, done: 0 },
      run: { state: "running", pid: program.pid, eta_ms: null, ending: null, current: { task: "T1" } },
    });
    await first.report();
    const second = await puppet.next();
    await second.say("looks at the dates");
    const { run } = await statusOf(rig);
    expect(run).toMatchObject({ state: "running", current: { task: "T2", agent: "fake", attempt: 1 } });
    expect(run?.eta_ms).toBeGreaterThanOrEqual(0);
    const { stdout } = await rig.run(["status"]);
    expect(stdout).toMatch(
      /^run \S+ running for \S+, pid \d+\n1 of 3 tasks done · 1 left · 1 blocked · about /,
    );
    expect(stdout).toMatch(/\nT2 Dates · fake · /);
    await second.report();
    await (await puppet.next()).report({ status: "blocked", blockers: ["no key"] });
    expect((await program.ended).code).toBe(1);
    expect(await statusOf(rig)).toMatchObject({
      run: { state: "ended", ending: "blocked", pid: null, current: null },
    });
    expect((await rig.run(["status"])).stdout).toMatch(
      /^the last run, \S+, ended \S+ ago: blocked, after \S+\n2 of 3 /,
    );
  }),
);

test(
  "status of a killed run shows the interrupted task, and that the next run resumes it",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    const program = rig.start(["run", "--no-review"]);
    await puppet.next();
    await program.kill("group");
    expect(await statusOf(rig)).toMatchObject({
      run: { state: "killed", pid: null, current: { task: "T1" }, waiting: null },
    });
    const { stdout } = await rig.run(["status"]);
    expect(stdout).toMatch(/was killed after at least \S+; last event \d\d:/);
    expect(stdout).toContain("in hand: T1 Do T1; the next run takes it up first\n");
  }),
);

test(
  "show: a task whole, with every attempt of every run",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([
      { id: "T1", details: "line one\nline two", steps: ["look", "mend"] },
      { id: "T2", depends_on: ["T1"], status: "todo" },
    ]);
    rig.gitInit();
    const program = rig.start(["run", "--no-review", "--task", "T1"]);
    await (await puppet.next()).exit(3);
    const second = await puppet.next();
    expect((await shown(rig, "T1")).history).toMatchObject([
      { result: "failed" },
      { result: null, attempt: 2 },
    ]);
    await second.write("a.txt", "a");
    await second.report();
    expect((await program.ended).code).toBe(0);
    const { task, history } = await shown(rig, "T1");
    expect(task).toMatchObject({ status: "done", ready: false, needed_by: ["T2"], verified: false });
    expect(history).toMatchObject([
      { attempt: 1, result: "failed", why: expect.stringContaining("3") as string, commit: null },
      { attempt: 2, result: "done", why: "", commit: rig.git("rev-parse", "HEAD").trim(), agent: "fake" },
    ]);
    const { stdout, code } = await rig.run(["show", "T1"]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining("details\n  line one\n  line two\n\nsteps\n  1. look\n"),
    ]);
    expect(stdout).toMatch(/ 2 +fake .* done, unverified\n +commit [0-9a-f]{12}\n$/);
    expect((await shown(rig, "T2")).task).toMatchObject({ ready: true, waits_for: [] });
    expect(await rig.run(["show", "T3"])).toMatchObject({ code: 2, stdout: "" });
    rig.write("half.json", "{");
    const unread = await rig.run(["show", "T9", "--file", "half.json"]);
    expect(unread.stderr).toMatch(
      /there is no task T9\n +half\.json has 1 problem: looper validate half\.json/,
    );
  }),
);

test(
  "stop: the agent finishes, nothing new starts; told once or often",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    expect(await rig.run(["stop"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^looper: no run in progress\n/) as string,
    });
    const program = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    const said = await rig.run(["stop"]);
    expect([said.code, said.stdout]).toEqual([0, expect.stringMatching(/ends once fake has finished T1 /)]);
    expect(StopAnswer.parse(JSON.parse((await rig.run(["stop", "--json"])).stdout))).toMatchObject({
      ended: false,
    });
    expect((await statusOf(rig)).run).toMatchObject({ state: "running", stopping: true });
    expect(await turn.shell("true")).toMatchObject({ code: 0 });
    await turn.report();
    expect(await program.ended).toMatchObject({
      code: 130,
      stdout: expect.stringContaining("stopped by looper stop") as string,
    });
    expect(rig.statuses()).toEqual({ T1: "done", T2: "todo" });
  }),
);

test(
  "stop --now: the agent is ended, the task is in hand for the next run; no agent may stop its run",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    const program = rig.start(["run", "--no-review"]);
    await puppet.next();
    expect(await rig.run(["stop"], { env: { LOOPER_RUN_ID: "x" } })).toMatchObject({ code: 1 });
    const said = await rig.run(["stop", "--now"]);
    expect([said.code, said.stdout]).toEqual([0, expect.stringMatching(/has ended\n$/)]);
    expect(await program.ended).toMatchObject({ code: 143 });
    expect(rig.statuses()).toEqual({ T1: "doing" });
  }),
);

test(
  "ls --watch shows the list again when a task file behind a symlink is replaced by rename, or in a new folder",
  story(async (rig) => {
    const list = (id: string) =>
      JSON.stringify({
        schema_version: 1,
        source_files: [],
        tasks: [{ id, title: `Do ${id}`, priority: 1, status: "todo" }],
      });
    mkdirSync(path.join(rig.project, "real"));
    rig.write("real/tasks.json", list("T1"));
    symlinkSync("real/tasks.json", path.join(rig.project, "to-do.json"));
    const watch = rig.start(["ls", "--watch"]);
    await watch.says(/T1/);
    for (const id of ["T2", "T3"]) {
      rig.write("real/new.json", list(id));
      renameSync(path.join(rig.project, "real/new.json"), path.join(rig.project, "real/tasks.json"));
      await watch.says(new RegExp(id));
    }
    renameSync(path.join(rig.project, "real"), path.join(rig.project, "old"));
    mkdirSync(path.join(rig.project, "real"));
    rig.write("real/tasks.json", list("T4"));
    await watch.says(/T4/);
    watch.signal("SIGINT");
    expect(await watch.ended).toMatchObject({ code: 130 });
  }),
);

test(
  "ls --watch: the list again whenever the file changes, also while it is broken or away",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const watch = rig.start(["ls", "--watch"]);
    await watch.says(/^todo \(1\)\n {2}T1 {2}p3 {2}Do T1\n/);
    const json = rig.start(["ls", "todo", "--watch", "--json"]);
    await json.says(/"T1"/);
    await rig.run(["add", "Dates"]);
    await watch.says(/T2 {2}p3 {2}Dates\n/);
    rig.write("to-do.json", "{");
    await watch.says(/to-do\.json has 1 problem: looper validate/);
    await json.says(/"tasks":\[\]/);
    rmSync(path.join(rig.project, "to-do.json"));
    await watch.says(/no task file/);
    rig.writeBacklog([{ id: "T9", status: "done" }]);
    await watch.says(/done \(1\)\n {2}T9/);
    watch.signal("SIGINT");
    expect(await watch.ended).toMatchObject({ code: 130 });
    json.signal("SIGTERM");
    const { code, stdout } = await json.ended;
    expect(code).toBe(143);
    const lists = stdout
      .trimEnd()
      .split("\n")
      .map((line) => LsAnswer.parse(JSON.parse(line)).tasks);
    expect(lists[0]?.map(({ id }) => id)).toEqual(["T1"]);
    expect(lists).toContainEqual([]);
  }),
);

test.skipIf(noTmux !== undefined)(
  "status --watch shows a run full screen as it passes, until Ctrl-C; a pipe and --json are refused",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const piped = await rig.run(["status", "--watch"]);
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining("looper tail -f")]);
    expect((await rig.run(["status", "--watch", "--json"])).code).toBe(2);
    await inTmux(rig, ["status", "--watch"], { columns: 60, rows: 10 }, async (tmux) => {
      await tmux.shows("0 of 2 tasks done");
      const program = rig.start(["run", "--no-review"]);
      const first = await puppet.next();
      await first.say("looks at the dates");
      await tmux.shows("looks at the dates");
      await first.report();
      await (await puppet.next()).report();
      await tmux.shows("2 of 2 tasks done");
      await program.ended;
      tmux.press("C-c");
      expect(await tmux.ended()).toBe(130);
    });
  }),
);
