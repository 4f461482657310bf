// A task file that is broken: corrected without an agent where it plainly means something, else by one that is told what was
// refused. What a draft or a repair leaves when it fails (contract §4).
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Script } from "../fakes/play.mjs";
import { exhaustively, sample } from "../rig/exhaustive.js";
import { story, type Rig } from "../rig/rig.js";

const done = { summary: { status: "done" } };

function agents(rig: Rig, script: Script = {}): Record<string, string> {
  return { ...rig.clis(script), FAKE_AGENT_LOG: path.join(rig.root, "starts.jsonl") };
}

function copies(rig: Rig): string[] {
  return readdirSync(rig.project).filter((name) => name.startsWith("to-do.json.broken-"));
}

function file(...tasks: unknown[]): string {
  return `${JSON.stringify({ schema_version: 1, source_files: [], tasks }, undefined, 2)}\n`;
}

const T1 = { id: "T1", title: "One", priority: 1, status: "todo" };

const OTHER_TOOLS = `// Ours
{
  "schema_version": 1,
  "source_files": [],
  "tasks": [
    { "ID": 1, "title": "One", "priority": "high", "status": "completed", "notes": ["keep me"] },
    { "id": "T2", "title": "Two", "priority": 1, "status": "pending", "dependsOn": [1] },
  ],
}
`;

test(
  "a file in another tool's words is corrected without an agent, with a copy and one line that names both",
  story(async (rig) => {
    rig.write("to-do.json", OTHER_TOOLS);
    const env = agents(rig, { default: [done], repair: [{ prose: "must not be asked" }] });
    const dry = await rig.run(["run", "--dry-run"], { env });
    expect([dry.code, rig.read("to-do.json")]).toEqual([0, OTHER_TOOLS]);
    const ran = await rig.run(["run", "--no-review"], { env });
    expect(ran.code, ran.stderr).toBe(0);
    expect(rig.statuses()).toEqual({ 1: "done", T2: "done" });
    const [first, second] = rig.readBacklog().tasks;
    expect(first).toMatchObject({ id: "1", priority: 2, meta: { notes: ["keep me"] } });
    expect(second).toMatchObject({ depends_on: ["1"] });
    const [copy = "", ...more] = copies(rig);
    expect([rig.read(copy), more]).toEqual([OTHER_TOOLS, []]);
    const lines = ran.stderr.split("\n").filter((line) => line.includes("corrected to-do.json"));
    expect(lines).toHaveLength(1);
    for (const part of ['status "completed" → done (1)', "1 comment", '"notes" moved into meta', copy])
      expect(lines[0]).toContain(part);
    // One attempt at T2, and nothing else.
    expect(rig.readBytes("../starts.jsonl").toString().trim().split("\n")).toHaveLength(1);
  }),
);

test(
  "commands that a corrected file names are asked about before anything starts",
  story(async (rig) => {
    rig.write("to-do.json", file({ ...T1, status: "open", Verify: "touch ran" }));
    const before = rig.read("to-do.json");
    const env = agents(rig, { default: [done] });
    const refused = await rig.run(["run"], { env });
    expect([refused.code, rig.read("to-do.json")]).toEqual([3, before]);
    expect(refused.stderr).toContain("touch ran");
    const trusted = await rig.run(["run", "--no-review", "--trust"], { env });
    expect(trusted.code, trusted.stderr).toBe(0);
    expect(existsSync(path.join(rig.project, "ran"))).toBe(true);
  }),
);

test(
  "a file that is not clear goes to the repair agent, which may keep the file's own word for done",
  story(async (rig) => {
    const both = { ...T1, status: "completed", ID: "T9" };
    rig.write("to-do.json", file(both, { ...T1, id: "T2" }));
    rig.write("mended.json", file({ ...T1, status: "done", meta: { ID: "T9" } }, { ...T1, id: "T2" }));
    const mend = { shell: ['cp mended.json "$LOOPER_TODO_FILE"'], ...done };
    const ran = await rig.run(["run", "--no-review"], {
      env: agents(rig, { repair: [mend], default: [done] }),
    });
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).not.toContain("corrected to-do.json");
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
  }),
);

