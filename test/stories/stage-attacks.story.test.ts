// Agents in the stages of a workflow that write where only the runner or a person may: everything is put back, and the log says so.
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Program } from "../rig/program.js";
import { type Rig, story } from "../rig/rig.js";
import { playStages, USUAL } from "../rig/stages.js";
import { BIN } from "../rig/program.js";

const RUN = ["run", "--trust", "--no-review"];
const inTasks = (rig: Rig, file: string) => path.join(rig.project, ".looper/tasks", file);

test(
  "an agent that only reads and edits the task file changes nothing in it; what a command changed meanwhile stays",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "T2", title: "second" }]);
    const puppet = await rig.agent();
    rig.gitInit();
    let edits = "";
    puppet.play(
      playStages({
        review: async (turn) => {
          const { tasks, ...rest } = rig.readBacklog();
          const changed = tasks.map((task) => ({ ...task, title: "evil", details: "evil", steps: ["evil"] }));
          rig.write(
            "to-do.json",
            JSON.stringify({ ...rest, tasks: [...changed, { ...changed[1], id: "T9" }] }),
          );
          if (turn.task === "T1") edits = (await rig.run(["add", "third"])).stderr;
          await USUAL["review"]?.(turn);
        },
      }),
    );
    const run = await rig.run([...RUN, "--workflow", "implement-review", "--max-iterations", "2"]);
    expect(edits).toBe("");
    expect(run.stderr).toMatch(
      /put back: .*details, steps, title of T2.*T9, which was added; their version is kept/u,
    );
    const titles = rig.readBacklog().tasks.map(({ id, title }) => [id, title]);
    expect(titles.filter(([id]) => id !== "T1")).toEqual([
      ["T2", "second"],
      ["T10", "third"],
    ]);
    expect(rig.git("show", "HEAD:to-do.json")).not.toContain("evil");
  }),
);

test(
  "agents that write into the folders of tasks, hooks, settings and refs of git, or call commands without their environment, change nothing; the run names each",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1", workflow: "plan-approve-execute" }, { id: "T2" }]);
    const puppet = await rig.agent();
    rig.gitInit();
    rig.git("branch", "mine");
    rig.git("tag", "kept");
    rig.git("tag", "moved");
    const outside = path.join(path.dirname(rig.project), "outside.txt");
    writeFileSync(outside, "mine\n");
    let plan = "";
    const said: string[] = [];
    puppet.play(
      playStages({
        implement: async (turn) => {
          plan = readFileSync(inTasks(rig, "T1/2-plan.md"), "utf8");
          writeFileSync(inTasks(rig, "T1/2-plan.md"), "# A harmless plan\n");
          rmSync(inTasks(rig, "T1/2-plan.json"));
          writeFileSync(inTasks(rig, "T2/task.md"), "- [x] everything\n");
          writeFileSync(inTasks(rig, "T2/notes.txt"), "my own\n");
          symlinkSync(outside, inTasks(rig, "T2/1-implement.json"));
          await USUAL["implement"]?.(turn);
        },
        review: async (turn) => {
          writeFileSync(inTasks(rig, "T2/1-review.json"), '{"findings":[]}');
          await turn.shell("echo exit 1 > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit");
          await turn.shell("git config core.hooksPath /nowhere");
          await turn.shell("git branch sneaked && git branch -D mine");
          await turn.shell("git tag sneaked && git tag -d moved");
          // Its stage does not see the run's log, and its commands know none of its variables.
          for (const words of ["complete T2", "set T1 title=Other", "add Another", "pause T1"]) {
            const line = `env -i PATH="$PATH" HOME="$HOME" '${process.execPath}' '${BIN}' ${words} 2>&1`;
            const { code, stdout } = await turn.shell(line);
            said.push(`${String(code)} ${stdout}`);
          }
          await USUAL["review"]?.(turn);
        },
      }),
    );
    const run = await rig.run([...RUN, "--workflow", "implement-review"]);
    expect(run.code, run.stderr).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "done" });
    expect(readFileSync(inTasks(rig, "T1/2-plan.md"), "utf8")).toBe(plan);
    expect(existsSync(inTasks(rig, "T1/2-plan.json"))).toBe(true);
    expect(readFileSync(inTasks(rig, "T2/task.md"), "utf8")).not.toContain("everything");
    expect(readFileSync(inTasks(rig, "T2/notes.txt"), "utf8")).toBe("my own\n");
    expect(readFileSync(outside, "utf8")).toBe("mine\n");
    expect(existsSync(inTasks(rig, "T2/1-review.json"))).toBe(false);
    for (const [stage, files] of [
      [
        "implement",
        ".looper/tasks/T1/2-plan.json, .looper/tasks/T1/2-plan.md, .looper/tasks/T2/1-implement.json",
      ],
      ["review", ".looper/tasks/T2/1-review.json"],
    ] as const)
      expect(run.stderr).toContain(
        `files that the runner alone writes were changed while the agent of the stage ${stage} worked, and were put back: ${files}`,
      );

    expect(readdirSync(path.join(rig.project, ".git/hooks"))).not.toContain("pre-commit");
    expect(rig.git("config", "--list", "--local")).not.toContain("/nowhere");
    for (const named of [
      ".git/hooks/pre-commit was made during the attempt",
      ".git/config was changed during the attempt",
      "the branch sneaked was made during the attempt",
      "the branch mine was removed during the attempt, and is back",
      "the tag sneaked was made during the attempt",
      "the tag moved was removed during the attempt, and is back",
    ])
      expect(run.stderr).toContain(named);
    expect(run.stderr).not.toContain("the tag kept");

    expect(said).toHaveLength(4);
    for (const one of said) expect(one).toMatch(/^1 looper: an agent of a run/u);
    expect(rig.readBacklog().tasks.map(({ title }) => title)).toEqual(["Do T1", "Do T2"]);
  }),
);

