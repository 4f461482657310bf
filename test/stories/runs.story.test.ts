// `looper runs` and `looper config`, from outside: runs in progress, past runs, settings in effect.
import { expect, test } from "vitest";
import { ConfigAnswer } from "../../src/ui/shapes/project.js";
import { RunsAnswer } from "../../src/ui/shapes/runs.js";
import { type Rig, story } from "../rig/rig.js";

const runsOf = async (rig: Rig): Promise<RunsAnswer["runs"]> =>
  RunsAnswer.parse(JSON.parse((await rig.run(["runs", "--json"])).stdout)).runs;

test(
  "a run is listed while it is in progress, and with its ending afterwards",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    expect((await rig.run(["runs"])).stdout).toBe("no runs yet\n");
    puppet.play(async (turn) => {
      expect(await runsOf(rig)).toMatchObject([{ state: "running", ending: null, done: null }]);
      await turn.report();
    });
    expect((await rig.run(["run", "--no-review"])).code).toBe(0);
    expect(await runsOf(rig)).toMatchObject([{ state: "ended", ending: "complete", done: 1, tasks: 1 }]);
    const { stdout, code } = await rig.run(["runs"]);
    expect([code, stdout.split("\n").length]).toEqual([0, 3]);
    expect(stdout).toMatch(/complete +1 of 1/);
  }),
);

test(
  "the settings in force: what is wrong with them stops all but where they lie",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const { stdout, code } = await rig.run(["config", "get", "loop", "--json"], {
      env: { LOOPER_LOOP_MAX_ATTEMPTS: "9" },
    });
    expect(code).toBe(0);
    const { settings } = ConfigAnswer.parse(JSON.parse(stdout));
    expect(settings.find(({ key }) => key === "loop.max_attempts")).toEqual({
      key: "loop.max_attempts",
      value: 9,
      layer: "env",
      where: "LOOPER_LOOP_MAX_ATTEMPTS",
    });
    rig.write(".looper/config.json", '{"loop": {"max_atempts": 3}}');
    expect((await rig.run(["config"])).code).toBe(2);
    const paths = await rig.run(["config", "path"]);
    expect([paths.code, paths.stdout]).toEqual([0, expect.stringContaining(".looper/config.json\n")]);
  }),
);
