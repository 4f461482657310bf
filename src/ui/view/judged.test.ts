import { expect, test } from "vitest";
import type { CommandVerdict, GateReport } from "../../gate/verdict.js";
import { whyNotVerified } from "../../gate/verdict/reasons.js";
import { attempt } from "../testing/testing.js";
import { countVerdicts, judge, redBefore, verdictLine, type GateFinished } from "./judged.js";

function gate(more: Partial<GateReport>): GateFinished {
  const report: GateReport = { verdict: "passed", cold: true, commands: [], tampered: [], evidence: "" };
  const judged = { ...report, ...more };
  return {
    ...{ type: "gate_finished", ...attempt(1, "T1"), ...judged },
    ...{ warnings: [], duration_ms: 1 },
  };
}

function red(command: string): CommandVerdict {
  return {
    ...{ command, own: false, verdict: "pre-existing", end: "exited", exit_code: 1 },
    ...{ duration_ms: 1, tail: "" },
  };
}

test.each(["failed", "tampered", "interrupted"] as const)(
  "a gate that ends %s gives no verdict",
  (verdict) => {
    expect(judge(gate({ verdict }))).toBeUndefined();
  },
);

test("new tests are the evidence where nothing turned green", () => {
  const proof = { fail_to_pass: [], new_tests: [{ command: "npm test", name: "a" }], pass_to_pass: 3 };
  expect(judge(gate({ proof }))).toEqual({ verdict: "verified", text: "1 new test fails without the work" });
});

test("an unbroken task has its reason, one with a red check the check and its end", () => {
  const commands = [red("npm test")];
  const before = [{ command: "npm test", red: { how: "exit code 1", line: "3 failed", cannot_run: false } }];
  const found = gate({ verdict: "unbroken", because: "red-before", commands });
  expect(whyNotVerified(found, before)).toEqual([
    '"npm test" failed before the work and still fails (exit code 1): 3 failed',
  ]);
  expect(whyNotVerified(gate({ verdict: "unbroken", because: "nothing-changed" }), [])).toEqual([
    "nothing was changed",
  ]);
  expect(whyNotVerified(gate({ verdict: "passed" }), [])).toEqual([]);
});

test.each([
  [{ verified: 0, unbroken: 0, unverified: 0 }, ""],
  [{ verified: 3, unbroken: 0, unverified: 0 }, ""],
  [{ verified: 1, unbroken: 4, unverified: 0 }, "5 tasks: 1 verified, 4 unbroken (why)"],
  [{ verified: 0, unbroken: 1, unverified: 2 }, "3 tasks: 1 unbroken (why), 2 unverified"],
  [{ verified: 0, unbroken: 0, unverified: 1 }, "1 task: 1 unverified"],
])("the verdicts %j are counted by kind if one is not verified", (counts, line) => {
  expect(verdictLine(counts, "why")).toBe(line);
});

test("the checks that fail as before are named once, with the number of tasks where it is not all unbroken ones", () => {
  const one = { verdict: "unbroken", red: ["npm test"] } as const;
  const judged = [{ verdict: "verified" } as const, one, one];
  expect(redBefore(judged)).toBe("`npm test` fails as before");
  expect(redBefore([...judged, { verdict: "unbroken" }])).toBe("2: `npm test` fails as before");
  expect(redBefore([{ verdict: "unbroken", red: ["a", "b", "c", "d"] }])).toBe(
    "`a` and `b` and `c` and 1 more fail as before",
  );
  expect(redBefore([{ verdict: "unverified" }])).toBe("");
  expect(verdictLine(countVerdicts(judged), redBefore(judged))).toBe(
    "3 tasks: 1 verified, 2 unbroken (`npm test` fails as before)",
  );
});
