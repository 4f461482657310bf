import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acquireLock, inspectLock } from "./lock.js";
import { nodePorts } from "../processes/node-ports.js";

const ports = nodePorts();
const lockPath = (): string => join(mkdtempSync(join(tmpdir(), "looper-lock-")), "sub", "run.lock");

test("the second comer is told who holds it, and gets it after the release", async () => {
  const path = lockPath();
  const first = await acquireLock(ports, path, { run: "r1" }, { waitMs: 0 });
  if (!("held" in first)) throw new Error("not held");
  const second = await acquireLock(ports, path, {}, { waitMs: 0 });
  expect(second).toMatchObject({ heldBy: { pid: process.pid, run: "r1" } });
  await first.held.release();
  const third = await acquireLock(ports, path, {}, { waitMs: 0 });
  expect("held" in third).toBe(true);
  expect(readdirSync(join(path, ".."))).toEqual(["run.lock"]);
});

test("a lock whose owner is gone is taken over, and says from whom until that is settled", async () => {
  const path = lockPath();
  const held = await acquireLock(ports, path, { run: "dead" }, { waitMs: 0 });
  expect("held" in held).toBe(true);
  const owner: unknown = JSON.parse(readFileSync(path, "utf8"));
  // The same pid with another start time: the owner died and its pid was given away again.
  writeFileSync(path, JSON.stringify(Object.assign({}, owner, { started: "1", token: "of-the-dead" })));
  expect((await inspectLock(ports, path))?.gone).toBe(true);
  const taken = await acquireLock(ports, path, {}, { waitMs: 0 });
  if (!("held" in taken)) throw new Error("not taken over");
  const dead: unknown[] = [expect.objectContaining({ run: "dead", token: "of-the-dead" })];
  expect(taken.held.dead).toEqual(dead);
  // The process that took over was killed before it could clean up.
  writeFileSync(
    path,
    JSON.stringify(Object.assign({}, owner, { started: "2", token: "also-dead", run: "next" })),
  );
  const third = await acquireLock(ports, path, {}, { waitMs: 0 });
  if (!("held" in third)) throw new Error("not taken over");
  expect(third.held.dead).toEqual(
    expect.arrayContaining([...dead, expect.objectContaining({ run: "next" })]),
  );
  await third.held.release();
  const fourth = await acquireLock(ports, path, {}, { waitMs: 0 });
  if (!("held" in fourth)) throw new Error("not held");
  expect(fourth.held.dead).toHaveLength(2);
  await fourth.held.forgetDead();
  expect(readdirSync(join(path, ".."))).toEqual(["run.lock"]);
});

test("an owner on another host is believed until it has been silent for a minute", async () => {
  const path = lockPath();
  const held = await acquireLock(ports, path, {}, { waitMs: 0 });
  expect("held" in held).toBe(true);
  const owner: unknown = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify(Object.assign({}, owner, { host: "elsewhere" })));
  expect((await inspectLock(ports, path))?.gone).toBe(false);
  const later = { ...ports, clock: { ...ports.clock, now: () => Date.now() + 61_000 } };
  expect((await inspectLock(later, path))?.gone).toBe(true);
});

test("of many at once exactly one holds it at a time, and all get it", async () => {
  const path = lockPath();
  let holders = 0;
  let most = 0;
  const turn = async (): Promise<void> => {
    const got = await acquireLock(ports, path, {}, { waitMs: 60_000 });
    if (!("held" in got)) throw new Error("not held");
    most = Math.max(most, ++holders);
    await Promise.resolve();
    holders--;
    await got.held.release();
  };
  await Promise.all(Array.from({ length: 40 }, turn));
  expect(most).toBe(1);
});

test("what a killed one wrote to become the lock is gone once another holds it, whole or not", async () => {
  const path = lockPath();
  const first = await acquireLock(ports, path, {}, { waitMs: 0 });
  if (!("held" in first)) throw new Error("not held");
  const folder = join(path, "..");
  writeFileSync(join(folder, ".run.lock.0123456789ab.tmp"), "");
  writeFileSync(join(folder, ".run.lock.ba9876543210.tmp"), readFileSync(path));
  writeFileSync(join(folder, ".other.lock.0123456789ab.tmp"), "");
  await first.held.release();
  const second = await acquireLock(ports, path, {}, { waitMs: 0 });
  expect("held" in second).toBe(true);
  expect(readdirSync(folder)).toEqual([".other.lock.0123456789ab.tmp", "run.lock"]);
});

test("one whose file is tidied away before it became the lock tries again", async () => {
  const path = lockPath();
  let tidied = 0;
  const files = {
    ...ports.files,
    link: async (existing: string, to: string) => {
      if (tidied++ === 0) await ports.files.remove(existing);
      await ports.files.link(existing, to);
    },
  };
  const got = await acquireLock({ ...ports, files }, path, {}, { waitMs: 0 });
  expect("held" in got).toBe(true);
  expect(tidied).toBe(2);
});

