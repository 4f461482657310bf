// A person approves what was shown: the files of an output that were changed since it was asked about, through the real program.
import { rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import type { Turn } from "../rig/puppet.js";
import { mcpCalls, mcpResults } from "../rig/mcp.js";
import { story } from "../rig/rig.js";
import { playStages } from "../rig/stages.js";

test(
  "a plan whose file was changed is not approved before it is restored, or asked about as it is now",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.write(".gitignore", "looper-logs/\n.looper/\n");
    rig.gitInit();
    (await rig.agent()).play(playStages());
    const run = () => rig.run(["run", "--no-review", "--workflow", "plan-approve-execute"]);
    const progress = () => rig.readBacklog().tasks[0]?.progress;
    await run();
    const say = async (...words: string[]): Promise<[number | undefined, string]> => {
      const { code, stdout, stderr } = await rig.run(words);
      return [code, stdout + stderr];
    };
    const [json, md] = [".looper/tasks/T1/2-plan.json", ".looper/tasks/T1/2-plan.md"];
    const [plan, readable] = [rig.read(json), rig.read(md)];
    const sha256 = progress()?.question?.shows?.sha256 ?? "";
    const changed = plan.replace("hello.txt", "evil.txt");
    expect(changed).not.toBe(plan);

    rig.write(md, `${readable}\nIt is harmless.\n`);
    const kept = ".looper/tasks/T1/.kept/2-plan.md";
    expect(await say("approve", "T1")).toEqual([
      1,
      `looper: ${md} was changed after T1.3 was asked: restore it from ${kept}\n`,
    ]);
    rig.write(md, rig.read(kept));
    rig.write(json, changed);
    const refused = `looper: ${json} was changed after T1.3 was asked: restore it from .looper/tasks/T1/.kept/${sha256}.json, or take the change with \`looper answer T1 edit --edit ${json}\`\n`;
    for (const words of [
      ["approve", "T1"],
      ["answer", "T1", "revise", "-m", "more"],
      ["questions", "T1"],
    ])
      expect((await say(...words))[1], words.join(" ")).toContain(refused);
    const input = mcpCalls(["answer", { id: "T1", outcome: "approve" }]);
    const [answered] = mcpResults((await rig.run(["mcp", "--allow-answers"], { input })).stdout);
    expect(answered).toContain(`${json} was changed after T1.3 was asked`);
    expect(progress()).not.toHaveProperty("answer");

    expect(await say("answer", "T1", "edit", "--edit", json)).toEqual([
      0,
      "T1.3: edit; the next run takes it\n",
    ]);
    await run();
    const again = progress()?.question;
    expect(again?.id).toBe("T1.4");
    expect(again?.shows?.sha256).not.toBe(sha256);
    expect((await say("questions", "T1"))[1]).toContain("evil.txt");
    rig.write(".looper/tasks/T1/3-plan.json", "{}");
    expect((await say("approve", "T1"))[0]).toBe(1);
    rmSync(path.join(rig.project, ".looper/tasks/T1"), { recursive: true });
    expect(await say("approve", "T1")).toEqual([
      1,
      "looper: .looper/tasks/T1/3-plan.json is missing: restore the file, or do the stage again: looper todo T1 --restart --stage plan\n",
    ]);
    // The digest names what was decided on, and a no needs nothing that is shown.
    expect((await say("approve", "T1", "--shown", again?.shows?.sha256 ?? ""))[0]).toBe(0);
  }),
);

test(
  "a diff is shown in the characters of its files",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const create = async (turn: Turn): Promise<void> => {
      await turn.write("grün.txt", "Grüße, 日本\n");
      await turn.report({ outcome: "done" });
    };
    (await rig.agent()).play(playStages({ create }));
    await rig.run(["run", "--no-review", "--workflow", "staged-review", "--auto-approve", "approve"]);
    const { stdout } = await rig.run(["questions", "T1"]);
    expect(stdout).toMatch(/^\+\+\+ b\/grün\.txt$[^]*^\+Grüße, 日本$/mu);
  }),
);

exhaustively(
  "an answer in the task file about a plan whose file was changed is taken out again, and one about the plan as it was is taken",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.write(".gitignore", "looper-logs/\n.looper/\n");
    rig.gitInit();
    (await rig.agent()).play(playStages());
    const run = () => rig.run(["run", "--no-review", "--workflow", "plan-approve-execute"]);
    await run();
    const answer = (): void => {
      const { tasks, ...rest } = rig.readBacklog();
      const answered = tasks.map((task) => ({
        ...task,
        progress: { ...task.progress, answer: { outcome: "approve" } },
      }));
      rig.write("to-do.json", `${JSON.stringify({ ...rest, tasks: answered }, undefined, 2)}\n`);
    };
    const md = ".looper/tasks/T1/2-plan.md";
    rig.write(md, "# Something harmless\n");
    answer();
    const refused = await run();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      `the answer to T1.3 in the task file is not taken, and was taken out: ${md} was changed after T1.3 was asked: restore it from .looper/tasks/T1/.kept/2-plan.md`,
    );
    expect(rig.readBacklog().tasks[0]?.progress).not.toHaveProperty("answer");
    expect((await rig.run(["questions"])).stdout).toContain("T1.3");
    rig.write(md, rig.read(".looper/tasks/T1/.kept/2-plan.md"));
    answer();
    const taken = await run();
    expect(taken.code, taken.stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
  }),
);
