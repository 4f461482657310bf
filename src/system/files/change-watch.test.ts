// Changes of real files are noticed at once; where the system cannot watch, by looking again and again.
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Files } from "../ports.js";
import { nodePorts } from "../processes/node-ports.js";
import { ChangeWatch, type WatchedPlace } from "./change-watch.js";

const real = nodePorts();
let root = "";
let watches: ChangeWatch[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "watch-")));
});

afterEach(async () => {
  for (const one of watches) await one.close();
  watches = [];
  rmSync(root, { recursive: true, force: true });
});

const at = (name: string): string => path.join(root, name);

/** Watches these places, on a clock that never comes to the time to look anyway. */
async function watching(places: () => readonly WatchedPlace[]) {
  const clock = { ...real.clock, monotonic: () => 0 };
  const ports = { clock, files: real.files };
  const changes = new ChangeWatch(ports, () => Promise.resolve(places()));
  watches.push(changes);
  expect(await changes.changed()).toBe(true);
  expect(await changes.changed()).toBe(false);
  return changes;
}

/** Whether a change is reported within five seconds. */
async function isNoticed(changes: ChangeWatch): Promise<boolean> {
  await changes.wait(5000);
  return changes.changed();
}

test("a file that is written, replaced by rename or removed has changed, and another file of its folder has not", async () => {
  writeFileSync(at("f"), "1");
  const changes = await watching(() => [{ folder: root, entry: "f" }]);
  writeFileSync(at("f"), "2");
  expect(await isNoticed(changes)).toBe(true);
  for (const text of ["3", "4"]) {
    writeFileSync(at("new"), text);
    renameSync(at("new"), at("f"));
    expect(await isNoticed(changes)).toBe(true);
  }
  // One change may be reported more than once.
  do await changes.wait(300);
  while (await changes.changed());
  writeFileSync(at("other"), "1");
  await changes.wait(300);
  expect(await changes.changed()).toBe(false);
  rmSync(at("f"));
  expect(await isNoticed(changes)).toBe(true);
  writeFileSync(at("f"), "5");
  expect(await isNoticed(changes)).toBe(true);
});

test("a folder that comes into a watched folder is a change", async () => {
  const changes = await watching(() => [{ folder: root }]);
  mkdirSync(at("run-1"));
  expect(await isNoticed(changes)).toBe(true);
});

test("a folder that is missing, made anew, or another one by now is looked for when it is time", async () => {
  let now = 0;
  const clock = { ...real.clock, monotonic: () => now };
  let name = "later";
  const changes = new ChangeWatch({ clock, files: real.files }, () =>
    Promise.resolve([{ folder: at(name), entry: "f" }]),
  );
  watches.push(changes);
  const look = (ms: number) => {
    now += ms;
    return changes.changed();
  };
  expect(await look(0)).toBe(true);
  expect(await look(199)).toBe(false);
  mkdirSync(at("later"));
  expect(await look(1)).toBe(true);
  expect(await look(1000)).toBe(false);
  writeFileSync(at("later/f"), "1");
  expect(await isNoticed(changes)).toBe(true);
  mkdirSync(at("second"));
  name = "second";
  await changes.wait(300);
  expect(await look(2000)).toBe(true);
  writeFileSync(at("second/f"), "1");
  expect(await isNoticed(changes)).toBe(true);
});

test("where watching fails, it is time to look five times a second", async () => {
  let now = 0;
  const clock = { ...real.clock, monotonic: () => now };
  let tries = 0;
  const watchFolder: Files["watchFolder"] = () => {
    tries += 1;
    return Promise.resolve({ failed: () => true, close: () => Promise.resolve() });
  };
  const changes = new ChangeWatch({ clock, files: { ...real.files, watchFolder } }, () =>
    Promise.resolve([{ folder: root }]),
  );
  expect(await changes.changed()).toBe(true);
  now += 2000;
  expect(await changes.changed()).toBe(true);
  now += 200;
  expect(await changes.changed()).toBe(true);
  now += 199;
  expect(await changes.changed()).toBe(false);
  expect(tries).toBe(1);
});
