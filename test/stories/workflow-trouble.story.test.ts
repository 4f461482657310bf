// Trouble with the files of a workflow, by the real program: a workflow that was removed, a progress of another version, and a
// folder where a file belongs. Each is a clear refusal, nothing is lost, and the way out that it names works.
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import type { Rig } from "../rig/rig.js";
import { story } from "../rig/rig.js";
import { playStages } from "../rig/stages.js";

const RUN = ["run", "--no-review", "--trust"];

const CAREFUL = {
  ...{ workflow: 1, name: "careful", start: "plan" },
  stages: {
    plan: { kind: "analyze", prompt: "plan", output: "plan", next: { done: "ok" } },
    ok: { kind: "ask", question: "Go?", shows: "plan", next: { yes: "execute", no: "block" } },
    execute: { kind: "work", prompt: "execute", next: { done: "finish" } },
  },
};

async function begin(rig: Rig): Promise<void> {
  rig.writeBacklog([{ id: "T1" }]);
  rig.write(".gitignore", "looper-logs/\n.looper/\n");
  rig.gitInit();
  (await rig.agent()).play(playStages());
  // The setting names another one.
  rig.write(".looper/workflows/careful.json", JSON.stringify(CAREFUL));
}

test(
  "a progress of another version, and a task whose workflow was removed, are refused before any agent; the ways out that are named work",
  story(async (rig) => {
    await begin(rig);
    expect((await rig.run([...RUN, "--workflow", "careful"])).code).toBe(1);
    const before = rig.read("to-do.json");
    const later = before.replace('"workflow":', '"later": 1, "workflow":');
    rig.write("to-do.json", later);
    const newer = await rig.run(RUN);
    expect(newer.code).toBe(2);
    expect(newer.stderr).toMatch(
      /no agent may repair it: line \d+: the key "later" is not known here; a newer version of looper may have written it; use that version/u,
    );
    expect(rig.events().some(({ type }) => type === "agent_started")).toBe(false);
    expect(rig.read("to-do.json")).toBe(later);

    rig.write("to-do.json", before);
    const file = ".looper/workflows/careful.json";
    rmSync(path.join(rig.project, file));
    const refused = await rig.run(RUN);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('there is no workflow "careful", which task T1 in to-do.json names');
    expect(refused.stderr).toContain(
      "restore the file of careful, or: looper todo T1 takes T1 out of it and begins again; known: default,",
    );
    expect(rig.read("to-do.json")).toBe(before);

    rig.write(file, JSON.stringify(CAREFUL));
    expect((await rig.run(RUN)).stdout).toContain("Go?");
    rmSync(path.join(rig.project, file));
    expect((await rig.run(["todo", "T1"])).code).toBe(0);
    expect((await rig.run([...RUN, "--workflow", "implement-review"])).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
  }),
);

test(
  "a task whose files are lost or in the way is blocked with the reason, others are done, and it is done once they are mended",
  story(async (rig) => {
    await begin(rig);
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    const run = [...RUN, "--workflow", "careful"];
    await rig.run(run);
    for (const id of ["T1", "T2", "T3"]) expect((await rig.run(["approve", id])).code).toBe(0);
    const folder = path.join(rig.project, ".looper/tasks");
    rmSync(path.join(folder, "T1"), { recursive: true });
    rmSync(path.join(folder, "T2/task.md"));
    mkdirSync(path.join(folder, "T2/task.md"));
    const blocked = await rig.run(run);
    expect(blocked.code, blocked.stderr).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "blocked", T3: "done" });
    expect(blocked.stdout).toMatch(/the output of plan of T1 is missing, .* --restart --stage plan/u);
    expect(blocked.stdout).toMatch(
      /cannot write \S+task\.md: a different kind of file is in the way: inspect and move it/u,
    );
    expect(blocked.stdout + blocked.stderr).not.toContain("EISDIR");
    rmSync(path.join(folder, "T2/task.md"), { recursive: true });
    await rig.run(run);
    for (const id of ["T1", "T2"]) expect((await rig.run(["approve", id])).code).toBe(0);
    expect((await rig.run(run)).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T3: "done" });
  }),
);

