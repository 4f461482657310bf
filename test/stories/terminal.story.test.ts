// A person at a terminal: the run asks in place, an edit from another shell is asked about again, and a closed input leaves a question
// open.
import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { story, type Rig } from "../rig/rig.js";
import { playStages } from "../rig/stages.js";
import { BIN } from "../rig/program.js";

const noTerminal = spawnSync("script", ["--version"]).error !== undefined;
const RUN = "run --no-review --workflow plan-approve-execute";

/** The program in a terminal of 40 lines. */
class Terminal {
  shown = "";
  #read = 0;
  readonly #child;
  readonly code: Promise<number | null>;

  constructor(rig: Rig, words: string) {
    this.#child = spawn(
      "script",
      ["-qec", `stty cols 120 rows 40; '${process.execPath}' '${BIN}' ${words}`, "/dev/null"],
      {
        cwd: rig.project,
        env: { ...rig.env, TERM: "xterm" },
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => (this.shown += text));
    this.code = new Promise((resolve) => this.#child.once("close", resolve));
  }

  /** Types once the text is shown, after what was typed before. */
  async answer(text: string | RegExp, keys: string): Promise<void> {
    await expect.poll(() => this.shown.slice(this.#read)).toMatch(text);
    this.#read = this.shown.length;
    this.#child.stdin.write(keys);
  }
}

async function begin(rig: Rig, settings: Record<string, unknown> = {}): Promise<void> {
  rig.writeBacklog([{ id: "T1" }]);
  rig.write(".gitignore", "looper-logs/\n.looper/\n");
  rig.gitInit();
  (await rig.agent({}, settings)).play(playStages());
}

const progressOf = (rig: Rig) => rig.readBacklog().tasks[0]?.progress;
const PROMPT = /a remark may follow/u;

test.skipIf(noTerminal)(
  "a run asks in place: the plan is shown, an edit is made from another shell and asked about again, and a remark goes with the yes",
  story(async (rig) => {
    await begin(rig);
    const terminal = new Terminal(rig, RUN);
    await terminal.answer(PROMPT, "edit\r");
    await expect.poll(() => terminal.shown).toContain("looper answer T1.3 edit --edit FILE");
    const plan = rig.read(".looper/tasks/T1/2-plan.json").replaceAll("greeting", "farewell");
    rig.write("plan.json", plan);
    expect((await rig.run(["answer", "T1.3", "edit", "--edit", "plan.json"])).code).toBe(0);
    rmSync(path.join(rig.project, "plan.json"));
    await terminal.answer(/T1\.4[^]*a remark may follow/u, "y go ahead\r");
    expect(await terminal.code).toBe(0);
    expect(terminal.shown).toContain("Write the farewell into a file");
    expect((await rig.run(["set", "T1", "workflow=tdd"])).stdout).toBe("T1: workflow\n");
    expect(terminal.shown).not.toContain("edited meanwhile");
    expect(terminal.shown).toMatch(/T1 approve, by \S+ \(terminal\): go ahead/u);
    expect(rig.git("log", "-1", "--format=%B")).toMatch(/^Looper-Approved-By: .* \(terminal, approve\)$/mu);
  }),
);

test.skipIf(noTerminal)(
  "Ctrl-D leaves the question open; approve --edit approves the changed plan",
  story(async (rig) => {
    await begin(rig);
    const run = new Terminal(rig, RUN);
    await run.answer(PROMPT, "\u0004");
    expect(await run.code).toBe(1);
    expect(run.shown).toContain("T1.3 stays open");
    expect((await rig.run(["set", "T1", "priority=3"])).stdout).toBe("T1: priority\n");
    expect((await rig.run(["set", "T1", "workflow=research"])).stdout).toContain(
      "it is at approve of plan-approve-execute, and finishes that first",
    );
    expect((await rig.run(["set", "T1", "workflow=plan-approve-execute"])).stdout).toBe("T1: workflow\n");
    rig.write("plan.json", rig.read(".looper/tasks/T1/2-plan.json").replaceAll("greeting", "farewell"));
    expect((await rig.run(["approve", "T1", "--edit", "plan.json"])).code).toBe(0);
    expect(progressOf(rig)?.answer).toMatchObject({
      outcome: "approve",
      edited: { stage: "plan", visit: 3 },
    });
    expect(rig.read(".looper/tasks/T1/3-plan.json")).toContain("farewell");
  }),
);

test.skipIf(noTerminal)(
  "a question that is open at the terminal does not hold the run longer than its time",
  story(async (rig) => {
    await begin(rig);
    const run = new Terminal(rig, `${RUN} --max-duration 6s`);
    expect(await run.code).toBe(1);
    // A slow machine may reach the end of the time before the question.
    expect(run.shown).toMatch(/1 question is open|loop\.max_duration/u);
    expect(progressOf(rig)?.answer).toBeUndefined();
  }),
);

test.skipIf(noTerminal)(
  "with git.share an answer at the terminal looks first what was answered elsewhere",
  story(async (rig) => {
    await begin(rig, { git: { share: "origin" } });
    const [origin, there] = [path.join(rig.root, "origin.git"), path.join(rig.root, "there")];
    rig.git("init", "-q", "--bare", origin);
    rig.git("remote", "add", "origin", origin);
    rig.git("push", "-q", "origin", "main");
    rig.git("clone", "-q", `file://${origin}`, there);
    const run = new Terminal(rig, RUN);
    await expect.poll(() => run.shown).toMatch(PROMPT);
    await expect.poll(() => rig.git("ls-remote", "origin", "refs/looper/*")).toContain("open/T1");
    expect((await rig.run(["-C", there, "approve", "T1"])).code).toBe(0);
    await run.answer(PROMPT, "revise\r");
    expect(await run.code).toBe(0);
    expect(run.shown).toContain("T1.3 was already answered: approve");
    expect(rig.statuses()).toEqual({ T1: "done" });
  }),
);

test.skipIf(noTerminal)(
  "looper alone shows the tasks, their agents and the limits, and waits for Enter; Ctrl-C and a no start nothing",
  story(async (rig) => {
    const tasks = Array.from({ length: 14 }, (_, at) => ({ id: `T${at + 1}` }));
    rig.writeBacklog(tasks);
    rig.gitInit();
    const puppet = await rig.agent({}, { loop: { max_iterations: 20, max_duration: "8h", review: false } });
    puppet.play((turn) => turn.report());
    const left = new Terminal(rig, "");
    await left.answer(/Enter starts the run/u, "\u0003");
    expect(await left.code).toBe(130);
    expect(left.shown).toMatch(/1 {2}T1 .*fake[^]*12 {2}T12 [^]*and 2 more tasks\s+at most 20 attempts, 8h/u);
    rig.writeBacklog([{ id: "T1" }]);
    const refused = new Terminal(rig, "");
    await refused.answer(/Enter starts the run/u, "nein\r");
    expect(await refused.code).toBe(130);
    expect(Object.values(rig.statuses())).not.toContain("done");
    const started = new Terminal(rig, "");
    await started.answer(/Enter starts the run/u, "\r");
    expect(await started.code, started.shown).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
  }),
);
