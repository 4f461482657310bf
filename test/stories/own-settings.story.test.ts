// An attempt that changes Looper's own settings: passing checks do not verify it, since it chose the next ones.
import { expect, test } from "vitest";
import { sample } from "../rig/exhaustive.js";
import { story } from "../rig/rig.js";

test.each(
  sample(
    [
      [".looper/config.json", (text: string) => text.replace("true", "false")],
      [".looper/workflows/quick.json", () => "{}"],
      ["package.json", () => JSON.stringify({ name: "x", looper: { verify: { commands: ["true"] } } })],
    ],
    1,
  ),
)("a task whose attempt changes %s needs a look, although its checks pass", (file, edit) =>
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["true"] } });
    rig.write("package.json", JSON.stringify({ name: "x" }));
    rig.write(".looper/config.json", JSON.stringify({ verify: { commands: ["true"] } }));
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    puppet.play(async (turn) => {
      const before = file === ".looper/config.json" ? rig.read(file) : "";
      await turn.shell(`mkdir -p .looper/workflows; cat >${file} <<'END'\n${edit(before)}\nEND`);
      await turn.report();
    });
    const { stdout, stderr } = await rig.run(["run", "--no-review", "--trust"]);
    expect(stdout, stderr).toContain("needs a look");
    expect(stdout + stderr).toContain(
      `it changes settings of Looper, which decide about later checks: ${file}`,
    );
    expect(rig.readBacklog().tasks[0]).not.toMatchObject({ meta: { verdict: "verified" } });
  })(),
);
