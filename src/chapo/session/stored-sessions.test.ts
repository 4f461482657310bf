import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { markOf } from "../../system/processes/mark.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { markName } from "../../system/processes/sweep.js";
import { createRedact } from "../../system/text/secrets/redact.js";
import { beginSession, resumeSession, type SessionPlace } from "./sessions.js";
import { endKilledSessions, findKilledSessions } from "./stored-sessions.js";

let root = "";
let place: SessionPlace;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "killed-"));
  place = {
    ports: nodePorts(),
    folder: path.join(root, ".looper/sessions"),
    redact: createRedact(["a-secret-value"]),
    env: { PATH: process.env["PATH"] ?? "" },
  };
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A session whose process was killed, and a command that its shell left with an output. */
async function leaveSession() {
  const session = await beginSession(place, []);
  const { folder, id } = session;
  const lock = path.join(folder, "lock");
  const held = readFileSync(lock, "utf8");
  await session.save(session.conversation);
  await session.close();
  writeFileSync(lock, held.replace(/"started":\s*"[^"]*"/, '"started":"1"'));
  const printed = path.join(folder, "outputs/1.out");
  mkdirSync(path.dirname(printed));
  writeFileSync(printed, "it is a-secret-value\n");
  const left = spawn("sleep", ["60"], { env: { PATH: "/bin:/usr/bin", [markName(markOf(folder))]: "1" } });
  await once(left, "spawn");
  return { id, folder, lock, left, ended: once(left, "exit"), printed };
}

test("the processes of a killed session are found and ended, and its outputs redacted, without it", async () => {
  const { id, left, ended, printed } = await leaveSession();
  await expect.poll(() => findKilledSessions(place)).toEqual([{ id, pids: [left.pid] }]);
  expect(await endKilledSessions(place)).toEqual([]);
  expect((await ended)[1]).toBe("SIGKILL");
  expect(readFileSync(printed, "utf8")).toBe("it is [redacted]\n");
  expect(await findKilledSessions(place)).toEqual([]);
  await (await resumeSession(place, id)).close();
});

test("without the secrets the processes are ended, and the outputs wait for the next holder", async () => {
  const { id, ended, printed } = await leaveSession();
  expect(await endKilledSessions({ ports: place.ports, folder: place.folder })).toEqual([]);
  expect((await ended)[1]).toBe("SIGKILL");
  expect(readFileSync(printed, "utf8")).toContain("a-secret-value");
  await (await resumeSession(place, id)).close();
  expect(readFileSync(printed, "utf8")).toBe("it is [redacted]\n");
});

test("a session that another process holds keeps its processes", async () => {
  const { left, ended, folder } = await leaveSession();
  const session = await beginSession(place, []);
  const own = readFileSync(path.join(session.folder, "lock"), "utf8");
  writeFileSync(path.join(folder, "lock"), own);
  expect(await findKilledSessions(place)).toEqual([]);
  expect(await endKilledSessions(place)).toEqual([]);
  expect(left.exitCode).toBeNull();
  left.kill("SIGKILL");
  await ended;
  await session.close();
});
