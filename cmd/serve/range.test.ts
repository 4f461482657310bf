import { expect, test } from "vitest";
import { createRedact } from "../../src/system/text/secrets/redact.js";
import { cleanRange, rangeOf } from "./run-folder.js";

test.each([
  ["bytes=0-9", 100, { from: 0, to: 10 }],
  ["bytes=90-", 100, { from: 90, to: 100 }],
  ["bytes=-7", 100, { from: 93, to: 100 }],
  ["bytes=-700", 50, { from: 0, to: 50 }],
  ["bytes=5-5", 100, { from: 5, to: 6 }],
  ["bytes=10-1000", 50, { from: 10, to: 60 }],
  ["bytes=100-", 100, undefined],
  ["bytes=9-8", 100, undefined],
  ["bytes=-", 100, undefined],
  ["bytes=-0", 100, undefined],
  ["bytes=0-1,5-6", 100, undefined],
  ["lines=0-1", 100, undefined],
  [undefined, 100, undefined],
])("the range %s of 100 bytes, at most %i of them, is read", (header, most, wanted) => {
  expect(rangeOf(header, { size: 100, most })).toEqual(wanted);
});

const SECRET = "correct-horse-battery";
const redact = createRedact([SECRET]);
const around = Buffer.from(`{"a":"vor dem Größten"}\n{"b":"${SECRET}"}\n{"c":"behind"}\n`);

function read(from: number, to: number): string {
  return Buffer.from(cleanRange(around, { from, to }, redact)).toString("utf8");
}

test("no range has a part of a secret, wherever it begins and ends", () => {
  for (let from = 0; from < around.length; from++)
    for (const to of [from + 1, from + 5, from + 30, around.length]) {
      const told = read(from, Math.min(to, around.length));
      for (let at = 0; at + 4 <= SECRET.length; at++)
        expect(told, `${from}-${to}`).not.toContain(SECRET.slice(at, at + 4));
    }
});

test("ranges beside a secret are told as they are", () => {
  expect(read(0, 10)).toBe('{"a":"vor ');
  const behind = around.indexOf('{"c"');
  expect(read(behind, around.length)).toBe('{"c":"behind"}\n');
  expect(read(around.indexOf('{"b"'), behind)).toBe('{"b":"[redacted]"}\n');
});

test("bytes that are not text, without a secret, are told unchanged", () => {
  const bytes = Buffer.from([0, 255, 195, 40, 128, 65]);
  expect(Buffer.from(cleanRange(bytes, { from: 1, to: 5 }, redact))).toEqual(bytes.subarray(1, 5));
});
