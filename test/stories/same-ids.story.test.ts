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
  "two files in one tree, and one of them in another working tree: each task is finished with its own work, as it was approved",
  story(async (rig) => {
    await prepare(rig);
    rig.git("worktree", "add", "-q", "../linked", "-b", "side");
    const linked = { cwd: "../linked" };
    const all = [
      ["to-do.json", "first", "main", {}],
      ["second.json", "second", "main", {}],
      ["second.json", "second", "side", linked],
    ] as const;
    const rescues = (): string => rig.git("for-each-ref", "--format=%(refname)", "refs/looper/rescue");
    const added: string[] = [];
    for (const [file, , branch, options] of all) {
      const before = rescues();
      expect((await rig.run(["run", file, "--trust"], options)).stdout).toContain("waits for you");
      if (rescues() !== before) added.push(branch);
    }
    const shown = JSON.parse(
      (await rig.run(["questions", "--json", "--file", "second.json"], linked)).stdout,
    ) as { questions: { shows: { ref: string; commit: string } }[] };
    const { ref, commit } = shown.questions[0]?.shows ?? { ref: "", commit: "" };
    expect(rig.git("rev-parse", ref).trim()).toBe(commit);
    for (const [file, name, branch, options] of all) {
      const before = rescues();
      expect((await rig.run(["approve", "T1", "--file", file], options)).code).toBe(0);
      const ran = await rig.run(["run", file, "--trust"], options);
      expect(ran.code, ran.stderr).toBe(0);
      expect(
        rig
          .git("show", "--format=", "--name-only", branch, ...WITHOUT_OUTPUTS)
          .trim()
          .split("\n"),
      ).toEqual([file, `${name}.txt`].sort());
      if (rescues() !== before) added.push(branch);
    }
    // In one tree the work of one file takes the place of the other's; the other tree has refs of its own.
    expect(new Set(added)).toEqual(new Set(["main"]));
    expect(rescues()).toContain("T1-earlier");
  }),
);
