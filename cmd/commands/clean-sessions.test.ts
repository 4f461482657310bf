// Old sessions of Chapo under `looper clean`.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Conversation } from "../../src/chapo/engine/conversation.js";
import { beginSession, resumeSession, type SessionPlace } from "../../src/chapo/session/sessions.js";
import type { Ports } from "../../src/system/ports.js";
import { CleanAnswer } from "../../src/ui/shapes/runs.js";
import { contextIn, typeLine } from "../testing/testing.js";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "looper-clean-")));
  mkdirSync(project());
  mkdirSync(join(folder, "home"));
  writeTasks([task("T1")]);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const project = (...names: string[]): string => join(folder, "project", ...names);
const task = (id: string) => ({ id, title: "a", priority: 3, status: "todo" });
const writeTasks = (tasks: readonly unknown[]): void => {
  writeFileSync(project("to-do.json"), JSON.stringify({ schema_version: 1, source_files: [], tasks }));
};
const DAY = 86_400_000;
const NOW = Date.now();

const sessionsFolder = (): string => project(".looper/sessions");

const placeOf = (ports: Ports): SessionPlace => ({
  ports,
  folder: sessionsFolder(),
  redact: (text) => text,
  env: { PATH: process.env["PATH"] ?? "" },
});

/** A session of Chapo that changed so many days ago; its id. */
async function makeSession(days: number, rest: Partial<Conversation> = {}): Promise<string> {
  const { ports } = contextIn(folder).context;
  const session = await beginSession(placeOf(ports), []);
  await session.save({ ...session.conversation, ...rest });
  await session.close();
  const at = new Date(NOW - days * DAY);
  utimesSync(join(session.folder, "session.json"), at, at);
  return session.id;
}

/** The words of these flags. */
const wordsOf = (flags: Record<string, string | boolean>): string[] =>
  Object.entries(flags).flatMap(([name, value]) => (typeof value === "string" ? [name, value] : [name]));

async function call(flags: Record<string, string | boolean>): Promise<{ out: string; err: string }> {
  const started = contextIn(folder, { PATH: process.env["PATH"] ?? "" });
  await typeLine(started.context, "clean", ...wordsOf(flags));
  return { out: started.out(), err: started.err() };
}

async function answer(flags: Record<string, string | boolean>): Promise<CleanAnswer> {
  return CleanAnswer.parse(JSON.parse((await call({ ...flags, "--json": true })).out));
}

test("old sessions of Chapo go by the same flags, as old as their last change, and are counted", async () => {
  const [oldest, old, young] = [await makeSession(30), await makeSession(20), await makeSession(3)];
  const names = async (flags: Record<string, string>) =>
    (await answer({ ...flags, "--dry-run": true })).sessions.removed.map(({ session }) => session);
  expect(await names({ "--keep": "1" })).toEqual([oldest, old]);
  expect(await names({ "--age": "25d" })).toEqual([oldest]);
  expect(await names({ "--keep": "3" })).toEqual([]);
  expect(existsSync(join(sessionsFolder(), oldest))).toBe(true);
  const shown = (await call({ "--keep": "1", "--dry-run": true })).out;
  expect(shown).toContain(`would remove session ${oldest}  `);
  expect(shown).toMatch(/would remove 2 sessions, .*; 1 session would stay\nwould remove no run; 0 runs/);
  mkdirSync(join(sessionsFolder(), ".gone-killed"));
  expect((await answer({ "--keep": "1" })).sessions).toMatchObject({
    removed: [{ session: oldest }, { session: old }],
    refs: 0,
    finished: ["killed"],
    kept: 1,
  });
  expect(readdirSync(sessionsFolder())).toEqual([".gitignore", young]);
});

test("the proposal counts sessions", async () => {
  for (let days = 1; days <= 11; days++) await makeSession(days);
  const { err, out } = await call({ "-y": true });
  expect(err).toMatch(/^Remove 1 session of Chapo, .*, and keep the newest 10 of each\n$/);
  expect(out).toContain("10 sessions left");
});

test("a session stays that is open, waits for a person, is resumed by a task or cannot be read", async () => {
  const open = await resumeSession(placeOf(contextIn(folder).context.ports), await makeSession(30));
  const asking = await makeSession(29, { state: "waiting_for_user", question: { text: "which?" } });
  const named = await makeSession(28);
  const plain = await makeSession(27);
  mkdirSync(join(sessionsFolder(), "torn"));
  const progress = {
    ...{ workflow: "w", digest: "d", stage: "do", visit: 1, since: "2026-01-02T03:04:05Z" },
    answers: [
      {
        ...{ question: "T1.1", by: "me", via: "cli", at: "2026-01-02T03:04:05Z", outcome: "approve" },
        call: { session: named, id: "c1", tool: "run_command", command: "make" },
      },
    ],
  };
  writeTasks([{ ...task("T1"), progress }]);
  const { sessions } = await answer({ "--keep": "0" });
  expect(sessions.removed.map(({ session }) => session)).toEqual([plain]);
  expect(sessions.stay).toEqual([
    { session: "torn", why: "unreadable" },
    { session: open.id, why: "running" },
    { session: asking, why: "question" },
    { session: named, why: "in-hand" },
  ]);
  expect((await call({ "--keep": "0" })).out).toContain(`stays session ${asking}: a call or question`);
  await open.close();
});
