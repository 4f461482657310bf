import fc from "fast-check";
import { expect, test } from "vitest";
import { judge } from "./compare.js";
import { bare, killed, order, run, timedOut, type Tests } from "../testing/testing.js";
import type { Ran, Tampering } from "../verdict.js";

function evidence(
  base: Ran | undefined,
  ran: Ran | Ran[],
  tampered: Tampering[] = [],
  strict = false,
): string {
  const all = Array.isArray(ran) ? ran : [ran];
  return judge({ ...order(base, bare(0)), ran: all, tampered, strict }).evidence;
}

const first = (text: string): string | undefined => text.split("\n")[0];

test("an attempt without failures has no evidence", () => {
  expect(evidence(bare(1), bare(1))).toBe("");
  expect(evidence(bare(0), bare(0))).toBe("");
});

test("the evidence of a failed attempt is a line for the blocker, then each failed command", () => {
  const base = run({ a: "passed", b: "passed", c: "failed", d: "passed" });
  const now = run({ a: "failed", b: "failed", c: "failed", d: "passed", e: "failed" });
  expect(
    evidence(base, [now, bare(0, { command: "lint" }), bare(2, { own: true, command: "check it" })]),
  ).toBe(
    `npm test: 2 tests regressed: a, b; 1 test failed, not there before: e; 1 more command failed

Command: npm test
End: exit code 1
Regressed (passed before):
- a
- b
Failing, and not there before:
- e
Failing as before:
- c
The end of its output:
its output

Command: check it
End: exit code 2
The end of its output:
its output`,
  );
});

test("the first line has the end of a command without test cases", () => {
  expect(first(evidence(bare(0), bare(3)))).toBe("npm test fails now (exit 3); it passed before this task");
  expect(first(evidence(bare(0), bare(killed)))).toBe(
    "npm test fails now (killed by SIGSEGV); it passed before this task",
  );
  expect(first(evidence(bare(0), bare(timedOut)))).toBe(
    "npm test fails now (not done within verify.timeout); it passed before this task",
  );
  expect(first(evidence(bare(0), bare({ how: "not-found", message: "spawn ENOENT" })))).toBe(
    "npm test fails now (not started, spawn ENOENT); it passed before this task",
  );
  expect(first(evidence(bare(0), bare(1, { own: true })))).toBe("npm test fails (exit 1)");
  expect(first(evidence(bare(1), bare(1), [], true))).toBe("npm test fails (exit 1), as before this task");
  const red = run({ a: "failed", b: "passed" });
  expect(first(evidence(red, red, [], true))).toBe("npm test: 1 test failed as before: a");
});

test("the evidence mentions a missing baseline if a command of the project failed", () => {
  const unknown = "The failures before this task are unknown";
  expect(evidence(undefined, bare(1))).toContain(unknown);
  expect(evidence(undefined, [bare(1), bare(1, { own: true })])).toContain(unknown);
  expect(evidence(undefined, bare(1, { own: true }))).not.toContain(unknown);
  expect(evidence(bare(0), bare(1))).not.toContain(unknown);
});

test("the evidence lists the flaky tests of a failed command", () => {
  const base = run({ a: "passed", b: "passed" });
  const again = [run({ a: "passed", b: "failed" })];
  const report = judge(order(base, run({ a: "failed", b: "failed" }), { again }));
  expect(report.evidence).toContain(
    "Regressed (passed before):\n- b\nFailed, then passed when run again:\n- a\n",
  );
});

test("tampering comes first", () => {
  const base = run({ a: "passed", b: "passed" });
  const tampered: Tampering[] = [
    { path: "test/a.test.js", name: "a", what: "weakened", detail: "an assertion\nis gone" },
    { what: "settings", detail: "the test script changed" },
  ];
  expect(evidence(base, run({ a: "passed" }), tampered)).toBe(
    `2 existing checks taken away or weakened: test/a.test.js: a (weakened), tests (settings)

Taken away or weakened:
- test/a.test.js: a: weakened, an assertion is gone
- tests: settings, the test script changed`,
  );
  const both = evidence(base, run({ a: "failed" }), tampered.slice(0, 1));
  expect(first(both)).toBe("1 existing check taken away or weakened: test/a.test.js: a (weakened)");
  expect(both).toContain("Command: npm test\nEnd: exit code 1\nRegressed (passed before):\n- a\n- b\n");
});

test("a long list of names is cut and ends with the number of the others", () => {
  const named = (count: number, status: "passed" | "failed"): Tests =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${100 + n}`, status]));
  const text = evidence(run(named(25, "passed")), run(named(25, "failed")));
  expect(first(text)).toBe("npm test: 25 tests regressed: t100, t101, t102 and 22 more");
  expect(text).toContain("- t119\nand 5 more\n");
  expect(text).not.toContain("t120");
  const three = evidence(run(named(3, "passed")), run(named(3, "failed")));
  expect(first(three)).toBe("npm test: 3 tests regressed: t100, t101, t102");
  const twenty = evidence(run(named(20, "passed")), run(named(20, "failed")));
  expect(twenty).toContain("- t119\nThe end");
});

test("the ends of long outputs share the room that is left", () => {
  const tail = `${"x".repeat(100)}\n`.repeat(81);
  const text = evidence(
    bare(0),
    ["a", "b", "c"].map((command) => bare(1, { command, own: true, tail: `${tail}end of ${command}\n` })),
  );
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
  expect(Buffer.byteLength(text)).toBeGreaterThan(15 * 1024);
  for (const command of ["a", "b", "c"]) expect(text).toContain(`x\nend of ${command}`);
  expect(text.match(/\[… the beginning is left out\]/g)?.length).toBe(3);
});

test("long lists leave room for the end of each command's output", () => {
  const names = Array.from({ length: 20 }, (_, n) => `${n} ${"long name ".repeat(12)}`);
  const failed: Tests = Object.fromEntries(names.map((name) => [name, "failed"]));
  const tail = `${"x".repeat(100)}\n`.repeat(80);
  const text = evidence(
    bare(0),
    ["a", "b", "c"].map((command) =>
      run(failed, 1, { command, own: true, tail: `${tail}end of ${command}\n` }),
    ),
  );
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
  for (const command of ["a", "b", "c"]) expect(text).toContain(`x\nend of ${command}`);
  expect(text.endsWith("end of c")).toBe(true);
});

test("a command without output has no section for it", () => {
  expect(evidence(bare(0), bare(1, { tail: "\n" }))).toBe(
    "npm test fails now (exit 1); it passed before this task\n\nCommand: npm test\nEnd: exit code 1",
  );
});

test("law: the evidence has at most 16 KiB, and its first line at most 500 bytes", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", " "), maxLength: 2000 });
  const command = fc.record({ command: text, tail: text, code: fc.integer({ min: 1, max: 255 }) });
  fc.assert(
    fc.property(
      fc.array(command, { minLength: 1, maxLength: 60 }),
      fc.array(text, { maxLength: 40 }),
      (all, names) => {
        const said = evidence(
          bare(0),
          all.map(({ code, ...more }) => bare(code, { ...more, own: true })),
          names.map((name) => ({ name, what: "deleted", detail: name })),
        );
        expect(Buffer.byteLength(said)).toBeLessThanOrEqual(16 * 1024);
        expect(Buffer.byteLength(first(said) ?? "")).toBeLessThanOrEqual(500);
        expect(said).not.toContain("\ufffd");
        expect(said.split("\n\n").length).toBeGreaterThan(1);
      },
    ),
    { numRuns: 100 },
  );
});
