// Work and review that do not agree: after some rounds a person is asked, with the findings that are left and the work as it is.
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import type { Rig } from "../rig/rig.js";
import { story } from "../rig/rig.js";
import { playStages, visitOf } from "../rig/stages.js";

const FINDINGS = ["one", "two"].map((text) => ({ text, file: "hello.txt", line: 1, severity: "high" }));

/** The reviewer wants the same changes in each round. */
async function begin(rig: Rig): Promise<void> {
  rig.writeBacklog([{ id: "T1" }]);
  rig.write(".gitignore", "looper-logs/\n.looper/lock/\n");
  rig.gitInit();
  const agent = await rig.agent();
  agent.play(
    playStages({
      implement: async (turn) => {
        await turn.write("hello.txt", `visit ${String(visitOf(turn))}\n`);
        await turn.report({ outcome: "done" });
      },
      review: (turn) => turn.report({ outcome: "changes", output: { findings: FINDINGS } }),
    }),
  );
}

function run(rig: Rig) {
  return rig.run(["run", "--no-review", "--workflow", "implement-review"]);
}

function visits(rig: Rig): unknown[] {
  return rig.events().flatMap(({ type, visit }) => (type === "agent_finished" ? [visit] : []));
}

test(
  "four rounds end with a question; continue is one more round, accept commits the work as it is",
  story(async (rig) => {
    await begin(rig);
    const asked = await run(rig);
    expect(asked.code).toBe(1);
    expect(visits(rig)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(asked.stdout).toContain("Findings left: 2. Accept the work as it is, continue, or give up?");
    const shown = await rig.run(["questions", "T1"]);
    expect(shown.stdout).toMatch(/looper answer T1 continue[^]*one[^]*two/u);
    expect(rig.unfinished()).not.toContain("rescue");
    expect(rig.git("show", "refs/looper/work/T1:hello.txt")).toBe("visit 7\n");
    expect((await rig.run(["answer", "T1", "continue"])).code).toBe(0);
    expect((await run(rig)).stdout).toContain("Findings left: 2");
    expect(visits(rig)).toEqual([10, 11]);
    expect((await rig.run(["answer", "T1", "accept", "-m", "good enough"])).code).toBe(0);
    expect((await run(rig)).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(rig.git("show", "HEAD:hello.txt")).toBe("visit 10\n");
  }),
);

exhaustively(
  "giving up keeps the work as a rescue, and the next run does not begin again",
  story(async (rig) => {
    await begin(rig);
    await run(rig);
    expect((await rig.run(["reject", "T1", "-m", "no"])).code).toBe(0);
    expect((await run(rig)).code).toBe(1);
    expect(rig.git("for-each-ref", "refs/looper/rescue")).toContain("T1");
    await run(rig);
    expect(visits(rig)).toEqual([]);
    expect(rig.statuses()).toEqual({ T1: "blocked" });
  }),
);
