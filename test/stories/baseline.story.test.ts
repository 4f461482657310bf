// The state of the checks before a task (contract §5), where they are flaky. Leaves the gate itself to gate.story.test.ts.
import { expect, test } from "vitest";
import { story } from "../rig/rig.js";

test(
  "a check that was red by chance before the task excuses nothing: it is run once more",
  story(async (rig) => {
    const once = `test -e ${rig.root}/seen || { touch ${rig.root}/seen; exit 1; }; test ! -e broken`;
    const puppet = await rig.agent({}, { verify: { commands: [once] } });
    rig.writeBacklog([{ id: "T1" }]);
    puppet.play(async (turn) => {
      await turn.write(`${turn.hello.cwd}/broken`, "x");
      return turn.report();
    });
    expect(await rig.run(["run", "--no-review", "--max-attempts", "1"])).toMatchObject({ code: 1 });
    expect(rig.statuses()).toEqual({ T1: "blocked" });
    const [baseline] = rig.events().filter(({ type }) => type === "baseline_finished");
    expect(baseline).toMatchObject({ commands: [{ passed: true }] });
  }),
);
