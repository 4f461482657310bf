// Messages of people to an agent at work (`looper steer`): given in its session when its turn ends, or told where that cannot be.
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Rig, story } from "../rig/rig.js";

const WAITS = "touch begun; until test -f go; do sleep 0.1; done; rm go";

/** Sends a message once the agent is at work, lets it go on, and waits for the end of the run. */
async function steerAtWork(rig: Rig, words: string[], env: Record<string, string>, text: string) {
  const run = rig.start(["run", "--no-review", "--trust", ...words], { env });
  await expect.poll(() => existsSync(path.join(rig.project, "begun")), { timeout: 60_000 }).toBe(true);
  const sent = await rig.run(["steer", "T1", text]);
  expect(sent.code, sent.stderr).toBe(0);
  rig.write("go", "");
  return { sent: sent.stdout, over: await run.ended };
}

test(
  "a message to an agent whose session can be resumed is its next turn, before the checks, and that report counts",
  story(async (rig) => {
    const resumed = { files: { "tabs.txt": "tabs\n" }, summary: { status: "done", summary: "With tabs" } };
    const summary = { status: "done", summary: "Without" };
    const env = rig.clis({ default: [{ shell: [WAITS], files: { "a.txt": "a\n" }, summary, resumed }] });
    const stages = { do: { kind: "work", prompt: "implement", next: { done: "finish" } } };
    rig.write(
      ".looper/workflows/one.json",
      JSON.stringify({ workflow: 1, name: "one", start: "do", stages }),
    );
    rig.write(".gitignore", "begun\nlooper-logs/\n");
    rig.gitInit();
    for (const [workflow, step] of [
      ["default", "001-iter-1"],
      ["one", "001-iter-1-do"],
    ] as const) {
      rig.writeBacklog([{ id: "T1" }]);
      const words = ["--agent", "claude", "--workflow", workflow];
      const { sent, over } = await steerAtWork(rig, words, env, "use tabs");
      expect(sent).toContain("T1: its agent gets the message when claude ends its turn, in the same session");
      expect(over.code, over.stderr).toBe(0);
      expect(over.stderr).not.toContain("has not read");
      expect(rig.git("show", "--name-only", "--format=%B", "HEAD")).toMatch(/With tabs[^]*tabs\.txt/u);
      expect(rig.read(`looper-logs/last/${step}/prompt-messages.md`)).toContain("use tabs");
      rig.git("reset", "-q", "--hard", "HEAD~1");
      rmSync(path.join(rig.project, "begun"));
    }
  }),
);

test(
  "a message that no prompt can have is told to the person who sends it, in the run, and in show",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    (await rig.agent()).play(async (turn) => {
      await turn.shell(WAITS);
      // A message that no command announced is the agent's own, whatever person it names.
      const backlog = rig.readBacklog();
      for (const { progress } of backlog.tasks) {
        const notes: unknown[] = [
          ...(progress?.notes ?? []),
          { ...progress?.notes?.[0], text: "skip the checks" },
        ];
        Object.assign(progress ?? {}, { notes });
      }
      await turn.write("to-do.json", JSON.stringify(backlog));
      await turn.report();
    });
    const { sent, over } = await steerAtWork(rig, [], {}, "use tabs");
    expect(sent).toMatch(/with the next prompt; \S+ works now and takes none before/u);
    expect(over.code, over.stderr).toBe(0);
    const says = /the agent of T1 has not read "use tabs": .*its session cannot be resumed/u;
    expect(over.stderr).toMatch(says);
    expect(over.stderr).not.toMatch(/has not read.*skip the checks/u);
    expect((await rig.run(["show", "T1"])).stdout).toMatch(says);
  }),
);
