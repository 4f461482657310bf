// Shapes that logs and baselines hold: a written value is read back whole, and an invalid one is refused.
import { expect, test } from "vitest";
import {
  Baseline,
  CommandVerdict,
  Finding,
  GateReport,
  GateVerdict,
  Ran,
  Tampering,
  TestStatus,
} from "./verdict.js";

const ran: Ran = {
  command: "npm test",
  own: false,
  end: { how: "exited", code: 1 },
  duration_ms: 812.5,
  tail: "1 failed",
  tests: { "math > adds": "passed", "math > divides": "failed", "math > rounds": "skipped" },
};
const verdict: CommandVerdict = {
  command: "npm test",
  own: true,
  verdict: "regressed",
  end: "exited",
  exit_code: 1,
  duration_ms: 812.5,
  tail: "1 failed",
  tests: {
    total: 5,
    regressed: ["math > adds"],
    fixed: ["math > divides"],
    pre_existing: ["math > rounds"],
    new: ["math > powers"],
    flaky: ["math > roots"],
  },
};
const tampering: Tampering = { path: "a.test.ts", name: "math > adds", what: "skipped", detail: "it.skip" };
const report: GateReport = {
  verdict: "tampered",
  cold: true,
  commands: [verdict],
  tampered: [tampering],
  evidence: "math > adds is skipped now",
};

test.each([
  ["a run", Ran, ran],
  ["a baseline", Baseline, { commands: [ran], all: [ran] }],
  ["the verdict on a command", CommandVerdict, verdict],
  ["a tampering", Tampering, tampering],
  ["a report", GateReport, report],
])("%s is read as it was written, and no field of it may be missing", (_, shape, written) => {
  expect(shape.parse(JSON.parse(JSON.stringify(written)))).toEqual(written);
  expect(shape.safeParse({}).success).toBe(false);
});

test.each([
  ["tests of a run", Ran, { ...ran, tests: undefined }],
  ["tests that agents added", Baseline, { commands: [] }],
  ["tests and code of a verdict", CommandVerdict, { ...verdict, tests: undefined, exit_code: undefined }],
  ["path and name of a tampering", Tampering, { what: "settings", detail: "jest.config.js" }],
])("%s may be missing", (_, shape, written) => {
  expect(shape.safeParse(written).success).toBe(true);
});

test.each([
  ["a test", TestStatus, "passed failed skipped", "todo"],
  ["a finding", Finding, "passed fixed flaky pre-existing regressed new", "skipped"],
  ["the end of a command", CommandVerdict.shape.end, "exited killed timed-out not-found", "crashed"],
  ["a tampering", Tampering.shape.what, "deleted skipped weakened settings", "moved"],
  ["the gate", GateVerdict, "passed unverified failed tampered interrupted", "flaky"],
])("the words for %s are a closed list", (_, words, known, unknown) => {
  expect(known.split(" ").filter((word) => !words.safeParse(word).success)).toEqual([]);
  expect(words.safeParse(unknown).success).toBe(false);
  expect(words.safeParse("").success).toBe(false);
});
