import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import { Keys } from "./keys.js";

const DAY_MS = 86_400_000;

/** Servers of one project, with a clock that the test moves. */
function servers() {
  const root = mkdtempSync(path.join(tmpdir(), "keys-"));
  onTestFinished(() => {
    rmSync(root, { recursive: true });
  });
  let later = 0;
  const real = nodePorts();
  const ports = { ...real, clock: { ...real.clock, now: () => Date.now() + later } };
  const file = path.join(root, "state", "sessions.json");
  return { file, start: () => new Keys(ports, file), pass: (ms: number) => (later += ms) };
}

const bearer = (key: string): string => `Bearer ${key}`;

test("a link signs in once, within a day; its key and that of the session are in no file", async () => {
  const { file, start, pass } = servers();
  const keys = start();
  const link = keys.link("ann", "answer");
  const { key, session } = await keys.signIn(link, "owner");
  expect(session).toMatchObject({ name: "ann", role: "answer" });
  await expect(keys.signIn(link, undefined)).rejects.toMatchObject({ status: 401 });
  const text = readFileSync(file, "utf8");
  expect([text.includes(key), text.includes(link), statSync(file).mode & 0o777]).toEqual([
    false,
    false,
    0o600,
  ]);
  const old = keys.link("bob", "read");
  pass(DAY_MS + 1);
  await expect(keys.signIn(old, undefined)).rejects.toMatchObject({ status: 401 });
});

test("a session ends 30 days after its last use", async () => {
  const { start, pass } = servers();
  const keys = start();
  const { key } = await keys.signIn(keys.link("ann", "read"), undefined);
  pass(29 * DAY_MS);
  expect(await keys.check(bearer(key))).toMatchObject({ name: "ann" });
  pass(29 * DAY_MS);
  await keys.check(bearer(key));
  pass(31 * DAY_MS);
  await expect(keys.check(bearer(key))).rejects.toMatchObject({ status: 401 });
});

test("servers of one project keep each other's sessions, and end them for all", async () => {
  const { start } = servers();
  const [one, other] = [start(), start()];
  const signedIn = await Promise.all(
    [one, other, one, other].map(async (keys, n) => {
      const { key } = await keys.signIn(keys.link(`n${n}`, "read"), undefined);
      return key;
    }),
  );
  for (const key of signedIn)
    for (const keys of [one, other, start()]) await expect(keys.check(bearer(key))).resolves.toBeDefined();
  const [first = ""] = signedIn;
  await other.signOut(await one.check(bearer(first)));
  await expect(one.check(bearer(first))).rejects.toMatchObject({ status: 401 });
});

test("after ten wrong keys a further one is refused for a minute, and a right one is taken", async () => {
  const { start, pass } = servers();
  const keys = start();
  const { key } = await keys.signIn(keys.link("ann", "read"), undefined);
  const wrong = bearer("wrong-wrong-wrong-wrong");
  for (let n = 0; n < 10; n++) await expect(keys.check(wrong)).rejects.toMatchObject({ status: 401 });
  await expect(keys.check(wrong)).rejects.toMatchObject({ status: 429 });
  expect(await keys.check(bearer(key))).toMatchObject({ name: "ann" });
  pass(60_001);
  await expect(keys.check(wrong)).rejects.toMatchObject({ status: 401 });
});

test.each([undefined, "", "Basic abc", "Bearer", "Bearer short", `Bearer ${"x".repeat(201)}`, "bearer x y"])(
  "the header %s is not a key",
  async (header) => {
    await expect(servers().start().check(header)).rejects.toMatchObject({ status: 401, code: "key" });
  },
);
