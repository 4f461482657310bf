import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { listByPs, listMarkedByPs, lookAt } from "./proc.js";

test("ps tells of the same processes as /proc, and knows the marked ones", async () => {
  const mark = `LOOPER_MARK_ps_${process.pid}`;
  const child = spawn("sleep", ["60"], { env: { ...process.env, [mark]: "1" }, detached: true });
  const other = spawn("sleep", ["61"], { env: { ...process.env, [`${mark}2`]: "1", [mark]: "10" } });
  try {
    const pid = child.pid ?? 0;
    const seen = (await listByPs())?.find((one) => one.pid === pid);
    expect(seen).toMatchObject({ parent: process.pid, group: pid });
    expect(seen?.started).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
    expect(await lookAt(pid)).toMatchObject({ parent: process.pid, group: pid });
    expect([...(await listMarkedByPs(mark))]).toEqual([pid]);
  } finally {
    child.kill("SIGKILL");
    other.kill("SIGKILL");
  }
});
