// `looper fmt`, as a person and as CI calls it.
import { chmodSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { FmtAnswer } from "../src/ui/shapes/backlog.js";
import { story } from "./rig.js";

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
    expect(printed).toMatchObject({ code: 0, stderr: "" });
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
  "what it could not keep it refuses, and changes nothing",
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