exhaustively(
  "an answer that the edited workflow does not have any more is told once, and the question can be asked again",
  story(async (rig) => {
    await begin(rig);
    const run = [...RUN, "--workflow", "careful"];
    await rig.run(run);
    expect((await rig.run(["approve", "T1"])).code).toBe(0);
    const { stages } = CAREFUL;
    const ok = { ...stages.ok, next: { go: "execute", no: "block" } };
    rig.write(".looper/workflows/careful.json", JSON.stringify({ ...CAREFUL, stages: { ...stages, ok } }));
    const stuck = await rig.run(run);
    expect(stuck.code).toBe(1);
    expect(stuck.stdout).toContain(
      'the answer "yes" is not an outcome of this stage any more, `looper todo T1 --restart --stage ok` asks again',
    );
    expect(stuck.stderr).not.toContain("cannot claim");
    expect((await rig.run(["todo", "T1", "--restart", "--stage", "ok"])).code).toBe(0);
    await rig.run(run);
    expect((await rig.run(["approve", "T1"])).stdout).toContain(": go;");
    expect((await rig.run(run)).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
  }),
);

exhaustively(
  "a task that is restarted behind a question without an answer runs with a warning",
  story(async (rig) => {
    await begin(rig);
    const run = [...RUN, "--workflow", "careful"];
    await rig.run(run);
    expect((await rig.run(["todo", "T1", "--restart", "--stage", "execute"])).code).toBe(0);
    const warned = await rig.run(run);
    expect(warned.code).toBe(0);
    expect(warned.stderr).toContain(
      "T1 was restarted at execute, past the question of ok, which has no answer; to be asked: looper todo T1 --restart --stage ok",
    );
  }),
);

exhaustively(
  "a task that a person moved to finish past a question is finished with a warning, but not while the question is open",
  story(async (rig) => {
    await begin(rig);
    const run = [...RUN, "--workflow", "careful"];
    await rig.run(run);
    const { tasks, ...backlog } = rig.readBacklog();
    const [{ progress = {}, ...task } = { id: "T1" }] = tasks;
    const write = (moved: object): void => {
      rig.write("to-do.json", JSON.stringify({ ...backlog, tasks: [{ ...task, progress: moved }] }));
    };
    write({ ...progress, stage: "finish" });
    const held = await rig.run(run);
    expect(held.code).toBe(1);
    expect(held.stderr).not.toContain("cannot claim");
    expect(held.stdout).toContain("`looper todo T1 --restart --stage ok` asks again");
    expect((await rig.run(["approve", "T1"])).code).toBe(0);
    const answered = await rig.run(run);
    expect(answered.stdout).toContain("next: run the command that is named above, then looper run");
    write({ ...progress, stage: "finish", question: undefined });
    const warned = await rig.run(run);
    expect(warned.code).toBe(0);
    expect(warned.stderr).toContain(
      "T1 was moved by hand to finish, past the question of ok, which has no answer",
    );
  }),
);

exhaustively(
  "a task that a person moved past a question runs with one warning, whose command asks the question",
  story(async (rig) => {
    await begin(rig);
    const run = [...RUN, "--workflow", "careful"];
    await rig.run(run);
    const backlog = rig.readBacklog();
    const tasks = backlog.tasks.map(({ blockers: _blockers, ...task }) => {
      const { question: _question, ...progress } = { question: undefined, ...task.progress };
      return { ...task, status: "todo", progress: { ...progress, stage: "execute" } };
    });
    const moved = `${JSON.stringify({ ...backlog, tasks }, undefined, 2)}\n`;
    rig.write("to-do.json", moved);
    const warned = await rig.run(run);
    const says =
      "T1 was moved by hand to execute, past the question of ok, which has no answer; to be asked: looper todo T1 --restart --stage ok";
    expect(warned.stderr.split(says)).toHaveLength(2);
    expect(warned.code).toBe(0);
    rig.write("to-do.json", moved);
    expect((await rig.run(["todo", "T1", "--restart", "--stage", "ok"])).code).toBe(0);
    expect((await rig.run(run)).stdout).toContain("Go?");
    expect((await rig.run(["approve", "T1"])).code).toBe(0);
    const done = await rig.run(run);
    expect(done.code).toBe(0);
    expect(done.stderr).not.toContain("moved by hand");
    // The restart began a new pass: its question has a number of its own, and is its first visit.
    const shown = await rig.run(["show", "T1"]);
    expect(shown.stdout).toMatch(/^ +2 {2}ok [^]*^ +1 {2}ok /mu);
  }),
);

exhaustively(
  "a task whose outputs are lost is blocked with the stage to restart at, and restarting there works",
  story(async (rig) => {
    await begin(rig);
    const run = [...RUN, "--workflow", "plan-approve-execute"];
    expect((await rig.run(run)).code).toBe(1);
    rmSync(path.join(rig.project, ".looper/tasks"), { recursive: true });
    const approved = await rig.run(["approve", "T1"]);
    expect(approved.code).toBe(1);
    expect(approved.stderr).toContain("or do the stage again: looper todo T1 --restart --stage plan");
    expect((await rig.run(["todo", "T1", "--restart", "--stage", "plan"])).code).toBe(0);
    const stuck = await rig.run(run);
    expect(stuck.stdout).toContain("to do the stage again: looper todo T1 --restart --stage clarify");
    expect((await rig.run(["todo", "T1", "--restart", "--stage", "clarify"])).code).toBe(0);
    const again = await rig.run(run);
    expect(again.code, again.stderr).toBe(1);
    expect(again.stdout).toContain("Carry out this plan?");
    expect((await rig.run(["approve", "T1"])).code).toBe(0);
    expect((await rig.run(["status"])).stdout).toContain("its question was answered since");
  }),
);
