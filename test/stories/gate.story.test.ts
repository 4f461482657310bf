// Done is the runner's word: what the gate lets through, what it sends back, and what it can and cannot say.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import type { Puppet, Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

const PROVEN = { id: "T1", verify: ["grep -q two out.txt"] };

/** A check that counts how often it ran, outside the project. */
function counted(rig: Rig, command: string): string {
  return `echo x >> ${rig.root}/ran; ${command}`;
}

const timesRan = (rig: Rig) =>
  existsSync(`${rig.root}/ran`) ? rig.read("../ran").trim().split("\n").length : 0;

function play(puppet: Puppet, ...turns: ((turn: Turn) => Promise<unknown>)[]): void {
  let n = 0;
  puppet.play(async (turn) => {
    const part = turns[Math.min(n++, turns.length - 1)];
    await part?.(turn);
  });
}

const writes = (text: string) => async (turn: Turn) => {
  await turn.write(`${turn.hello.cwd}/out.txt`, text);
  await turn.report();
};

const verdicts = (rig: Rig) =>
  rig.events().flatMap((line) => (line.type === "gate_finished" ? [String(line["verdict"])] : []));
const task = (rig: Rig, id: string) => rig.readBacklog().tasks.find((one) => one.id === id);

test(
  "a task whose own check fails is tried again with what the check said, and is done and verified when it passes",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { protected: ["!out.txt"] } });
    rig.write("out.txt", "none\n");
    rig.writeBacklog([{ id: "T1", verify: ['echo "looked for two"; grep -q two out.txt'] }]);
    rig.gitInit();
    const prompts: string[] = [];
    play(
      puppet,
      async (turn) => {
        prompts.push(turn.hello.prompt);
        await writes("one\n")(turn);
      },
      async (turn) => {
        prompts.push(turn.hello.prompt);
        await writes("two\n")(turn);
      },
    );
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 0 });
    expect(verdicts(rig)).toEqual(["failed", "passed"]);
    expect(prompts[1]).toContain("looked for two");
    expect(task(rig, "T1")).toMatchObject({ status: "done", meta: { verdict: "verified" } });
    expect((await rig.run(["why", "T1"])).stdout).toMatch(/^T1 is done, verified\nfrom red to green: .+\n/u);
    const why: unknown = JSON.parse((await rig.run(["why", "T1", "--json"])).stdout);
    expect(why).toMatchObject({ verdict: "verified", evidence: { fail_to_pass: [{}] } });
    expect(why).not.toHaveProperty("reasons");
    expect(rig.commitsByTask()).toEqual({ T1: 1 });
    expect((await rig.run(["ls"])).stdout).not.toContain("unverified");
  }),
);

exhaustively(
  "a task that never passes is blocked, its work saved as a rescue, the tree reset, and the run continues",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.write("out.txt", "none\n");
    rig.writeBacklog([PROVEN, { id: "T2" }]);
    rig.gitInit();
    rig.write("mine.txt", "a person's\n");
    puppet.play(async (turn) => {
      if (turn.task === "T2") return turn.report();
      await turn.shell("mkdir -p deep && echo agent > deep/new.txt && git add deep && chmod +x out.txt");
      return writes("one\n")(turn);
    });
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 1 });
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "done" });
    expect(rig.git("status", "--porcelain")).toBe("?? mine.txt\n");
    expect(rig.read("out.txt")).toBe("none\n");
    const kept = task(rig, "T1")?.blockers ?? [];
    expect(kept[0]).toMatch(/^gate: /);
    const id = /looper rescue show (\S+)$/.exec(kept.at(-1) ?? "")?.[1] ?? "";
    expect(rig.git("show", `refs/looper/rescue/${id}:out.txt`)).toBe("one\n");
    expect(rig.git("show", `refs/looper/rescue/${id}:deep/new.txt`)).toBe("agent\n");
  }),
);

