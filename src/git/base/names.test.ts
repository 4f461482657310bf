import fc from "fast-check";
import { expect } from "vitest";
import { attemptOf, attemptRef, checkpointRef, encodeId, pendingRef, rescueRef, startRef } from "./names.js";
import { runAs, test } from "../testing/scratch.js";

/** Any string at all, lone surrogates and long ones included. */
const anyId = fc.oneof(
  fc.string({ minLength: 1, unit: "binary" }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1 })
    .map((units) => String.fromCharCode(...units)),
  fc.string({ minLength: 150, maxLength: 700, unit: fc.constantFrom("a", ".", "/", "ü") }),
);

function decode(encoded: string): string {
  return encoded
    .replaceAll("+/", "")
    .split(/(%u[0-9A-F]{4}|(?:%[0-9A-F]{2})+)/)
    .map((part) => {
      if (part.startsWith("%u")) return String.fromCharCode(parseInt(part.slice(2), 16));
      return part.startsWith("%") ? Buffer.from(part.replaceAll("%", ""), "hex").toString("utf8") : part;
    })
    .join("");
}

test("an encoded id can be read back, so no two share a name", () => {
  fc.assert(
    fc.property(anyId, (id) => {
      expect(decode(encodeId(id))).toBe(id);
    }),
  );
});

test("an encoded id is never a folder of another", () => {
  fc.assert(
    fc.property(anyId, anyId, (a, b) => {
      fc.pre(a !== b);
      expect(encodeId(a + b).startsWith(`${encodeId(a)}/`)).toBe(false);
      expect(encodeId(a)).not.toBe(encodeId(b));
    }),
  );
});

test("git accepts every encoded id, and its parts fit a file name", async ({ scratch }) => {
  const ids = [
    "T1.2",
    ".",
    "..",
    "x.lock",
    "-x",
    "@",
    "@{1}",
    "a b",
    "a//b",
    "ü",
    "~^:?*[\\",
    "HEAD",
    "x".repeat(450),
  ];
  for (const id of [...ids, ...fc.sample(anyId, 30)]) {
    const refs = [checkpointRef("main", id), rescueRef(id, id)];
    for (const ref of refs) {
      await runAs(scratch.ports, { cwd: scratch.top, env: scratch.env }, ["check-ref-format", ref]);
      expect(Math.max(...ref.split("/").map((piece) => `${piece}.lock`.length))).toBeLessThan(256);
    }
  }
});

test("an encoded id stays readable where possible", () => {
  expect(checkpointRef("main", "T-1_b")).toBe("refs/looper/checkpoint/main/T-1_b");
  expect(checkpointRef("main", "T1.2")).toBe("refs/looper/checkpoint/main/T1%2E2");
  expect(pendingRef("linked-x")).toBe("refs/looper/pending/linked-x");
});

test("the task and the number of an attempt can be read back from the name of its record", () => {
  fc.assert(
    fc.property(anyId, fc.nat(), (id, number) => {
      const ref = attemptRef("run", id, number);
      expect(attemptOf("run", ref)).toEqual({ task: id, number });
    }),
  );
  expect(attemptOf("run", startRef("run")).number).toBeUndefined();
});
