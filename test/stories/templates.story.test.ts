// `looper add --template`: tasks that begin as a file of the project says, through the real program.
import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { story, type Rig } from "../rig/rig.js";

const BUG = {
  ...{ priority: 1, details: "Write a failing test first.", steps: ["reproduce", "mend"] },
  ...{ tags: ["bug"], verify: ["npm test"], workflow: "tdd" },
};

async function say(rig: Rig, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await rig.run(words);
  return `${String(code)} ${stdout}${stderr}`;
}

test(
  "a template fills in a new task, and flags go before it; a wrong one names the key and adds nothing",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1", priority: 5 }]);
    rig.write(".looper/templates/bug.json", JSON.stringify(BUG));
    rig.write(".looper/templates/feature.json", "{}");
    expect(await say(rig, "add", "--template", "bug", "Dates are wrong")).toBe("0 T2\n");
    const flags = ["-p", "2", "--tag", "ui", "--details", "See T1.", "--workflow", "default"];
    expect(await say(rig, "add", "Times are wrong", "--template", "bug", ...flags)).toBe("0 T3\n");
    const [, second, third] = rig.readBacklog().tasks;
    expect(second).toMatchObject({ ...BUG, id: "T2", title: "Dates are wrong", status: "todo" });
    expect(third).toMatchObject({
      ...BUG,
      priority: 2,
      tags: ["bug", "ui"],
      details: "See T1.",
      workflow: "default",
    });
    expect(await say(rig, "why", "T2")).toMatch(/^0 .*T2/su);
    // A person did not type its commands, so a run asks about them as about any of the project's files.
    const run = await rig.run(["run", "--no-review"]);
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining("have not been approved yet")]);

    const before = rig.read("to-do.json");
    rig.write(".looper/templates/done.json", '{"status": "done"}');
    rig.write(".looper/templates/typo.json", '{"priorty": 1}');
    rig.write(".looper/templates/list.json", '["bug"]');
    rig.write(".looper/templates/deep.json", '{"tags": [{"a": 1}]}');
    rig.write(".looper/templates/high.json", '{"priority": 9}');
    rig.write("outside.json", "{}");
    writeFileSync(path.join(rig.root, "secret.json"), '{"details": "mine"}');
    symlinkSync(path.join(rig.root, "secret.json"), path.join(rig.project, ".looper/templates/link.json"));
    const refused: readonly [string, RegExp][] = [
      ["bgu", /^2 looper: there is no template bgu\n {2}did you mean bug\?/],
      ["../../outside", /^2 looper: "\.\.\/\.\.\/outside" is not the name of a template\n/],
      ["done", /^2 looper: \.looper\/templates\/done\.json: a template cannot set status\n/],
      ["typo", /^2 looper: \.looper\/templates\/typo\.json: .*priorty.*\n {2}did you mean "priority"\?/],
      ["list", /^2 looper: \.looper\/templates\/list\.json is not a JSON object\n/],
      [
        "deep",
        /^2 looper: \.looper\/templates\/deep\.json: tags must be a text, a number or a list of texts\n/,
      ],
      ["high", /^2 .*priority/],
      ["link", /^2 looper: \.looper\/templates\/link\.json cannot be read: it is a link that leads out/],
    ];
    for (const [name, said] of refused)
      expect(await say(rig, "add", "x", "--template", name), name).toMatch(said);
    expect(rig.read("to-do.json")).toBe(before);
  }),
);