test("a lock that could not be removed when it was given back is taken again by the same process", async () => {
  const path = lockPath();
  const failing = { ...ports.files, remove: () => Promise.reject(new Error("EIO: i/o error, unlink")) };
  const first = await acquireLock({ ...ports, files: failing }, path, {}, { waitMs: 0 });
  if (!("held" in first)) throw new Error("not held");
  expect(await acquireLock(ports, path, {}, { waitMs: 0 })).toHaveProperty("heldBy");
  await expect(first.held.release()).rejects.toThrow("EIO");
  const second = await acquireLock(ports, path, {}, { waitMs: 0 });
  if (!("held" in second)) throw new Error("not taken again");
  await second.held.forgetDead();
  await second.held.release();
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

/** Writes the lock of an owner that is gone: this process, with another start time. */
async function leaveDead(path: string, token: string): Promise<string> {
  await acquireLock(ports, path, {}, { waitMs: 0 });
  const owner: unknown = JSON.parse(readFileSync(path, "utf8"));
  const text = JSON.stringify(Object.assign({}, owner, { started: "1", token }));
  writeFileSync(path, text);
  return text;
}

test("a process that sees a dead owner does not take the lock of another that came in between", async () => {
  const path = lockPath();
  const living = await acquireLock(ports, path, { run: "living" }, { waitMs: 0 });
  expect("held" in living).toBe(true);
  const theirs = readFileSync(path, "utf8");
  await leaveDead(path, "of-the-dead");
  const renamed: string[] = [];
  const slow = {
    ...ports,
    files: {
      ...ports.files,
      rename: (from: string, to: string) => {
        renamed.push(from);
        return ports.files.rename(from, to);
      },
    },
    processes: {
      ...ports.processes,
      // While the dead one is looked at, its lock goes to another.
      fate: (owner: Parameters<typeof ports.processes.fate>[0]) => {
        if (owner.started === "1") writeFileSync(path, theirs);
        return ports.processes.fate(owner);
      },
    },
  };
  expect(await acquireLock(slow, path, {}, { waitMs: 0 })).toMatchObject({ heldBy: { run: "living" } });
  expect(renamed).toEqual([]);
  expect(readFileSync(path, "utf8")).toBe(theirs);
});

test("of two who see the same dead owner one takes its lock away, the other waits for that one", async () => {
  const path = lockPath();
  await leaveDead(path, "of-the-dead");
  let other: unknown;
  const first = {
    ...ports,
    files: {
      ...ports.files,
      rename: async (from: string, to: string) => {
        other = await acquireLock(ports, path, { run: "other" }, { waitMs: 0 });
        await ports.files.rename(from, to);
      },
    },
  };
  const taken = await acquireLock(first, path, { run: "first" }, { waitMs: 0 });
  expect(other).toMatchObject({ heldBy: { run: "first" } });
  if (!("held" in taken)) throw new Error("not taken over");
  expect(taken.held.dead).toMatchObject([{ token: "of-the-dead" }]);
  await taken.held.forgetDead();
  expect(readdirSync(join(path, ".."))).toEqual(["run.lock"]);
});

test("a process that died while removing a dead owner's lock blocks no other process", async () => {
  const path = lockPath();
  const dead = await leaveDead(path, "of-the-dead");
  writeFileSync(`${path}.claim-of-the-dead`, dead.replace("of-the-dead", "died-too"));
  writeFileSync(`${path}.claim-died-too`, dead.replace("of-the-dead", "and-this-one"));
  writeFileSync(join(path, "..", ".run.lock.claim-x.0123456789ab.tmp"), "");
  const taken = await acquireLock(ports, path, {}, { waitMs: 0 });
  if (!("held" in taken)) throw new Error("not taken over");
  expect(taken.held.dead).toMatchObject([{ token: "of-the-dead" }]);
  await taken.held.forgetDead();
  expect(readdirSync(join(path, ".."))).toEqual(["run.lock"]);
});

test("a process keeps waiting while the lock changes owners, and gives up on an owner that keeps it", async () => {
  const path = lockPath();
  const held = await acquireLock(ports, path, {}, { waitMs: 0 });
  expect("held" in held).toBe(true);
  const owner: unknown = JSON.parse(readFileSync(path, "utf8"));
  let now = 0;
  let hand = 0;
  const passing = {
    ...ports,
    clock: {
      ...ports.clock,
      monotonic: () => now,
      sleep: (ms: number) => {
        now += ms;
        // For a minute each holds it for a fifth of a second.
        if (now < 60_000 && Math.floor(now / 200) > hand)
          writeFileSync(path, JSON.stringify(Object.assign({}, owner, { token: `hand-${String(++hand)}` })));
        return Promise.resolve();
      },
    },
  };
  expect(await acquireLock(passing, path, {}, { waitMs: 1000 })).toHaveProperty("heldBy");
  expect(hand).toBeGreaterThan(100);
  expect([now > 60_000, now < 62_500]).toEqual([true, true]);
});
