import { expect } from "vitest";
import type { Script } from "../fakes/play.mjs";
import { exhaustively } from "../rig/exhaustive.js";
import { normalLog, withoutMoment } from "../rig/normal.js";
import { Rig, story, type TaskDraft } from "../rig/rig.js";

const TASKS: TaskDraft[] = [
  { id: "T3", priority: 1, depends_on: ["T1"], description: "Third\nin line" },
  { id: "T1", priority: 2, steps: ["one", "two"] },
  { id: "T2", priority: 2 },
  { id: "T10", priority: 2 },
  { id: "T4", priority: 4, status: "doing" },
  { id: "T5", priority: 5, status: "blocked", blockers: ["no key"] },
  { id: "T6", priority: 1, depends_on: ["T5"] },
];

/** A bit of everything: work, commands, a failure, a refusal, new tasks, a report for another task, noise. */
const SCRIPT: Script = {
  tasks: {
    T1: [
      { exit: 1, garbage: 3 },
      { shell: ["echo one > one.txt", "exit 3"], summary: { status: "done", summary: "One." } },
    ],
    T2: [{ summary: { status: "blocked", blockers: ["the door is shut"] } }],
    T3: [
      {
        files: { "deep/three.txt": "3\n" },
        summary: { status: "done", new_tasks: [{ title: "And a fourth" }] },
      },
    ],
    T5: [{ summary: { status: "skipped", summary: "not today" } }],
    T10: [{ summary: { task_id: "T1", status: "done" } }, { prose: "I forgot what to say." }],
  },
  default: [{ message: "Working.", denied: "Bash", summary: { status: "done" } }],
};

async function tell(rig: Rig): Promise<{ backlog: string; log: string; commits: string; said: string }> {
  rig.settings({ schedule: { strategy: "odd-even" } });
  rig.writeBacklog(TASKS);
  rig.gitInit();
  const { code, stdout, stderr } = await rig.run(["run"], { env: rig.clis(SCRIPT) });
  expect(code).toBe(1);
  return {
    backlog: withoutMoment(rig.read("to-do.json"), rig),
    log: normalLog(rig),
    commits: withoutMoment(rig.git("log", "--reverse", "--format=%an%n%B", "--name-status"), rig),
    said: withoutMoment(stdout + stderr, rig)
      .replaceAll(/[\d.]+s/g, "DURATION")
      .replaceAll(/ +/g, " "),
  };
}

exhaustively(
  "the same backlog and the same replies give the same task file, log, commits and words, byte for byte",
  story(async (rig) => {
    const first = await tell(rig);
    const other = new Rig();
    try {
      expect(await tell(other)).toEqual(first);
    } finally {
      await other.dispose();
    }
    // Something happened at all, and nothing was made the same that tells of it.
    expect(rig.statuses()).toMatchObject({
      T1: "done",
      T2: "blocked",
      T3: "done",
      T10: "blocked",
      T5: "blocked",
    });
    expect(first.log.split("\n").length).toBeGreaterThan(100);
    expect(first.log).toContain('"reason":"exited"');
  }),
);
