import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import { LogFollowers, type FollowedLine } from "./follow.js";

const lineOf = (seq: number, more = ""): string => `{"seq":${seq},"type":"message","content":"${more}"}\n`;

/** A log in a folder of its own, with these texts. */
function logOf(...texts: string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), "follow-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const file = path.join(folder, "events.jsonl");
  writeFileSync(file, texts.join(""));
  const followers = new LogFollowers(nodePorts());
  const stop = new AbortController();
  const follow = (after = 0) => followers.lines(folder, { after, signal: stop.signal });
  const soFar = (after = 0) => followers.lines(folder, { after, once: true, signal: stop.signal });
  return { file, follow, soFar, stop };
}

type Came = FollowedLine | "beat" | "gone";

const numberOf = (came: Came | undefined): unknown =>
  came === undefined || typeof came === "string" ? came : came.seq;

async function allOf(lines: AsyncIterable<Came>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const line of lines) all.push(numberOf(line));
  return all;
}

const upTo = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, n) => from + n + 1);

test("a client that resumes after any line gets every later one, once and in order", async () => {
  const { soFar } = logOf(...upTo(0, 40).map((seq) => lineOf(seq)));
  for (let after = 0; after <= 41; after++)
    expect(await allOf(soFar(after)), `after ${after}`).toEqual(upTo(Math.min(after, 40), 40));
});

test("the place in a log of many megabytes is found, also beside lines longer than what is read at once", async () => {
  const long = "x".repeat(3 << 20);
  const { soFar } = logOf(
    ...upTo(0, 60).map((seq) => lineOf(seq, seq % 20 === 7 ? long : "y".repeat(99_999))),
  );
  for (const after of [0, 1, 6, 7, 8, 26, 27, 28, 46, 47, 48, 58, 59, 60])
    expect(await allOf(soFar(after)), `after ${after}`).toEqual(upTo(after, 60));
});

test("of a line beyond 16 MiB its number and length are told, and every other line comes, whichever was seen last", async () => {
  const long = lineOf(2, "x".repeat((16 << 20) + (1 << 20) + 7));
  const { soFar } = logOf(lineOf(1), long, lineOf(3), lineOf(4, "y".repeat(15 << 20)), lineOf(5));
  for (const after of [0, 1, 2, 3, 4]) expect(await allOf(soFar(after))).toEqual(upTo(after, 5));
  expect((await soFar(1).next()).value).toMatchObject({
    text: `{"seq":2,"type":"left_out","bytes":${long.length - 1}}`,
  });
});

test("a line is told whole, once its end is there", async () => {
  const [whole, torn] = [lineOf(1, "größer"), lineOf(2, "später")];
  const { file, follow, stop } = logOf(whole, torn.slice(0, 30));
  const lines = follow();
  expect((await lines.next()).value).toMatchObject({ seq: 1, text: whole.trimEnd(), end: whole.length + 2 });
  const next = lines.next();
  appendFileSync(file, torn.slice(30));
  expect((await next).value).toMatchObject({ seq: 2, text: torn.trimEnd() });
  stop.abort();
  expect((await lines.next()).done).toBe(true);
});

test("two clients that follow one log get the same lines", async () => {
  const { file, follow, stop } = logOf(lineOf(1));
  const [one, other] = [follow(), follow(1)];
  await one.next();
  const both = Promise.all([one.next(), other.next()]);
  appendFileSync(file, lineOf(2));
  expect((await both).map(({ value }) => numberOf(value ?? undefined))).toEqual([2, 2]);
  stop.abort();
});

test.each(["shorter", "removed"])("a log that is %s is told as gone", async (how) => {
  const { file, follow } = logOf(lineOf(1), lineOf(2));
  const lines = follow();
  await lines.next();
  await lines.next();
  const next = lines.next();
  if (how === "shorter") truncateSync(file, 3);
  else rmSync(file);
  expect((await next).value).toBe("gone");
  expect((await lines.next()).done).toBe(true);
});

test("foreign lines are left out", async () => {
  const { soFar } = logOf(lineOf(1), "hello\n", '{"type":"x","seq":9}\n', "\n", lineOf(2));
  expect(await allOf(soFar())).toEqual([1, 2]);
});
