// A run that starts without a terminal, as under nohup: a hang-up is ignored as soon as the program can hear it.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { story } from "../rig/rig.js";

/** Whether the process has a handler of its own for SIGHUP, which is the first bit. */
function hearsHangUp(pid: number): boolean {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

test(
  "a hang-up right after the start of a run without a terminal does not end it",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    puppet.play((turn) => turn.report());
    const program = rig.start(["run", "--no-review"]);
    await expect.poll(() => hearsHangUp(program.pid), { interval: 1 }).toBe(true);
    process.kill(program.pid, "SIGHUP");
    const { code, stderr } = await program.ended;
    expect(code, stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
  }),
);
