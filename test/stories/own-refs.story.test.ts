// Programs that remove, move or make the refs which only the runner writes: checkpoints and saved work. Each is put back or put aside
// with a warning, and the commit holds the work.
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";
import { playStages, USUAL } from "../rig/stages.js";

const RUN = ["run", "--trust", "--no-review"];
const CHECKPOINT = "refs/looper/checkpoint/main/T1";
const WORK = "refs/looper/work/T1";

const CAREFUL = {
  ...{ workflow: 1, name: "careful", start: "implement" },
  stages: {
    implement: { kind: "work", prompt: "implement", gate: "none", next: { done: "lint" } },
    lint: { kind: "check", commands: ["sh lint.sh"], next: { passed: "look", failed: "implement" } },
    look: { kind: "ask", question: "Commit this?", shows: "work", next: { yes: "finish", no: "implement" } },
  },
};

async function begin(rig: Rig, lint = "exit 0\n"): Promise<Awaited<ReturnType<Rig["agent"]>>> {
  rig.writeBacklog([{ id: "T1" }]);
  rig.write(".gitignore", "looper-logs/\n");
  rig.write("lint.sh", lint);
  rig.write(".looper/workflows/careful.json", JSON.stringify(CAREFUL));
  rig.gitInit();
  return rig.agent();
}

test(
  "an agent that removes the checkpoint of its task takes nothing out of the commit, and a warning names the ref",
  story(async (rig) => {
    const puppet = await begin(rig);
    puppet.play(
      playStages({
        implement: async (turn) => {
          await turn.shell(`git update-ref -d ${CHECKPOINT}`);
          await USUAL["implement"]?.(turn);
        },
        review: async (turn) => {
          await turn.shell(`git update-ref -d ${CHECKPOINT} && git update-ref ${WORK} HEAD`);
          await turn.shell("git update-ref refs/looper/work/T7 HEAD");
          await USUAL["review"]?.(turn);
        },
      }),
    );
    const run = await rig.run([...RUN, "--workflow", "implement-review"]);
    expect(run.code, run.stderr).toBe(0);
    expect(rig.git("show", "HEAD:hello.txt")).toBe("hello\n");
    const warned = `${CHECKPOINT}, which only looper writes, was removed during the attempt, and was put back`;
    expect(run.stderr.split(warned)).toHaveLength(3);
    expect(run.stderr).toMatch(
      /refs\/looper\/work\/T1, which only looper writes, was moved during the attempt, and was put back; what it named is kept: refs\/looper\/rescue\//u,
    );
    expect(run.stderr).toContain(
      "refs/looper/work/T7, which only looper writes, was made during the attempt",
    );
    expect(rig.git("for-each-ref", "refs/looper/work", "refs/looper/checkpoint")).toBe("");
  }),
);

exhaustively(
  "a check that removes the checkpoint does not take the work out of the question or the commit",
  story(async (rig) => {
    const puppet = await begin(rig, `git update-ref -d ${CHECKPOINT}\n`);
    puppet.play(playStages());
    const run = [...RUN, "--workflow", "careful"];
    const asked = await rig.run(run);
    expect(asked.code, asked.stderr).toBe(1);
    expect(rig.git("status", "--porcelain")).not.toContain("hello.txt");
    expect((await rig.run(["questions", "T1"])).stdout).toContain("+hello");
    expect((await rig.run(["approve", "T1"])).code).toBe(0);
    expect((await rig.run(run)).code).toBe(0);
    expect(rig.git("show", "HEAD:hello.txt")).toBe("hello\n");
  }),
);

exhaustively(
  "a check of the gate that removes the checkpoint before the review does not take the work out of the commit",
  story(async (rig) => {
    const puppet = await begin(rig, `git --git-dir="$GIT_OF" update-ref -d ${CHECKPOINT}\n`);
    puppet.play(playStages());
    const env = { GIT_OF: `${rig.project}/.git` };
    const verify = ["--verify", "sh lint.sh"];
    const run = await rig.run([...RUN, ...verify, "--workflow", "implement-review"], { env });
    expect(run.code, run.stderr).toBe(0);
    expect(rig.git("show", "HEAD:hello.txt")).toBe("hello\n");
    expect(run.stderr).toContain(
      `the work of T1 is in the tree, but its checkpoint ${CHECKPOINT} was removed`,
    );
  }),
);

exhaustively(
  "a foreign commit in the place of saved work becomes a rescue, and the work that the row names counts",
  story(async (rig) => {
    const puppet = await begin(rig);
    puppet.play(playStages());
    const run = [...RUN, "--workflow", "careful"];
    await rig.run(run);
    rig.git("update-ref", WORK, "HEAD");
    expect((await rig.run(["approve", "T1"])).code).toBe(0);
    const done = await rig.run(run);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).toMatch(
      /refs\/looper\/work\/T1 was not the saved work of T1 \([0-9a-f]+\), and was put aside: refs\/looper\/rescue\//u,
    );
    expect(rig.git("show", "HEAD:hello.txt")).toBe("hello\n");
  }),
);

test(
  "a task that a person renamed while its question waits keeps its work",
  story(async (rig) => {
    const puppet = await begin(rig);
    puppet.play(playStages());
    const run = [...RUN, "--workflow", "careful"];
    await rig.run(run);
    rig.write("to-do.json", rig.read("to-do.json").replace('"T1"', '"X1"').replace('"T1.3"', '"X1.3"'));
    expect((await rig.run(["validate"])).code).toBe(0);
    expect((await rig.run(["approve", "X1"])).code).toBe(0);
    const done = await rig.run(run);
    expect(done.code, done.stderr).toBe(0);
    expect(rig.git("show", "HEAD:hello.txt")).toBe("hello\n");
    expect(rig.git("for-each-ref", "refs/looper/work")).toBe("");
  }),
);
