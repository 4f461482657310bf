// Agents that remove the project's files or its repository: the run says what is lost, and brings back what it can.
import { expect, test } from "vitest";
import { sample } from "../rig/exhaustive.js";
import type { Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

/** A project with T1, which is played, and T2, which is done. */
async function project(rig: Rig, play: (turn: Turn) => Promise<unknown>): Promise<void> {
  const puppet = await rig.agent();
  rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
  puppet.play(async (turn) => {
    if (turn.task === "T1") await play(turn);
    else await turn.report();
  });
}

test.each(
  sample(
    [
      ["rm -rf ./* .git .looper", /git repository \S+\.git was removed: its commits.* are lost, unless/],
      ["rm -rf .git/HEAD .git/refs", /git repository \S+\.git was damaged \(missing: HEAD, refs\)/],
      ["rm -rf .git", /git repository \S+\.git was removed: its commits.* are lost, unless/],
    ],
    2,
  ),
)("an agent that removes the repository or a part of it: the run says what is lost: %s", (command, said) =>
  story(async (rig) => {
    await project(rig, async (turn) => {
      await turn.shell(command);
      await turn.report();
    });
    rig.gitInit();
    const { code, stderr, stdout } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(3);
    expect(stderr).toMatch(said);
    expect(stderr + stdout).not.toMatch(/nothing (?:that was done )?is lost/);
  })(),
);

test(
  "an agent that empties the tree: a person's changed and untracked files are back when the run ends",
  story(async (rig) => {
    let emptied = false;
    await project(rig, async (turn) => {
      if (emptied) return turn.report();
      emptied = true;
      await turn.shell("rm -rf ./* .looper");
      return turn.exit(1);
    });
    rig.write("README.md", "as committed\n");
    rig.gitInit();
    rig.write("README.md", "edited\n");
    rig.write("precious", "untracked\n");
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(3);
    expect(stderr).toContain("the files are as they were before the task, except those that git ignores");
    expect(rig.read("README.md")).toBe("edited\n");
    expect(rig.read("precious")).toBe("untracked\n");
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(rig.read("README.md")).toBe("edited\n");
    expect(rig.read("precious")).toBe("untracked\n");
    expect(rig.git("log", "--format=", "--name-only")).not.toContain("precious");
  }),
);