test(
  "the project's checks have a baseline: measured once, kept while the tree is what it was, and a regression fails",
  story(async (rig) => {
    const check = "grep -q good out.txt";
    const puppet = await rig.agent(
      {},
      { verify: { commands: [counted(rig, check)], cold: false, protected: ["!out.txt"] } },
    );
    rig.write("out.txt", "good\n");
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    const prompts: string[] = [];
    play(puppet, writes("good 1\n"), writes("bad\n"), async (turn) => {
      prompts.push(turn.hello.prompt);
      await writes("good 2\n")(turn);
    });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(verdicts(rig)).toEqual(["unbroken", "failed", "unbroken"]);
    expect(prompts[0]).toContain(check);
    const baselines = rig
      .events()
      .flatMap((line) => (line.type === "baseline_finished" ? [line["outcome"]] : []));
    expect(baselines).toEqual(["measured", "kept", "kept"]);
    // Once before, once for each attempt, and once more for the one that would have failed.
    expect(timesRan(rig)).toBe(1 + 3 + 1);
    expect(rig.commitsByTask()).toEqual({ T1: 1, T2: 1 });
  }),
);

test(
  "a ready task's own check that passes before the work is named once when the run begins, one that fails is not",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["true"], protected: ["!out.txt"] } });
    rig.writeBacklog([
      { id: "T1", verify: ["echo T1"] },
      { id: "T2", verify: ["grep good out.txt"] },
      { id: "T3", verify: ["echo T3"] },
      { id: "T4", verify: ["echo T4"], depends_on: ["T1"] },
    ]);
    rig.gitInit();
    const fails = async (turn: Turn) => {
      await turn.write("tried.txt", "tried");
      await turn.exit(1);
    };
    play(puppet, fails, writes("one\n"), writes("good\n"), writes("good 3\n"), writes("good 4\n"));
    await rig.run(["run", "--no-review", "--trust"]);
    const told = rig
      .events()
      .flatMap(({ type, message }) => (type === "warning" ? [String(message)] : [type]));
    const named = told.filter((line) => /passes already|^(?:agent_started|task_claimed)$/.test(line));
    const passes = (id: string): string =>
      `the check of ${id} passes already, so it can prove nothing: echo ${id}`;
    expect(named.filter((line) => line.includes("passes"))).toEqual(["T3", "T1", "T4"].map(passes));
    expect(named.indexOf(passes("T3"))).toBeLessThan(named.indexOf("agent_started"));
    expect(verdicts(rig)).toEqual(["unbroken", "passed", "unbroken", "unbroken"]);
  }),
);

exhaustively(
  "a check that was red before and still is leaves the task done and unbroken; with verify.strict it fails",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["false"] } });
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    play(puppet, writes("one\n"), writes("two\n"));
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(verdicts(rig)).toEqual(["unbroken"]);
    expect((await rig.run(["ls"])).stdout).toContain(
      'T1  p3  Do T1  unbroken: "false" failed before the work',
    );
    expect(task(rig, "T1")?.meta).toEqual({ verdict: "unbroken" });
    rig.writeBacklog([{ id: "T1" }]);
    const strict = await rig.run(["run", "--no-review"], { env: { LOOPER_VERIFY_STRICT: "true" } });
    expect(strict).toMatchObject({ code: 1 });
    expect(rig.statuses()).toEqual({ T1: "blocked" });
  }),
);

test(
  "files that the checks write are put back and left out of the commit; the run reports it",
  story(async (rig) => {
    const puppet = await rig.agent(
      {},
      { verify: { commands: ["echo x > report.xml; echo more >> out.txt; rm -f gone.txt"], cold: false } },
    );
    rig.write("out.txt", "base\n");
    rig.write("gone.txt", "here\n");
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    play(puppet, writes("agent\n"));
    const { code, stderr, stdout } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(0);
    expect(rig.git("show", "--format=", "--name-only", "HEAD").split("\n").filter(Boolean).sort()).toEqual([
      "out.txt",
      "to-do.json",
    ]);
    expect(rig.git("show", "HEAD:out.txt")).toBe("agent\n");
    expect(rig.read("out.txt")).toBe("agent\n");
    expect(rig.git("status", "--porcelain")).toBe("");
    expect(`${stdout}${stderr}`).toContain("belongs in .gitignore");
  }),
);

