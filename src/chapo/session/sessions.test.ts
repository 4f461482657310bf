import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { createRedact } from "../../system/text/secrets/redact.js";
import { appendMessages } from "../engine/conversation.js";
import { beginSession, listSessions, resumeSession, type SessionPlace } from "./sessions.js";

let root = "";
let place: SessionPlace;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "sessions-"));
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

test("a resumed session has its messages, redacted, in a folder that git ignores", async () => {
  const session = await beginSession(place, ["reviewer"]);
  const said = appendMessages(session.conversation, { role: "user", text: "use a-secret-value", own: true });
  await session.save({ ...said, state: "waiting_for_user", question: { text: "which?" } });
  await session.part("todos").write([{ content: "one" }]);
  await session.close();

  const again = await resumeSession(place, "last");
  expect(again.id).toBe(session.id);
  expect(again.conversation.messages).toEqual([{ role: "user", text: "use [redacted]", own: true }]);
  expect(again.conversation.skills).toEqual(["reviewer"]);
  expect(again.conversation.question).toEqual({ text: "which?" });
  expect(await again.part("todos").read()).toEqual([{ content: "one" }]);
  expect(await again.part("nothing").read()).toBeUndefined();
  await again.close();
  expect(readFileSync(path.join(place.folder, ".gitignore"), "utf8")).toBe("*\n");
  expect(statSync(path.join(place.folder, session.id)).mode & 0o777).toBe(0o700);
  expect(statSync(path.join(place.folder, session.id, "session.json")).mode & 0o777).toBe(0o600);
});

test("one process at a time holds a session, and a list shows interrupted and broken sessions", async () => {
  const session = await beginSession(place, []);
  await session.save({ ...session.conversation, state: "running" });
  await expect(resumeSession(place, session.id)).rejects.toThrow(/process \d+ on .* holds it/);
  expect((await listSessions(place)).sessions.map(({ state }) => state)).toEqual(["running"]);
  await session.close();
  expect((await listSessions(place)).sessions.map(({ state }) => state)).toEqual(["interrupted"]);

  mkdirSync(path.join(place.folder, "torn"));
  writeFileSync(path.join(place.folder, "torn/session.json"), '{"id": "to');
  const { sessions, broken } = await listSessions(place);
  expect(sessions.map(({ id }) => id)).toEqual([session.id]);
  expect(broken.map(({ id }) => id)).toEqual(["torn"]);
  await expect(resumeSession(place, "torn")).rejects.toThrow(/cannot read the session torn/);
});

test("a session whose folder was removed is written again", async () => {
  const session = await beginSession(place, []);
  rmSync(place.folder, { recursive: true });
  const record = {
    at: "t",
    session: session.id,
    call_id: "c1",
    agent: "looper",
    tool: "run_command",
    args: {},
  };
  await session.audit({ ...record, success: true, tries: 1, duration_ms: 1, output_chars: 3 });
  await session.save(session.conversation);
  await session.close();
  expect(readFileSync(path.join(place.folder, ".gitignore"), "utf8")).toBe("*\n");
  expect((await listSessions(place)).sessions).toHaveLength(1);
});

test("an approval that a file holds is not one: the call waits again", async () => {
  const answer = { verdict: "approve", by: "root", via: "cli", at: "2026-01-01T00:00:00.000Z" } as const;
  const waiting = {
    ...{ call: "c1", agent: "commander", tool: "bash_execute", args: { command: "rm -rf x" } },
    ...{ preview: "rm -rf x", digest: "0", because: "it changes files", may_remember: true },
    asked_at: "2026-01-01T00:00:00.000Z",
  };
  const session = await beginSession(place, []);
  await session.save({ ...session.conversation, pending: { ...waiting, answer } });
  await session.close();
  const resumed = await resumeSession(place, session.id);
  expect(resumed.conversation.pending).toEqual(waiting);
  await resumed.close();
});

