// The page on agents of kind `module` is true: the module it shows works, with the settings it shows.
import { expect, test } from "vitest";
import { blocksOf } from "../rig/documents.js";
import { story } from "../rig/rig.js";

const PAGE = "docs/module-agents.md";

test(
  "the module that the page shows does its tasks, and its events are in the log",
  story(async (rig) => {
    const module = blocksOf(PAGE).find(({ file }) => file === "agent.mjs");
    const settings = blocksOf(PAGE).find(({ language }) => language === "json");
    rig.write("agent.mjs", module?.body ?? "");
    rig.write(".looper/config.json", settings?.body ?? "");
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    const { code, stderr } = await rig.run(["run", "--trust"]);
    expect(code, stderr).toBe(0);
    expect(rig.read("done.txt")).toBe("T1\nT2\n");
    const [, second] = rig.readBacklog().tasks;
    expect(second?.result).toBe("done.txt has 2 lines");
    expect(rig.events().filter(({ type }) => type === "tool_result")).toHaveLength(2);
    expect(rig.events().find(({ type }) => type === "run_ended")).toMatchObject({
      totals: { input_tokens: 240, output_tokens: 60, cost_usd: 0.002 },
    });
  }),
);