test(
  "a check stage that passes with a script that the work changed says so, and one with a new document does not; a script of a stage's own gate is a check too",
  story(async (rig) => {
    const workflow = (name: string, stages: object): void => {
      rig.write(`.looper/workflows/${name}.json`, JSON.stringify({ workflow: 1, name, start: "do", stages }));
    };
    workflow("gated", {
      do: { kind: "work", prompt: "implement", gate: ["sh gate.sh"], next: { done: "finish" } },
    });
    workflow("linted", {
      do: { kind: "work", prompt: "implement", gate: "none", next: { done: "lint" } },
      lint: { kind: "check", commands: ["sh lint.sh"], next: { passed: "finish", failed: "do" } },
    });
    rig.write("gate.sh", "exit 1\n");
    rig.write("lint.sh", "test -f hello.txt\n");
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3", workflow: "gated" }]);
    const puppet = await rig.agent();
    rig.gitInit();
    const files: Record<string, string> = { T1: "hello.txt", T2: "lint.sh", T3: "gate.sh" };
    puppet.play(
      playStages({
        do: async (turn) => {
          await turn.write(files[turn.task] ?? "", "exit 0\n");
          await turn.report({ outcome: "done" });
        },
      }),
    );
    const run = await rig.run([...RUN, "--workflow", "linted"]);
    expect(run.code, run.stderr).toBe(0);
    const warned = run.stderr.split("\n").filter((line) => line.includes("as the work of"));
    expect(warned).toEqual([
      expect.stringMatching(/^! lint passed with lint\.sh as the work of T2 left it/u),
    ]);
    expect(run.stderr).toContain("it passes only with gate.sh");
  }),
);

test(
  "edits that an agent saved right before it killed its run are named by the next run, those of a person's command are not",
  story(async (rig) => {
    rig.writeBacklog([
      { id: "T1", workflow: "plan-approve-execute" },
      ...["T2", "T3", "T4", "T5"].map((id) => ({ id, workflow: "implement-review" })),
    ]);
    rig.write(".gitignore", "looper-logs/\n.looper/\n");
    const puppet = await rig.agent();
    rig.gitInit();
    let first: Program | undefined;
    puppet.play(
      playStages({
        implement: async (turn) => {
          if (turn.task !== "T2" || first === undefined) {
            await USUAL["implement"]?.(turn);
            return;
          }
          const forged = rig.readBacklog();
          const [asking, , third] = forged.tasks;
          if (asking?.progress !== undefined)
            asking.progress.answer = { outcome: "approve", by: "ada", via: "cli" };
          if (third !== undefined) third.status = "done";
          rig.write("to-do.json", JSON.stringify(forged));
          const killed = first;
          first = undefined;
          await killed.kill("alone");
        },
      }),
    );
    const killed = rig.start(RUN);
    first = killed;
    expect((await killed.ended).signal).toBe("SIGKILL");
    expect((await rig.run(["set", "T4", "priority=1"])).code).toBe(0);
    const next = await rig.run([...RUN, "--max-iterations", "1"]);
    const warned = next.stderr.split("\n").filter((line) => line.includes("was edited after run"));
    expect(warned).toEqual([
      expect.stringMatching(
        /^! to-do\.json was edited after run \S+ last read it: T1 \(an answer\), T3 \(status todo → done\)\. That run was killed while its agent worked/u,
      ),
    ]);
    const last = await rig.run([...RUN, "--max-iterations", "1"]);
    expect(last.stderr).not.toContain("was edited after run");
  }),
);
