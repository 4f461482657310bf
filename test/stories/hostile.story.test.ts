// Agents that do what no agent should: each attempt ends as the contract says, with a line a person understands, and the
// run continues with the next task.
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { EXHAUSTIVE, exhaustively } from "../rig/exhaustive.js";
import type { Puppet, Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

type Parts = Record<string, (turn: Turn) => Promise<unknown>>;

/** A task for each part, and one more that is played well: the run must get to it. */
function play(rig: Rig, puppet: Puppet, parts: Parts, drafts: Record<string, object> = {}): void {
  rig.writeBacklog([...Object.keys(parts), "Z-good"].map((id) => ({ id, ...drafts[id] })));
  puppet.play(async (turn) => {
    const part = parts[turn.task];
    if (part !== undefined) {
      await part(turn);
      return;
    }
    if (turn.task !== "") await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, "done\n");
    await turn.report({ summary: `${turn.task} is done` });
  });
}

/** Whether one line says all of it. */
const says = (text: string, ...parts: readonly string[]) =>
  text.split("\n").some((line) => parts.every((part) => line.includes(part)));

const taskOf = (rig: Rig, id: string) => rig.readBacklog().tasks.find((task) => task.id === id);
const todo = (turn: Turn) => `${turn.hello.cwd}/to-do.json`;

function statusesBut(rig: Rig, status: string): Record<string, string> {
  return Object.fromEntries(Object.entries(rig.statuses()).filter(([, is]) => is !== status));
}

const copies = (rig: Rig) => readdirSync(rig.project).filter((name) => name.startsWith("to-do.json.edited-"));

