// A short `make torture`: some of the places where the program is killed or fails, some chance, some who edit meanwhile.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PLAN, type Fault } from "../torture/fault.js";
import { PARTS } from "../torture/parts.js";
import { Place } from "../torture/place.js";
import { playIn, prepare, tryAll, type Ground, type Sample } from "../torture/points.js";
import { survive } from "../torture/survive.js";

const bins = realpathSync(mkdtempSync(path.join(tmpdir(), "torture-bin-")));
let ground: Ground;

beforeAll(async () => {
  const build = fileURLToPath(new URL("../torture/build.mjs", import.meta.url));
  execFileSync(process.execPath, [build, bins], { stdio: "inherit" });
  ground = await prepare(bins);
});

afterAll(() => {
  Place.disposeAll();
  rmSync(bins, { recursive: true, force: true });
});

/** Tries some points of a part, two at a time; which were not survived, and why; answers how many there were. */
async function tryPart(part: keyof typeof PARTS, sample: Partial<Sample>): Promise<number> {
  const points = await PARTS[part](ground, { every: 1, from: 1, runs: 0, seed: 1, ...sample });
  if (typeof points === "string") throw new Error(points);
  const failures: Record<string, string[]> = {};
  await tryAll(points, 2, ({ again }, { problems }) => {
    if (problems.length > 0) failures[again] = problems;
  });
  expect(failures).toEqual({});
  return points.length;
}

/** Starts that are harmed one after the other in one project: each resumes what the one before it left, and the last is left alone. */
async function harmEach(...harm: readonly Fault[]): Promise<void> {
  const starts = harm.map((fault) => [fault]);
  const tried = await playIn(ground.template.copy(), (place) => survive(place, starts));
  expect(tried).toMatchObject({ problems: [], struck: harm.length });
}

test("killed in the middle of a git, at some other call, with all it started, and in the middle of a write, it resumes where it was", async () => {
  const commit = ground.calls.findIndex((call) => call.includes(" update-ref -m looper: Do T1"));
  expect(commit).toBeGreaterThan(0);
  await harmEach(
    { at: commit + 1, when: "half", deed: "kill" },
    { at: 434, when: "before", deed: "kill" },
    { at: 101, when: "before", deed: "kill-group" },
    { at: 77, when: "half", deed: "kill" },
  );
});

test("a run whose call fails with ENOSPC or EIO ends in order, and the next one completes it", async () => {
  await harmEach({ at: 153, when: "half", deed: "ENOSPC" }, { at: 581, when: "before", deed: "EIO" });
});

test("killed at random, it resumes where it was", async () => {
  expect(await tryPart("random", { runs: 1, seed: 5 })).toBe(1);
});

test("a session with a workflow that is killed, at a run or at an answer, ends as if it had not been", async () => {
  expect(
    await tryPart("workflows", { session: "plan-approve-execute", every: 9000, from: 900, kills: 2 }),
  ).toBeGreaterThan(0);
});

test("edited at random by a person, a run loses no work, ends green only where it is, and commits what it did", async () => {
  expect(await tryPart("edits", { runs: 1, seed: 3 })).toBe(1);
});

test("nothing of this is in the program that is shipped", () => {
  const dist = fileURLToPath(new URL("../../dist", import.meta.url));
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  expect(files.length).toBeGreaterThan(1);
  const faulty = files.filter((name) => readFileSync(path.join(dist, name), "utf8").includes(PLAN));
  expect(faulty).toEqual([]);
  expect(readFileSync(path.join(bins, "looper.js"), "utf8") + chunksOf(bins)).toContain(PLAN);
});

function chunksOf(folder: string): string {
  const chunks = path.join(folder, "chunks");
  return readdirSync(chunks)
    .map((name) => readFileSync(path.join(chunks, name), "utf8"))
    .join("\n");
}
