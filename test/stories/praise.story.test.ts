// The words of an author about its own work, wherever it leaves them, against every prompt of those who review it.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { mcpCalls, mcpResults } from "../rig/mcp.js";
import type { Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";
import { playStages } from "../rig/stages.js";
import { BIN } from "../rig/program.js";

const NEEDLE = "FLAWLESS";

/** Says it in every place that an author has: the report, requests, commits, branches, and the work's own refs. */
async function boast(turn: Turn, visit: number): Promise<void> {
  const note = { type: "note", text: `${NEEDLE} note` };
  const task = { type: "add_task", task: { title: `${NEEDLE} task` } };
  for (const line of [note, task])
    await turn.shell(`echo '${JSON.stringify(line)}' >> "$LOOPER_STEP_DIR/agent.jsonl"`);
  await turn.say(`${NEEDLE} aloud`);
  await turn.complain(`${NEEDLE} on stderr`);
  await turn.write("hello.txt", `hello ${String(visit)}\n`);
  await turn.shell(`git add hello.txt && git commit -qm '${NEEDLE} commit' && git branch ${NEEDLE}-${visit}`);
  await turn.report({
    outcome: "done",
    summary: `${NEEDLE} summary`,
    files: [`${NEEDLE}.txt`],
    new_tasks: [{ title: `${NEEDLE} new task`, description: `${NEEDLE} description` }],
    output: {
      completed: ["Write hello.txt", `${NEEDLE} tick`],
      remaining: [`${NEEDLE} rest`],
    },
  });
}

/** The prompts of all turns of a stage: the first one, and those that ask again. */
function promptsOf(rig: Rig, stage: string): string[] {
  const runs = path.join(rig.project, "looper-logs/runs");
  return readdirSync(runs).flatMap((run) =>
    readdirSync(path.join(runs, run))
      .filter((name) => name.endsWith(`-${stage}`))
      .flatMap((name) =>
        readdirSync(path.join(runs, run, name))
          .filter((file) => file.startsWith("prompt"))
          .map((file) => readFileSync(path.join(runs, run, name, file), "utf8")),
      ),
  );
}

test(
  "no reviewer is told what an author says about its work, in no prompt and by no tool, and a failed item is unticked",
  story(async (rig) => {
    const earlier = { result: `${NEEDLE} result of an earlier time`, blockers: [`${NEEDLE}, but for a key`] };
    rig.writeBacklog([{ id: "T1", ...earlier }]);
    const puppet = await rig.agent();
    rig.gitInit();
    const documents: string[] = [];
    const read = () => rig.read(".looper/tasks/T1/task.md");
    let shown: unknown;
    let implemented = 0;
    let reviewed = 0;
    puppet.play(
      playStages({
        implement: async (turn) => {
          documents.push(read());
          await boast(turn, ++implemented);
        },
        review: async (turn) => {
          documents.push(read());
          await turn.write(".git/mcp-input", mcpCalls(["task"]));
          const { stdout } = await turn.shell(`'${process.execPath}' '${BIN}' mcp < .git/mcp-input`);
          shown = mcpResults(stdout);
          const isLast = ++reviewed === 2;
          const finding = { text: "it greets twice", file: "hello.txt", line: 1, severity: "high" };
          const first = { findings: [finding], failed_items: ["Write hello.txt"] };
          await turn.report({
            outcome: isLast ? "complete" : "changes",
            output: isLast ? { findings: [] } : first,
          });
        },
      }),
    );
    const go = [...["run", "--trust", "--no-review", "--task", "T1"], "--workflow", "plan-implement-review"];
    const run = await rig.run([...go, "--auto-approve", "start"]);
    expect(run.code, run.stderr).toBe(0);
    const prompts = promptsOf(rig, "review");
    expect(prompts).toHaveLength(2);
    for (const prompt of prompts) {
      expect(prompt).toContain("+hello ");
      expect(prompt).not.toContain(NEEDLE);
    }
    expect(promptsOf(rig, "implement")[1]).toContain("it greets twice");
    expect(JSON.stringify(shown)).toContain("review");
    expect(JSON.stringify(shown)).not.toContain(NEEDLE);
    const ticks = documents.map((text) => /- \[(.)\] Write hello\.txt/u.exec(text)?.[1]);
    expect(ticks).toEqual([" ", "x", " ", "x"]);
    expect(read()).not.toContain(NEEDLE);
  }),
);
