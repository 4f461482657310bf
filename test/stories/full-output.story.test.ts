// A stdout that takes nothing: the command has done its work, and only its answer is missing.
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { story } from "../rig/rig.js";
import { BIN } from "../rig/program.js";

test(
  "a command whose answer cannot be written says that its change was made",
  story((rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const order = `exec ${process.execPath} ${BIN} add one >/dev/full`;
    const ran = spawnSync("sh", ["-c", order], { cwd: rig.project, env: rig.env, encoding: "utf8" });
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain("cannot print the answer: ENOSPC");
    expect(ran.stderr).toContain("what the command changed stays changed: look before you repeat it");
    expect(ran.stderr).not.toContain("nothing is lost");
    expect(rig.readBacklog().tasks.map(({ title }) => title)).toContain("one");
    return Promise.resolve();
  }),
);
