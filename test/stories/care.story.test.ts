// Cases where a careless agent, or a careless setting, could cost a person their work (contract §3.1, §3.6, §4).
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { story } from "../rig/rig.js";

const text = (...tasks: unknown[]): string =>
  `${JSON.stringify({ schema_version: 1, source_files: [], tasks }, null, 2)}\n`;
const wrong = { id: "T1", title: "a", priority: 9, status: "todo" };
const right = { id: "T2", title: "b", priority: 1, status: "todo" };

test(
  "a repair that is written to the task file itself is held to the same rules, and a copy is kept",
  story(async (rig) => {
    rig.write("to-do.json", text(wrong, right));
    rig.write("lossy.json", text(right));
    rig.write("whole.json", text({ ...wrong, priority: 1 }, right));
    const mend = (file: string): Record<string, unknown> => ({
      shell: [`cp ${file} to-do.json`],
      summary: { status: "done" },
    });
    const env = rig.clis({ repair: [mend("lossy.json"), mend("whole.json")] });
    const ran = await rig.run(["run"], { env });
    expect(ran.stderr).toContain("the repair would lose T1");
    expect(ran.code).toBe(0);
    expect(rig.statuses()).toMatchObject({ T1: "done", T2: "done" });
    const copies = readdirSync(rig.project).filter((name) => /^to-do\.json\.(?:edited|broken)-/.test(name));
    expect(copies.length).toBeGreaterThanOrEqual(2);
  }),
);

test(
  "an agent that drafts or repairs a backlog adds no checks of its own: only those that were there before are kept and run",
  story(async (rig) => {
    const asked = { ...right, verify: ["touch asked"] };
    const more = { ...right, id: "T3", agent: "codex", verify: ["touch own"] };
    rig.write("to-do.json", text(wrong, asked));
    rig.write("mended.json", text({ ...wrong, priority: 1, verify: ["touch own"] }, asked, more));
    const shell = ['cp mended.json "$LOOPER_TODO_FILE"'];
    const env = rig.clis({ repair: [{ shell, summary: { status: "done" } }] });
    const { code, stderr } = await rig.run(["run", "--no-review", "--trust"], { env });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("an agent may not choose its own checks");
    const ran = readdirSync(rig.project).filter((name) => ["asked", "own"].includes(name));
    expect(ran).toEqual(["asked"]);
    const chosen = rig.readBacklog().tasks.map(({ id, verify, agent }) => ({ id, verify, agent }));
    expect(chosen).toEqual([{ id: "T1" }, { id: "T2", verify: ["touch asked"] }, { id: "T3" }]);
  }),
);

test(
  "project.root outside the project is refused before anything starts, a symlink that leads out of it too",
  story(async (rig) => {
    mkdirSync(path.join(rig.root, "outside"));
    symlinkSync("../outside", path.join(rig.project, "link"));
    const env = rig.clis();
    for (const root of ["..", "/tmp", "link", "nowhere"]) {
      rig.write("to-do.json", text(right).replace('"tasks"', `"project": {"root": "${root}"}, "tasks"`));
      const { code, stderr } = await rig.run(["run"], { env });
      expect([root, code]).toEqual([root, 2]);
      expect(stderr).toContain("project.root");
    }
    expect(readdirSync(path.join(rig.root, "outside"))).toEqual([]);
    expect(rig.runs()).toEqual([]);
  }),
);

test(
  "a template that is missing, or has a name it cannot have, is found before a task is claimed",
  story(async (rig) => {
    rig.write("to-do.json", text(right));
    rig.write("mine.md", "Do {{nosuch}}.\n");
    const env = rig.clis();
    for (const file of ["mine.md", "missing.md"]) {
      const { code, stderr } = await rig.run(["run", "--prompt-file", file], { env });
      expect([file, code]).toEqual([file, 2]);
      expect(stderr).toContain(file);
    }
    expect(rig.statuses()).toEqual({ T2: "todo" });
  }),
);

test(
  "a person's changes that an agent's reset or a review undoes are kept and reported",
  story(async (rig) => {
    rig.write("code.txt", "before\n");
    rig.write("to-do.json", text(right));
    rig.gitInit();
    rig.write("code.txt", "the person's\n");
    const env = rig.clis({
      tasks: { T2: [{ shell: ["git reset --hard -q"], summary: { status: "done" } }] },
      review: [
        {
          shell: ["echo more >> code.txt; echo new > new.txt"],
          summary: { task_id: null, status: "reviewed" },
        },
      ],
    });
    const { code, stderr } = await rig.run(["run"], { env });
    expect(code).toBe(0);
    const before = /bring them back: git restore --source=(refs\/\S+)/.exec(stderr)?.[1] ?? "none was named";
    expect(rig.git("show", `${before}:code.txt`)).toContain("the person's");
    const review = /what was there is kept: git show (refs\/\S+)/.exec(stderr)?.[1] ?? "none was named";
    expect(rig.git("show", `${review}:new.txt`)).toContain("new");
    expect(readdirSync(rig.project)).not.toContain("new.txt");
  }),
);
