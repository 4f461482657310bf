import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../system/processes/node-ports.js";
import type { Ports } from "../system/ports.js";
import { hasEnded, readEnd, readLastLines } from "./last-lines.js";
import { readLines, type RawLine } from "./read.js";

const ports = nodePorts();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "looper-last-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const log = (): string => join(folder, "events.jsonl");
const all = (): true => true;

/** The bytes that were read from it. */
function countReads(): { ports: Ports; bytes: () => number } {
  let bytes = 0;
  const readRange: Ports["files"]["readRange"] = async (path, offset, length) => {
    const read = await ports.files.readRange(path, offset, length);
    bytes += read.length;
    return read;
  };
  return { ports: { ...ports, files: { ...ports.files, readRange } }, bytes: () => bytes };
}

const anyLine = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constantFrom("a", "b"), text: fc.string({ unit: "grapheme" }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("a"),
      text: fc.constantFrom("ü".repeat(40_000), "x".repeat(70_000)),
    }),
  },
);

test("the last lines are those that a reader of the whole log sees last, with the offset of the next line", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyLine, { maxLength: 12 }),
      fc.constantFrom("", "{", '{"seq":99,"type":"a"', "torn".repeat(30_000)),
      fc.nat({ max: 14 }),
      fc.boolean(),
      async (events, torn, most, onlyB) => {
        const lines = events.map((event, at) => `${JSON.stringify({ seq: at + 1, ...event })}\n`);
        writeFileSync(log(), ["no event\n", ...lines, torn].join(""));
        const wanted = ({ type }: RawLine): boolean => !onlyB || type === "b";
        const whole: string[] = [];
        for await (const line of readLines(ports, folder)) if (wanted(line)) whole.push(line.text);
        const last = await readLastLines(ports, folder, { most, wanted });
        expect(last?.lines.map(({ text }) => text)).toEqual(most === 0 ? [] : whole.slice(-most));
        const text = ["no event\n", ...lines].join("");
        expect(last?.end).toBe(Buffer.byteLength(text));
      },
    ),
    { numRuns: 60 },
  );
});

test("a missing log has no result, and a log that is empty or half a line has no lines", async () => {
  expect(await readLastLines(ports, folder, { most: 3, wanted: all })).toBeUndefined();
  for (const text of ["", "{"]) {
    writeFileSync(log(), text);
    expect(await readLastLines(ports, folder, { most: 3, wanted: all })).toEqual({ lines: [], end: 0 });
  }
});

test("only the end of a log of 1 GB is read, even if its last line has 10 MB", async () => {
  writeFileSync(log(), "");
  truncateSync(log(), 1 << 30);
  const long = JSON.stringify({ seq: 1, type: "message", content: "x".repeat(10 << 20) });
  const lines = [2, 3, 4].map((seq) => JSON.stringify({ seq, type: "message" }));
  appendFileSync(log(), `\n${[long, ...lines].join("\n")}\n`);
  const few = countReads();
  const last = await readLastLines(few.ports, folder, { most: 3, wanted: all });
  expect(last?.lines.map(({ seq }) => seq)).toEqual([2, 3, 4]);
  expect(few.bytes()).toBeLessThan(1 << 17);
  const more = countReads();
  const four = await readLastLines(more.ports, folder, { most: 4, wanted: all });
  expect(four?.lines[0]?.text).toBe(long);
  expect(more.bytes()).toBeLessThan(20 << 20);
});

test("the end of a log is its last line and its line `run_ended`, wherever that is among the last lines", async () => {
  const line = (seq: number, type: string, rest = {}): string =>
    `${JSON.stringify({ seq, type, ...rest })}\n`;
  expect(await readEnd(ports, folder)).toEqual({});
  writeFileSync(log(), line(1, "message", { content: '"type":"run_ended"', input: { type: "run_ended" } }));
  expect([(await readEnd(ports, folder)).last?.seq, await hasEnded(ports, folder)]).toEqual([1, false]);
  appendFileSync(log(), line(2, "run_ended", { message: "x".repeat(9000) }) + line(3, "decided"));
  const { last, ended } = await readEnd(ports, folder);
  expect([last?.seq, ended?.seq]).toEqual([3, 2]);
  appendFileSync(log(), '{"seq":4,');
  expect((await readEnd(ports, folder)).last?.seq).toBe(3);
});
