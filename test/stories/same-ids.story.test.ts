// Two task files with tasks of the same ids in one repository: each task is finished with its own work.
import { expect, test } from "vitest";
import { story, type Rig } from "../rig/rig.js";

const TASKS = { schema_version: 1, source_files: [], tasks: [{ id: "T1", title: "Do T1", priority: 1 }] };
/** The commit of a task takes the outputs of its stages out of git. */
const WITHOUT_OUTPUTS = ["--", ".", ":!.looper/tasks"];

const MINE = {
  workflow: 1,
  name: "mine",
  about: "A person looks at the work",
  start: "implement",
  stages: {
    implement: { kind: "work", prompt: "implement", next: { done: "look" } },
    look: { kind: "ask", question: "Good?", shows: "work", next: { approve: "finish", reject: "block" } },
  },
};

/** A project whose agent writes a file named by the task file that it works for. */
async function prepare(rig: Rig): Promise<void> {
  const status = (name: string): string =>
    JSON.stringify({
      ...TASKS,
      tasks: TASKS.tasks.map((task) => ({ ...task, title: name, status: "todo" })),
    });
  rig.write("to-do.json", status("first"));
  rig.write("second.json", status("second"));
  rig.write(".looper/workflows/mine.json", JSON.stringify(MINE));
  const puppet = await rig.agent({}, { loop: { review: false }, workflow: "mine" });
  puppet.play(async (turn) => {
    const name = turn.hello.prompt.includes("second") ? "second" : "first";
    await turn.write(`${name}.txt`, name);
    await turn.report({ outcome: "done", summary: `Wrote ${name}` });
  });
  rig.gitInit();
}

test(
  "two files in one tree: what was approved is what is committed",
  story(async (rig) => {
    await prepare(rig);
    for (const file of ["to-do.json", "second.json"])
      expect((await rig.run(["run", file, "--trust"])).stdout).toContain("waits for you");
    for (const [file, name] of [
      ["to-do.json", "first"],
      ["second.json", "second"],
    ] as const) {
      expect((await rig.run(["approve", "T1", "--file", file])).code).toBe(0);
      const ran = await rig.run(["run", file, "--trust"]);
      expect(ran.code, ran.stderr).toBe(0);
      expect(
        rig
          .git("show", "--format=", "--name-only", "HEAD", ...WITHOUT_OUTPUTS)
          .trim()
          .split("\n"),
      ).toEqual([file, `${name}.txt`].sort());
    }
    expect(rig.git("for-each-ref", "refs/looper/rescue")).toContain("T1-earlier");
  }),
);

test(
  "two working trees: neither takes the saved work of the other",
  story(async (rig) => {
    await prepare(rig);
    rig.git("worktree", "add", "-q", "../linked", "-b", "side");
    const linked = { cwd: "../linked" };
    expect((await rig.run(["run", "--trust"])).stdout).toContain("waits for you");
    expect((await rig.run(["run", "second.json", "--trust"], linked)).stdout).toContain("waits for you");
    const shown = JSON.parse(
      (await rig.run(["questions", "--json", "--file", "second.json"], linked)).stdout,
    ) as { questions: { shows: { ref: string; commit: string } }[] };
    const { ref, commit } = shown.questions[0]?.shows ?? { ref: "", commit: "" };
    expect(rig.git("rev-parse", ref).trim()).toBe(commit);
    for (const [args, options] of [
      [["to-do.json"], {}],
      [["second.json"], linked],
    ] as const) {
      expect((await rig.run(["approve", "T1", "--file", ...args], options)).code).toBe(0);
      const ran = await rig.run(["run", ...args, "--trust"], options);
      expect(ran.code, ran.stderr).toBe(0);
    }
    const changed = (branch: string): string[] =>
      rig
        .git("show", "--format=", "--name-only", branch, ...WITHOUT_OUTPUTS)
        .trim()
        .split("\n");
    expect(changed("main")).toEqual(["first.txt", "to-do.json"]);
    expect(changed("side")).toEqual(["second.json", "second.txt"]);
    expect(rig.git("for-each-ref", "refs/looper/rescue")).toBe("");
  }),
);
