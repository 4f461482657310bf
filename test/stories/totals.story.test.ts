// The totals of a run: what each attempt cost, also of tasks that are removed or stopped meanwhile, adds up.
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import type { Turn } from "../rig/puppet.js";
import { story } from "../rig/rig.js";

const used = (cost_usd: number): string =>
  JSON.stringify({ type: "usage", input_tokens: 10, output_tokens: 0, cost_usd });

async function finish(turn: Turn): Promise<void> {
  await turn.say(JSON.stringify({ type: "summary", status: "done", summary: "did it" }));
  await turn.exit(0);
}

test(
  "an attempt at a task that is removed has a row in the table, and its cost is in the total",
  story(async (rig) => {
    const puppet = await rig.agent({ output: "jsonl" });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    puppet.play(async (turn) => {
      await turn.say(used(0.01));
      if (turn.task !== "T1") return finish(turn);
      expect((await rig.run(["rm", "T1"])).code).toBe(0);
      await turn.gone;
    });
    const { stdout } = await rig.run(["run", "--no-review"]);
    expect(stdout).toMatch(/^T1 Do T1 +removed\b.*\$0\.01$/m);
    expect(stdout).toMatch(/^T2 Do T2 +done\b.*\$0\.01$/m);
    expect(stdout).toMatch(/\$0\.02 · \$0\.02 per task done/);
  }),
);

exhaustively(
  "a total with an attempt whose cost nothing reports is a lower bound",
  story(async (rig) => {
    const puppet = await rig.agent({ output: "jsonl" });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    puppet.play(async (turn) => {
      if (turn.task !== "T1") return turn.gone;
      await turn.say(used(0.01));
      return finish(turn);
    });
    const { code, stdout } = await rig.run(["run", "--no-review", "--max-duration", "4s"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^T2 Do T2 +.* -$/m);
    expect(stdout).toMatch(/ ≥ \$0\.01 · ≥ \$0\.01 per task done/);
    expect((await rig.run(["runs"])).stdout).toMatch(/ ≥ \$0\.01$/m);
  }),
);

test(
  "a draft is not a task done: its cost is shared out among the tasks",
  story(async (rig) => {
    const puppet = await rig.agent({ output: "jsonl" });
    const tasks = ["T1", "T2"].map((id) => ({ id, title: id, priority: 1, status: "todo" }));
    puppet.play(async (turn) => {
      await turn.say(used(0.1));
      if (turn.task !== "") return finish(turn);
      const file = turn.hello.env["LOOPER_TODO_FILE"] ?? "";
      await turn.write(file, JSON.stringify({ schema_version: 1, source_files: [], tasks }));
      return finish(turn);
    });
    const { stdout } = await rig.run(["run", "--prompt", "a shop", "--no-review"]);
    expect(stdout).toContain("$0.30 · $0.15 per task done");
  }),
);