test("saves that are made at once are written in order, and a failed one does not stop the next", async () => {
  const session = await beginSession(place, []);
  const say = (text: string) => appendMessages(session.conversation, { role: "user", text });
  const torn = say("torn");
  const broken = {
    ...torn,
    get messages(): never {
      throw new Error("it cannot be written");
    },
  };
  const saves = [session.save(say("one")), session.save(broken), session.save(say("two"))];
  expect((await Promise.allSettled(saves)).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  await session.close();
  const [listed] = (await listSessions(place)).sessions;
  expect(listed?.title).toBe("two");
});

test("a folder in the place of a session's file is said to be one", async () => {
  mkdirSync(path.join(place.folder, "odd/session.json"), { recursive: true });
  const { broken } = await listSessions(place);
  expect(broken.map(({ why }) => why)).toEqual([
    expect.stringContaining("session.json is a folder, not a file"),
  ]);
});

test("the last of two sessions of one second is the later one", async () => {
  const ids: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const session = await beginSession(place, []);
    await session.save({ ...session.conversation, created: `2026-01-01T00:00:00.00${String(n)}Z` });
    await session.close();
    ids.push(session.id);
  }
  const sameSecond = ids.filter((id) => id.slice(0, 19) === ids.at(-1)?.slice(0, 19));
  const last = await resumeSession(place, "last");
  await last.close();
  expect(last.id).toBe(sameSecond.at(-1));
});

test("secrets in the outputs of a killed process are redacted when its session resumes", async () => {
  const session = await beginSession(place, []);
  const printed = path.join(session.folder, "outputs/1.out");
  mkdirSync(path.dirname(printed));
  writeFileSync(printed, "it is a-secret-value\n");
  const lock = path.join(session.folder, "lock");
  const held = readFileSync(lock, "utf8");
  await session.close();
  // A killed process leaves a lock whose owner no longer runs.
  writeFileSync(lock, held.replace(/"started":\s*"[^"]*"/, '"started":"1"'));
  await (await resumeSession(place, session.id)).close();
  expect(readFileSync(printed, "utf8")).toBe("it is [redacted]\n");
});

test.each(["nope", "../sessions", "", "last"])("an unknown session is an error: %j", async (id) => {
  await expect(resumeSession(place, id)).rejects.toThrow(`session ${JSON.stringify(id)} not found`);
});

test("a session stores a line per call, a file per long output and a file per sub-agent", async () => {
  const session = await beginSession(place, []);
  const record = { at: "t", session: session.id, call_id: "c1", agent: "looper", tool: "run_command" };
  const rest = { success: true, tries: 1, duration_ms: 1, output_chars: 3 };
  await session.audit({ ...record, ...rest, args: { command: "echo a-secret-value" } });
  const kept = await session.keepOutput("../c1", "whole");
  await session.save({ ...session.conversation, id: "child-1", parent: session.id, agent: "explore" });
  await session.close();
  const line: unknown = JSON.parse(readFileSync(path.join(session.folder, "audit.jsonl"), "utf8"));
  expect(line).toMatchObject({ call_id: "c1", args: { command: "echo [redacted]" } });
  expect(path.dirname(kept)).toBe(path.join(session.folder, "outputs"));
  expect(readFileSync(kept, "utf8")).toBe("whole");
  const [listed] = (await listSessions(place)).sessions;
  expect(listed?.children).toEqual(["child-1.json"]);
});

test.each([".looper", ".looper/sessions"])("sessions are not written through a link at %s", async (name) => {
  const outside = path.join(root, "outside");
  mkdirSync(outside);
  mkdirSync(path.dirname(path.join(root, "p", name)), { recursive: true });
  symlinkSync(outside, path.join(root, "p", name));
  const linked = { ...place, folder: path.join(root, "p/.looper/sessions") };
  await expect(beginSession(linked, [])).rejects.toThrow(/is a symbolic link/);
  expect(readdirSync(outside)).toEqual([]);
});

test("the newest session is the one that has a message", async () => {
  const said = await beginSession(place, []);
  await said.save(appendMessages(said.conversation, { role: "user", text: "do A" }));
  await said.close();
  await (await beginSession(place, [])).close();
  mkdirSync(path.join(place.folder, "2199-01-01_00-00-00-abcdef"));
  const resumed = await resumeSession(place, "last");
  expect(resumed.id).toBe(said.id);
  await resumed.close();
});

test("without a session that has a message, the newest is an empty one", async () => {
  const empty = await beginSession(place, []);
  await empty.close();
  const resumed = await resumeSession(place, "last");
  expect(resumed.id).toBe(empty.id);
  await resumed.close();
});

test("a session that git tracks is not resumed, also not as the newest", async () => {
  const own = await beginSession(place, []);
  await own.close();
  const id = "2199-01-01_00-00-00-abcdef";
  cpSync(own.folder, path.join(place.folder, id), { recursive: true });
  execFileSync("git", ["init", "-q", root]);
  execFileSync("git", ["-C", root, "add", "-f", path.join(".looper/sessions", id)]);
  await expect(resumeSession(place, id)).rejects.toThrow(/came with the repository/);
  const resumed = await resumeSession(place, "last");
  expect(resumed.id).toBe(own.id);
  await resumed.close();
});