exhaustively(
  "with per-test results a regression has a name, and a test that vanished is named and leaves the task unverified",
  story(async (rig) => {
    const tap = 'cat tests.tap; ! grep -q "^not ok" tests.tap';
    const settings = { verify: { commands: [tap], report: "stdout" }, loop: { max_attempts: 3 } };
    const puppet = await rig.agent({}, settings);
    const report = (...lines: string[]) =>
      `TAP version 13\n${lines.join("\n")}\n1..${String(lines.length)}\n`;
    rig.write("tests.tap", report("ok 1 - adds", "not ok 2 - old trouble", "ok 3 - splits"));
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    const prompts: string[] = [];
    const saying = (text: string) => async (turn: Turn) => {
      prompts.push(turn.hello.prompt);
      await turn.write(`${turn.hello.cwd}/tests.tap`, text);
      await turn.report();
    };
    play(
      puppet,
      saying(report("not ok 1 - adds", "not ok 2 - old trouble", "ok 3 - splits")),
      saying(report("ok 1 - adds", "not ok 2 - old trouble", "ok 3 - splits", "ok 4 - new one")),
      saying(report("ok 1 - adds", "not ok 2 - old trouble", "ok 4 - new one")),
    );
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(verdicts(rig)).toEqual(["failed", "unbroken", "unverified"]);
    expect(prompts[1]).toContain("adds");
    expect(rig.events().filter(({ type }) => type === "gate_finished")[2]).toMatchObject({
      because: "no-report",
      warnings: [expect.stringMatching(/1 test of .* that ran before does not run any more: splits$/)],
    });
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
  }),
);

test(
  "commands of the project's own files are asked about: without a terminal nothing starts, and they are listed",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.write(
      ".looper/config.json",
      JSON.stringify({ verify: { commands: ["touch ran-1"], setup: ["touch ran-2"] } }),
    );
    rig.writeBacklog([{ id: "T1", verify: ["touch ran-3"] }]);
    puppet.play((turn) => turn.report());
    const refused = await rig.run(["run"]);
    expect(refused.code).toBe(3);
    for (const command of ["touch ran-1", "touch ran-2", "touch ran-3"])
      expect(refused.stderr).toContain(command);
    expect(existsSync(path.join(rig.project, "ran-1"))).toBe(false);
    expect(await rig.run(["run", "--no-review", "--verify", "true"], { env: { CI: "true" } })).toMatchObject({
      code: 0,
    });
  }),
);

test(
  "a check that comes up after the question of trust is not run, and the run says so, and that nothing was proven",
  story(async (rig) => {
    // A hook of the user's own saves while no agent works, as a person would.
    const step = `node -e '
      const fs = require("fs"), file = "to-do.json", backlog = JSON.parse(fs.readFileSync(file, "utf8"));
      backlog.tasks[1].verify = ["touch came-late"];
      fs.writeFileSync(file, JSON.stringify(backlog, null, 2));'`;
    const puppet = await rig.agent({}, { hooks: { post_iteration: [`[ "$1" != T1 ] || ${step}`] } });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    play(puppet, async (turn) => turn.report());
    const { code, stderr, stdout } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(`${stdout}${stderr}`).toContain('No checks are configured, so "done" is only the agent\'s word.');
    expect(stdout).toContain("done, unverified");
    expect(stderr).toContain(
      "not run, since it came after the question of trust: verify of T2: touch came-late",
    );
    expect(existsSync(path.join(rig.project, "came-late"))).toBe(false);
    expect(task(rig, "T2")).toMatchObject({ status: "done", verify: ["touch came-late"] });
    expect(verdicts(rig)).toEqual(["unverified", "unverified"]);
  }),
);

test(
  "an agent that edits its task's check in the task file changes nothing: the runner asks what it was given",
  story(async (rig) => {
    const puppet = await rig.agent({}, { loop: { max_attempts: 1 } });
    rig.write("out.txt", "none\n");
    rig.writeBacklog([PROVEN]);
    play(puppet, async (turn) => {
      await turn.shell(`sed -i 's/grep -q two out.txt/true/' to-do.json`);
      await writes("one\n")(turn);
    });
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 1 });
    expect(task(rig, "T1")).toMatchObject({ status: "blocked", verify: PROVEN.verify });
  }),
);

test(
  "after a run was killed while the agent worked, its work is not what the next run compares with",
  story(async (rig) => {
    // A room has the base as it was; without rooms each failure counts as new.
    const puppet = await rig.agent({}, { verify: { commands: ["grep -q good out.txt"], cold: false } });
    rig.write("out.txt", "good\n");
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const half = new Promise<void>((resolve) => {
      play(
        puppet,
        async (turn) => {
          await turn.write(`${turn.hello.cwd}/out.txt`, "bad\n");
          resolve();
          await turn.gone;
        },
        async (turn) => turn.report(),
        writes("good again\n"),
      );
    });
    const first = rig.start(["run", "--no-review"]);
    await half;
    await first.kill("alone");
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    // Without a room, a changed file that the check reads is in doubt.
    expect(verdicts(rig)).toEqual(["failed", "unverified"]);
    expect(rig.git("show", "HEAD:out.txt")).toBe("good again\n");
  }),
);

