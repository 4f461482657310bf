// `looper fmt`, as a person and as CI calls it.
import { chmodSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { FmtAnswer } from "../../src/ui/shapes/backlog.js";
import { story } from "../rig/rig.js";

const MESSY =
  '\ufeff{"tasks":[{"title":"b","id":"T2","priority":2,"status":"todo","tags":[]},\r\n{"id":"T1","title":"ä","priority":1,"status":"todo"}],"schema_version":1,"source_files":[]}';

test(
  "says, shows and writes the canonical form; twice changes nothing",
  story(async (rig) => {
    const file = path.join(rig.project, "to-do.json");
    rig.write("to-do.json", MESSY);
    const check = await rig.run(["fmt", "--check"]);
    expect(check).toMatchObject({ code: 1, stdout: "" });
    expect(check.stderr).toBe("looper: to-do.json is not formatted: looper fmt -w\n");
    const named = await rig.run(["fmt", "--check", "to-do.json"]);
    expect(named.stderr).toContain("looper fmt -w to-do.json\n");
    const printed = await rig.run(["fmt"]);
    expect(printed.code).toBe(0);
    expect(printed.stderr).toMatch(/^looper: to-do\.json is not in canonical form; .*looper fmt --check\n$/);
    expect(rig.read("to-do.json")).toBe(MESSY);
    const diff = await rig.run(["fmt", "--check", "-d"]);
    expect(diff.code).toBe(1);
    expect(diff.stdout).toMatch(/^--- to-do\.json\n\+\+\+ to-do\.json\n@@ /);
    rig.write("it.diff", diff.stdout);
    rig.git("apply", "-p0", "it.diff");
    expect(rig.read("to-do.json")).toBe(printed.stdout);
    rig.write("to-do.json", MESSY);
    chmodSync(file, 0o640);
    expect(await rig.run(["fmt", "-w"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(rig.read("to-do.json")).toBe(printed.stdout);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(await rig.run(["fmt", "--check", "--diff"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect((await rig.run(["validate"])).code).toBe(0);
    const answer = FmtAnswer.parse(JSON.parse((await rig.run(["fmt", "-w", "--json"])).stdout));
    expect(answer).toMatchObject({ canonical: true, written: false });
  }),
);

test(
  "fmt refuses content that it could not keep, and changes nothing",
  story(async (rig) => {
    const twice = '{"tasks":[], "a": 1, "a": 2}';
    rig.write("twice.json", twice);
    const refused = await rig.run(["fmt", "-w", "twice.json"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^looper: twice\.json:1:\d+: .*"a"/);
    expect(rig.read("twice.json")).toBe(twice);
    expect((await rig.run(["fmt", "--check", "-w", "twice.json"])).code).toBe(2);
    expect((await rig.run(["fmt", "none.json"])).code).toBe(2);
  }),
);

test(
  "while a run works on it, it is left alone",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    puppet.play(async (turn) => {
      const before = rig.read("to-do.json");
      const { code, stderr } = await rig.run(["fmt", "-w"]);
      expect([code, stderr]).toEqual([3, expect.stringMatching(/run .* works on to-do\.json/)]);
      expect(rig.read("to-do.json")).toBe(before);
      await turn.report();
    });
    expect((await rig.run(["run", "--no-review"])).code).toBe(0);
  }),
);

const FOREIGN = `{
  // ours
  "schema_version": 1, "source_files": [],
  "tasks": [
    {"id": "T2", "title": "b", "priority": 2, "status": "completed"},
    {"ID": "T1", "title": "a", "priority": "P1", "status": "todo", "notes": "n"},
  ]
}
`;

test(
  "fmt --fix corrects another tool's words on request, keeps a copy and prints one line",
  story(async (rig) => {
    rig.write("to-do.json", FOREIGN);
    const refused = await rig.run(["fmt", "-w"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("looper fmt --fix corrects it"),
    ]);
    const check = await rig.run(["fmt", "--fix", "--check"]);
    expect([check.code, check.stderr]).toEqual([1, expect.stringContaining("looper fmt --fix\n")]);
    const diff = await rig.run(["fmt", "--fix", "--diff"]);
    expect(diff.stdout).toContain('+      "status": "done"');
    expect(rig.read("to-do.json")).toBe(FOREIGN);
    const fixed = await rig.run(["fmt", "--fix", "--keep-order"]);
    expect([fixed.code, fixed.stderr]).toEqual([0, ""]);
    expect(fixed.stdout).toMatch(
      /^corrected to-do\.json: .*status "completed" → done \(T2\).*to-do\.json\.broken-.*\n$/,
    );
    const [, copy = ""] = /(to-do\.json\.broken-\S+)/.exec(fixed.stdout) ?? [];
    expect(rig.read(copy)).toBe(FOREIGN);
    expect(rig.readBacklog().tasks).toMatchObject([
      { id: "T2", status: "done" },
      { id: "T1", priority: 1, meta: { notes: "n" } },
    ]);
    expect((await rig.run(["validate"])).code).toBe(0);
    expect((await rig.run(["fmt", "--fix", "--keep-order"])).stdout).toBe("to-do.json needs no correction\n");
  }),
);

test(
  "fmt --fix corrects what it can, and exits 1 where more is wrong",
  story(async (rig) => {
    const text = FOREIGN.replace('"P1"', "9");
    rig.write("to-do.json", text);
    const { code, stderr } = await rig.run(["fmt", "--fix"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("to-do.json has 1 problem")]);
    expect(rig.read("to-do.json")).toContain('"status": "done"');
  }),
);

test(
  "fmt --check --keep-order takes the order that looper itself leaves",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    await rig.run(["fmt", "-w"]);
    await rig.run(["add", "first", "-p", "1"]);
    expect((await rig.run(["fmt", "--check"])).code).toBe(1);
    expect((await rig.run(["fmt", "--check", "--keep-order"])).code).toBe(0);
  }),
);

test(
  "ls lists tasks with a wrong value, and validate names the right one",
  story(async (rig) => {
    rig.writeBacklog([
      { id: "T1", status: "completed" },
      { id: "T2", priority: "high" },
      { id: "@" },
      { id: "T4" },
    ]);
    rig.write("to-do.json", rig.read("to-do.json").replace('"@"', "3"));
    const with3 = rig.read("to-do.json");
    const { code, stdout } = await rig.run(["ls"]);
    expect(code).toBe(1);
    for (const part of [
      'status "completed" is not valid',
      'priority "high" is not valid',
      "id 3 is not valid",
      "T4",
    ])
      expect(stdout).toContain(part);
    rig.write("to-do.json", with3.replace(/"id":\s*3\b/u, '"details": ""'));
    const nameless = (await rig.run(["ls"])).stdout;
    expect(nameless).toContain("id is missing");
    expect(nameless).not.toContain("undefined");
    rig.write("to-do.json", with3);
    const valid = (await rig.run(["validate"])).stdout;
    for (const part of [
      'write "done": looper fmt --fix',
      "write 2: looper fmt --fix",
      'write "3": looper fmt --fix',
    ])
      expect(valid).toContain(part);
  }),
);