exhaustively(
  "the second repair is told why the first was refused, and the last line names the reason",
  story(async (rig) => {
    rig.write("to-do.json", file({ ...T1, priority: 9 }));
    rig.write("marked.json", file({ ...T1, status: "done" }));
    const env = agents(rig, { repair: [{ shell: ['cp marked.json "$LOOPER_TODO_FILE"'], ...done }] });
    const { code, stderr } = await rig.run(["run"], { env });
    expect(code).toBe(2);
    const why = "the repair would mark T1 as done, which only a finished attempt may";
    expect(rig.read("looper-logs/last/001-repair-1/prompt.md")).not.toContain(why);
    expect(rig.read("looper-logs/last/002-repair-2/prompt.md")).toContain(
      `attempt 1 failed (bad-summary): ${why}`,
    );
    expect(stderr.split("\n").findLast((line) => line.startsWith("looper: "))).toContain(
      `still not valid after 2 repairs: ${why}`,
    );
  }),
);

exhaustively(
  "the second draft is told why the first was not taken, and the last line names the reason",
  story(async (rig) => {
    const env = agents(rig, { bootstrap: [{ shell: ['echo "{}" >"$LOOPER_TODO_FILE"'], ...done }] });
    const { code, stderr } = await rig.run(["run", "--prompt", "a shop"], { env });
    expect(code).toBe(2);
    const why = "the backlog the agent wrote has no tasks";
    expect(rig.read("looper-logs/last/002-bootstrap-2/prompt.md")).toContain(why);
    expect(stderr).toContain(`looper: the agent drafted no backlog that can be used: ${why}`);
  }),
);

const LITTER = ["echo x >made-.txt", "echo y >>kept.txt", "rm gone.txt"];

const FAILING = [
  ["repair", ["run"]],
  ["draft", ["run", "--prompt", "a shop"]],
] as const;
for (const [kind, args] of sample(FAILING, 1)) {
  test(
    `a ${kind} that fails leaves the tree as it was, and its leftovers in a rescue that one line names`,
    story(async (rig) => {
      rig.write("kept.txt", "kept\n");
      rig.write("gone.txt", "gone\n");
      if (kind === "repair") rig.write("to-do.json", file({ ...T1, priority: 9 }));
      rig.gitInit();
      rig.write("mine.txt", "not committed");
      const script = { [kind === "draft" ? "bootstrap" : "repair"]: [{ shell: LITTER, prose: "I cannot." }] };
      const ran = await rig.run(args, { env: agents(rig, script) });
      expect(ran.code, ran.stderr).toBe(2);
      expect(rig.git("status", "--porcelain", "--", ":!looper-logs")).toBe("?? mine.txt\n");
      expect([rig.read("kept.txt"), rig.read("mine.txt")]).toEqual(["kept\n", "not committed"]);
      const rescues = (await rig.run(["rescue"])).stdout;
      expect(rescues).toContain(`${kind}-1`);
      expect(rescues).toContain("what a failed draft or repair left");
      const shown = await rig.run(["rescue", "show", `${kind}-1`]);
      expect(shown.stdout).toMatch(/made-\.txt/);
      const lines = ran.stderr.split("\n").filter((line) => line.includes(`${kind}-1`));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("made-.txt");
      expect(rig.git("for-each-ref", "refs/looper/checkpoint")).toBe("");
    }),
  );
}

test(
  "the leftovers of a draft whose agent failed are put back before the next one, which is taken",
  story(async (rig) => {
    rig.gitInit();
    rig.write("good.json", file(T1));
    const good = { shell: ['cp good.json "$LOOPER_TODO_FILE"'], ...done };
    const env = agents(rig, { bootstrap: [{ shell: LITTER.slice(0, 1), exit: 1 }, good], default: [done] });
    const ran = await rig.run(["run", "--prompt", "a shop", "--no-review"], { env });
    expect(ran.code, ran.stderr).toBe(0);
    expect(existsSync(path.join(rig.project, "made-.txt"))).toBe(false);
    expect((await rig.run(["rescue", "show", "draft-1"])).stdout).toContain("made-.txt");
    expect(rig.git("for-each-ref", "refs/looper/checkpoint")).toBe("");
  }),
);