test(
  "agents that fail, or report nothing usable: each task is blocked with the reason, and the run continues",
  story(async (rig) => {
    const puppet = await rig.agent({}, { loop: { max_attempts: 1 } });
    play(rig, puppet, {
      "A-exits": async (turn) => {
        await turn.complain("Error: no such model");
        await turn.exit(1);
      },
      "B-killed": (turn) => turn.die("SIGSEGV"),
      "C-garbage": async (turn) => {
        for (let line = 0; line < 50; line++) await turn.say(`<garbage ${line} {"type": \u0007\u001b[2J [`);
        await turn.exit(0);
      },
      "D-other": (turn) => turn.report({ task_id: "Z-good" }),
      "F-invalid": (turn) => turn.report({ status: "halfway" }),
      "G-reviewed": (turn) => turn.report({ status: "reviewed" }),
      "H-liar": async (turn) => {
        await turn.say(JSON.stringify({ task_id: turn.task, status: "done" }));
        await turn.exit(7);
      },
    });
    rig.gitInit();
    const { code, stdout, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(1);
    const reasons: Record<string, string> = {
      "A-exits": "exited: exit code 1: Error: no such model",
      "B-killed": "killed: ended by SIGSEGV, not by looper",
      "C-garbage": 'no-summary: no JSON object with a status: the least report is {"status": "done"}',
      "D-other": 'bad-summary: the summary is for task "Z-good", the task given was "D-other"',
      "F-invalid":
        'bad-summary: status: Invalid option: expected one of "done"|"blocked"|"skipped"|"reviewed"',
      "G-reviewed": 'bad-summary: the summary says "reviewed", which is not a status of a task',
      "H-liar": "exited: exit code 7: with nothing on stderr",
    };
    for (const [id, reason] of Object.entries(reasons)) {
      expect(taskOf(rig, id)).toMatchObject({ status: "blocked", attempts: 1, blockers: [reason] });
      expect(says(stderr, `✗ blocked ${id} `, reason), stderr).toBe(true);
      expect(stdout).toContain(`${id} Do ${id}: ${reason}\n`);
    }
    expect(statusesBut(rig, "blocked")).toEqual({ "Z-good": "done" });
    expect(rig.commitsByTask()).toEqual({ "Z-good": 1 });
    expect(stdout).toContain("blocked · 1 of 8 tasks done · 8 iterations");
    // Not a byte that could command a terminal reaches it.
    expect(`${stdout}${stderr}`).not.toContain("\u001b");
  }),
);

exhaustively(
  "the second attempt is told how the first one ended, and may do better",
  story(async (rig) => {
    const puppet = await rig.agent();
    const prompts: string[] = [];
    play(rig, puppet, {
      T1: async (turn) => {
        prompts.push(turn.hello.prompt);
        if (turn.hello.env["LOOPER_ATTEMPT"] === "2") return turn.report();
        await turn.say("I looked at the wrong file");
        await turn.write("wrong.txt", "looked at");
        await turn.complain("Error: disk is upside down");
        await turn.exit(1);
      },
    });
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(0);
    expect(says(stderr, "✗ failed T1 ", "exited: exit code 1: Error: disk is upside down"), stderr).toBe(
      true,
    );
    expect(taskOf(rig, "T1")).toMatchObject({ status: "done", attempts: 2 });
    expect(prompts[0]).not.toContain("disk is upside down");
    expect(prompts[1]).toContain("disk is upside down");
    expect(prompts[1]).toContain("I looked at the wrong file");
  }),
);

test(
  "agents that hang or ignore signals are ended with all they started, and the run continues",
  story(async (rig) => {
    const puppet = await rig.agents(
      { fake: {}, slow: { timeout: "1s" }, idle: { idle_timeout: "1s" } },
      { loop: { max_attempts: 1 } },
    );
    const deaf = async (turn: Turn) => {
      await turn.ignore("SIGTERM", "SIGINT", "SIGHUP");
      await turn.leaveBehind("trap '' TERM INT HUP; while :; do sleep 1000; done");
      await turn.gone;
    };
    play(
      rig,
      puppet,
      { "A-slow": (turn) => turn.gone, "B-deaf": deaf, "C-idle": (turn) => turn.gone },
      { "A-slow": { agent: "slow" }, "B-deaf": { agent: "slow" }, "C-idle": { agent: "idle" } },
    );
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(1);
    expect(taskOf(rig, "A-slow")?.blockers).toEqual([
      "timed-out: not finished after 1 s (agents.slow.timeout)",
    ]);
    expect(taskOf(rig, "B-deaf")?.blockers).toEqual(taskOf(rig, "A-slow")?.blockers);
    expect(taskOf(rig, "C-idle")?.blockers).toEqual([
      "idle: it did not begin to work: printed nothing for 1 s (agents.idle.idle_timeout)",
    ]);
    expect(says(stderr, "✗ blocked C-idle ", "idle: it did not begin to work: printed nothing"), stderr).toBe(
      true,
    );
    expect(rig.statuses()["Z-good"]).toBe("done");
    expect(rig.leftovers()).toEqual([]);
  }),
);

exhaustively(
  "a child in a session of its own, deaf to SIGTERM, holds up neither the attempt nor the run, and does not outlive it",
  story(async (rig) => {
    const puppet = await rig.agent();
    play(rig, puppet, {
      "A-leaves": async (turn) => {
        await turn.leaveBehind("trap '' TERM INT HUP; while :; do sleep 1000; done");
        await turn.report();
      },
      "B-holds-pipes": async (turn) => {
        // With the agent's own stdout and stderr: they stay open when it is gone.
        const outlives = "trap '' TERM INT HUP; while :; do sleep 1000; done";
        await turn.shellAloud(`setsid sh -c "${outlives}" </dev/null &`);
        await turn.report();
      },
    });
    rig.gitInit();
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(rig.statuses()).toEqual({ "A-leaves": "done", "B-holds-pipes": "done", "Z-good": "done" });
    expect(rig.leftovers()).toEqual([]);
  }),
);

exhaustively(
  "100 MB of output, in lines or as one line, do no harm",
  story(async (rig) => {
    const puppet = await rig.agent({ contain: "none" }, { loop: { max_attempts: 1 } });
    const peaks: number[] = [];
    const notePeak = async (turn: Turn) => {
      const looper = "$(awk '/^PPid/ { print $2 }' /proc/$PPID/status)";
      const peak = await turn.shell(`grep VmHWM /proc/${looper}/status`);
      peaks.push(Number(/\d+/.exec(peak.stdout)?.[0]) * 1024);
    };
    play(rig, puppet, {
      "A-lines": async (turn) => {
        await turn.shellAloud(`yes "$(printf '%065535d' 0)" | head -c 100000000; echo`);
        await notePeak(turn);
        await turn.report();
      },
      "B-one-line": async (turn) => {
        await turn.shellAloud(`head -c 100000000 /dev/zero | tr '\\0' x; echo`);
        await notePeak(turn);
        await turn.report();
      },
      "C-stderr": async (turn) => {
        await turn.shellAloud(
          `yes "$(printf '%0999d' 0)" | head -c 20000000 >&2; echo 'Error: too much' >&2`,
        );
        await notePeak(turn);
        await turn.exit(1);
      },
    });
    const { code, stdout, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(1);
    expect(rig.statuses()).toEqual({
      "A-lines": "done",
      "B-one-line": "done",
      "C-stderr": "blocked",
      "Z-good": "done",
    });
    expect(stdout).toContain("C-stderr Do C-stderr: exited: exit code 1: Error: too much\n");
    // Memory is bounded: it holds lines as they come, the first 64 MB of one line, and buffers to write them.
    expect(peaks[0]).toBeLessThan(300_000_000);
    expect(peaks[2]).toBeLessThan(800_000_000);
    const kept = rig.read(`looper-logs/runs/${rig.runs()[0] ?? ""}/001-iter-1/output.jsonl`);
    expect(kept.length).toBeGreaterThan(100_000_000);
  }),
);

test(
  "an agent that deletes, empties, breaks or finishes the task file changes nothing of it; its version is kept",
  story(async (rig) => {
    const puppet = await rig.agent({}, { loop: { max_attempts: 1 } });
    let finishedFor = "";
    play(rig, puppet, {
      "A-deletes": async (turn) => {
        await turn.remove(todo(turn));
        await turn.report({ summary: "tidied up" });
      },
      "B-empties": async (turn) => {
        await turn.write(todo(turn), "");
        await turn.report();
      },
      "C-breaks": async (turn) => {
        await turn.write(todo(turn), '{"schema_version": 1, "tasks": [');
        await turn.report();
      },
      "D-finishes": async (turn) => {
        await turn.write("tried.txt", "tried");
        finishedFor = rig.read("to-do.json").replaceAll(/"status": "\w+"/g, '"status": "done"');
        await turn.write(todo(turn), finishedFor);
        await turn.exit(1);
      },
      "E-marks": async (turn) => {
        await turn.write("tried.txt", "tried");
        const { tasks } = rig.readBacklog();
        const marker = {
          id: "PROJECT-DONE",
          title: "x",
          priority: 5,
          status: "done",
          tags: ["project-done"],
        };
        await turn.write(
          todo(turn),
          JSON.stringify({ schema_version: 1, source_files: [], tasks: [...tasks, marker] }),
        );
        await turn.exit(1);
      },
    });
    rig.gitInit();
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(1);
    expect(rig.statuses()).toEqual({
      "A-deletes": "done",
      "B-empties": "done",
      "C-breaks": "done",
      "D-finishes": "blocked",
      "E-marks": "blocked",
      "Z-good": "done",
    });
    expect(rig.readBacklog().tasks.map(({ id }) => id)).not.toContain("PROJECT-DONE");
    expect(stderr).toContain("put back: the whole file, which was deleted");
    expect(stderr).toContain("put back: the whole file, which was emptied");
    expect(stderr).toContain("put back: the whole file, which was not a valid backlog");
    const statuses = "put back: status of D-finishes; status of E-marks; status of Z-good";
    expect(stderr).toContain(`${statuses}; their version is kept in ${rig.project}/to-do.json.edited-`);
    expect(stderr).toContain("the completion marker PROJECT-DONE");
    const kept = copies(rig).map((name) => rig.read(name));
    expect(kept).toContain("");
    expect(kept).toContain('{"schema_version": 1, "tasks": [');
    expect(kept).toContain(finishedFor);
    expect(rig.commitsByTask()).toEqual({ "A-deletes": 1, "B-empties": 1, "C-breaks": 1, "Z-good": 1 });
  }),
);

test(
  "an agent that removes everything, the log too: the run ends with the reason, the backlog is kept, the next run resumes",
  story(async (rig) => {
    const puppet = await rig.agent();
    let cleaned = false;
    play(rig, puppet, {
      T1: async (turn) => {
        if (!cleaned) await turn.shell("git clean -qfdx; rm -rf *");
        cleaned = true;
        await turn.report();
      },
    });
    rig.gitInit();
    const first = await rig.run(["run", "--no-review"]);
    expect(first.code).toBe(3);
    expect(first.stderr).toMatch(/looper-logs\/runs\/.* was removed while fake was at work/);
    expect(first.stderr).toContain("the run's log is lost with it; `git clean -x` does this");
    expect(rig.statuses()).toEqual({ T1: "doing", "Z-good": "todo" });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(rig.statuses()).toEqual({ T1: "done", "Z-good": "done" });
  }),
);

test(
  "refs that an agent removes are back, secrets and dependencies it leaves are in no commit, work on its branch is",
  story(async (rig) => {
    const puppet = await rig.agent();
    play(rig, puppet, {
      T1: async (turn) => {
        const key = `sk-${"a1".repeat(20)}`;
        await turn.shell("git branch -D wip && git tag -d v1 && git stash clear");
        await turn.shell(
          "git switch -qc fix/x && echo work >work.txt && git add -A && git commit -qm fix && git switch -q main",
        );
        await turn.shell(
          `echo 'TOKEN=${key}' >.env && mkdir -p node_modules/a && echo x >node_modules/a/index.js`,
        );
        await turn.report();
      },
    });
    rig.write("package.json", "{}\n");
    rig.gitInit();
    rig.git("config", "user.name", "Ada");
    rig.git("config", "user.email", "ada@example.org");
    rig.git("branch", "wip", rig.git("commit-tree", "-p", "HEAD", "-m", "unpushed", "HEAD^{tree}").trim());
    rig.git("tag", "v1");
    rig.write("package.json", '{ "private": true }\n');
    rig.git("stash", "push", "-q", "-m", "half done");
    const refs = () => rig.git("for-each-ref", "refs/heads/wip", "refs/tags/v1", "refs/stash");
    const before = refs();
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(refs()).toBe(before);
    expect(rig.git("show", "--format=", "--name-only", ":/Do T1").trim().split("\n").sort()).toEqual([
      "to-do.json",
      "work.txt",
    ]);
    expect(rig.read(".env")).toContain("TOKEN=");
    const said = [
      "the branch wip was removed during the attempt, and is back",
      'the stash "On main: half done" was dropped during the attempt, and is back',
      "the agent committed on fix/x, which stays: its work is in the task's commit",
      "not committed, and still in the folder: node_modules (dependencies that nothing ignores), .env (by its name a secret)",
    ];
    for (const line of said) expect(stderr).toContain(line);
    const shown = await rig.run(["show", "T1"]);
    for (const line of said) expect(shown.stdout).toContain(line);
  }),
);

test(
  "an agent that commits, resets or switches branch: the commits are kept, HEAD and branch are put back",
  story(async (rig) => {
    const puppet = await rig.agent({}, { loop: { max_attempts: 1 } });
    const person = "git -c user.name=Agent -c user.email=agent@example.org";
    const own: string[] = [];
    play(rig, puppet, {
      "A-commits": async (turn) => {
        await turn.write(`${turn.hello.cwd}/a.txt`, "by the agent\n");
        await turn.shell(`git add -A && ${person} commit -qm 'my own' -m 'Looper-Task: Z-good'`);
        own.push((await turn.shell("git rev-parse HEAD")).stdout.trim());
        await turn.report();
      },
      "B-resets": async (turn) => {
        await turn.shell("git reset -q --hard HEAD~1");
        await turn.report();
      },
      "C-switches": async (turn) => {
        await turn.shell(
          `git checkout -qb elsewhere && echo c >c.txt && git add c.txt && ${person} commit -qm away`,
        );
        await turn.report();
      },
      "D-detaches": async (turn) => {
        await turn.shell("git checkout -q --detach");
        await turn.report();
      },
    });
    rig.gitInit();
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(1);
    const blockers = Object.fromEntries(rig.readBacklog().tasks.map((task) => [task.id, task.blockers?.[0]]));
    expect(blockers).toEqual({
      "A-commits": undefined,
      "B-resets": "moved-head: the agent rewrote main",
      "C-switches": undefined,
      "D-detaches": undefined,
      "Z-good": undefined,
    });
    expect(stderr).toContain(
      "the agent committed on elsewhere, which stays: its work is in the task's commit",
    );
    expect(rig.git("branch", "--show-current")).toBe("main\n");
    expect(rig.git("log", "--format=%s", "main").trim().split("\n")).toEqual([
      "Do Z-good",
      "Do D-detaches",
      "Do C-switches",
      "Do A-commits",
      "start",
    ]);
    expect(rig.commitsByTask()).toEqual({ "A-commits": 1, "C-switches": 1, "D-detaches": 1, "Z-good": 1 });
    expect(rig.git("show", "--format=", "--name-only", ":/Do C-switches")).toContain("c.txt");
    // The runner's commit holds the agent's work; the agent's own is kept, and so is the branch it made.
    expect(rig.git("show", "--format=", "--name-only", ":/Do A-commits").trim().split("\n")).toContain(
      "a.txt",
    );
    expect(rig.git("for-each-ref", "--format=%(objectname)", "refs/looper/rescue")).toContain(own[0]);
    expect(rig.git("log", "-1", "--format=%s", "elsewhere")).toBe("away\n");
    // The files that the reset removed are back.
    expect(rig.read("a.txt")).toBe("by the agent\n");
    expect(rig.git("show", "--format=", "--name-only", ":/Do Z-good").trim().split("\n").sort()).toEqual([
      "Z-good.txt",
      "to-do.json",
    ]);
    expect(rig.git("status", "--porcelain", "--untracked-files=no")).toBe("");
  }),
);

test(
  "texts of an agent stay texts: no trailer, no command to a terminal, no template",
  story(async (rig) => {
    const puppet = await rig.agent();
    play(rig, puppet, {
      T1: async (turn) => {
        await turn.write(`${turn.hello.cwd}/a.txt`, "a\n");
        const summary =
          "All good\u001b[2J\n\n---\nLooper-Task: T9\nLooper-Run: none\nSigned-off-by: Stranger <a@b.c>\n{{task}} $& ::error::x";
        await turn.report({ summary, new_tasks: [{ title: "Looper-Task: T8\nsecond line" }] });
      },
    });
    rig.gitInit();
    const { code, stdout, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(0);
    expect(rig.readBacklog().tasks[0]?.result).toContain("Looper-Task: T9");
    expect(rig.commitsByTask()).toEqual({ T1: 1, T2: 1, "Z-good": 1 });
    expect(rig.git("log", "--format=%(trailers:key=Signed-off-by)").trim()).toBe("");
    expect(`${stdout}${stderr}`).not.toContain("\u001b");
  }),
);

const QUICK = EXHAUSTIVE ? 200 : 10;

test(
  "agents that print their summary and exit at once are understood, all of them",
  story(async (rig) => {
    const script = `printf '{"task_id": "%s", "status": "done", "summary": "%s"}' "$LOOPER_TASK_ID" "$LOOPER_TASK_ID"`;
    rig.settings({
      schedule: { agent: "quick" },
      loop: { max_iterations: 250, review: false },
      agents: { quick: { kind: "command", binary: "/bin/sh", args: ["-c", script] } },
    });
    rig.writeBacklog(Array.from({ length: QUICK }, (_, index) => ({ id: `T${index + 1}` })));
    const { code, stdout } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`${QUICK} of ${QUICK} tasks done · ${QUICK} iterations`);
    const results = rig.readBacklog().tasks.map(({ id, result, attempts }) => ({ id, result, attempts }));
    expect(results).toEqual(results.map(({ id }) => ({ id, result: id, attempts: 1 })));
  }),
);