test(
  "Ctrl-C twice while the checks run: no process is left, the task stays in hand with its work",
  story(async (rig) => {
    const puppet = await rig.agent();
    const begun = path.join(rig.root, "begun");
    execFileSync("mkfifo", [begun]);
    rig.writeBacklog([{ id: "T1", verify: [`echo begun > ${begun}; sleep 600 & sleep 600`] }]);
    rig.gitInit();
    const run = rig.start(["run", "--no-review", "--trust"]);
    play(puppet, writes("one\n"));
    await readFile(begun);
    run.signal("SIGTERM");
    expect(await run.ended).toMatchObject({ code: 143 });
    expect(rig.leftovers()).toEqual([]);
    expect(rig.statuses()).toEqual({ T1: "doing" });
    expect(rig.read("out.txt")).toBe("one\n");
    expect(verdicts(rig)).toEqual(["interrupted"]);
  }),
);

test(
  "a check that takes too long is ended with all it started, and fails the attempt",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { timeout: 0.5 }, loop: { max_attempts: 1 } });
    rig.writeBacklog([{ id: "T1", verify: ["sleep 600 & sleep 600"] }]);
    puppet.play((turn) => turn.report());
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 1 });
    const [gate] = rig.events().filter(({ type }) => type === "gate_finished");
    expect(gate).toMatchObject({ verdict: "failed", commands: [{ end: "timed-out" }] });
    expect(rig.leftovers()).toEqual([]);
  }),
);

test(
  "in a plain folder without git the gate has its word all the same; a flaky check is listed, and fails no task",
  story(async (rig) => {
    // It fails in every other call, first before the work, then after it.
    const seen = `${rig.root}/seen`;
    const flaky = `if test -e ${seen}; then rm ${seen}; else touch ${seen}; exit 1; fi`;
    const puppet = await rig.agent({}, { verify: { commands: ["test ! -e broken"] } });
    rig.writeBacklog([{ id: "T1" }, { id: "T2", verify: [flaky] }]);
    play(
      puppet,
      async (turn) => {
        await turn.write(`${turn.hello.cwd}/broken`, "x");
        await turn.report();
      },
      async (turn) => {
        await turn.remove(`${turn.hello.cwd}/broken`);
        await turn.report();
      },
      (turn) => turn.report(),
    );
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 0 });
    expect(verdicts(rig)).toEqual(["failed", "unbroken", "unbroken"]);
    const flakes = rig.events().filter(({ type }) => type === "gate_finished");
    expect(JSON.stringify(flakes[2]?.["commands"])).toContain('"verdict":"flaky"');
  }),
);

exhaustively(
  "in a cold room the tests there were decide, and a pass that needs another one names it",
  story(async (rig) => {
    const verify = { commands: ["sh check.sh"], cold: true, protected: ["!out.txt"] };
    const puppet = await rig.agent({}, { verify, loop: { max_attempts: 4 } });
    rig.write("out.txt", "good\n");
    rig.write("check.sh", "sh tests/test.sh\n");
    rig.write("tests/test.sh", "grep -q good out.txt || exit 1\n");
    rig.write(".gitignore", "cheat\nlooper-logs\n");
    rig.writeBacklog([{ id: "T1", verify: ["grep -q better out.txt"] }]);
    rig.gitInit();
    const leaving = (command: string) => async (turn: Turn) => {
      await turn.shell(command);
      await turn.report();
    };
    play(
      puppet,
      leaving("echo 'better' > out.txt"),
      leaving("echo 'better' > out.txt; echo 'exit 0' > tests/test.sh"),
    );
    expect(await rig.run(["run", "--no-review", "--trust"])).toMatchObject({ code: 0 });
    const finished = rig.events().filter(({ type }) => type === "gate_finished");
    expect(finished).toMatchObject([
      { verdict: "failed", cold: true, rooms: 2 },
      { verdict: "unverified", cold: true, because: "influence", needs: [{ path: "tests/test.sh" }] },
    ]);
    expect((await rig.run(["show", "T1"])).stdout).toContain("it passes only with tests/test.sh");
  }),
);
