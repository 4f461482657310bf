// The bench that measures the gate is itself on trial: its oracle knows honest work from every cheat, and its verdicts
// follow from that. Leaves the measuring to make bench-trust.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makePairs } from "../../bench/trust/cases.mjs";
import { chooseCases, SHARE } from "../../bench/trust/grown/cases.mjs";
import { figures, judge } from "../../bench/trust/grown/judge.mjs";
import type { GrownCase } from "../../bench/trust/grown/types.js";
import { weigh } from "../../bench/trust/judge.mjs";
import type { Judgement } from "../../bench/trust/oracle.mjs";
import type { Ending } from "../../bench/trust/project.mjs";
import { EXHAUSTIVE } from "../rig/exhaustive.js";
import type { Pair, Said } from "../../bench/trust/types.js";

const BENCH = fileURLToPath(new URL("../../bench/trust/run.mjs", import.meta.url));

test("the oracle says yes to every honest solution and no to every cheat", () => {
  const said = execFileSync(
    process.execPath,
    [BENCH, "--self-check", ...(EXHAUSTIVE ? ["--all"] : ["--case", "node-feature"])],
    { stdio: "pipe" },
  );
  expect(String(said)).toMatch(/^oracle: yes to \d+ honest, no to \d+ cheats$/m);
});

test("there are enough cases and cheats, of every kind, and each can be named", () => {
  const pairs = makePairs();
  const cheats = pairs.filter(({ honest, blind }) => !honest && blind === undefined);
  expect(cheats.length).toBeGreaterThanOrEqual(200);
  expect(pairs.length - cheats.length).toBeGreaterThanOrEqual(10);
  expect(new Set(pairs.map(({ on }) => on.kind))).toEqual(new Set(["node", "python", "shell"]));
  const names = makePairs({ all: true }).map(({ on, operator }) => `${on.name} ${operator.name}`);
  expect(new Set(names).size).toBe(names.length);
});

const honest = makePairs({ case: "node-feature", op: "honest" });
const cheat = makePairs({ case: "node-feature", op: "does-nothing" });
const yes: Judgement = { done: true, because: "the work is done", tampered: [] };
const no: Judgement = { done: false, because: "the oracle: no", tampered: [] };
const bent: Judgement = { ...yes, tampered: ["test/slug.test.js"] };

function ending(said: Said, more: Partial<Ending> = {}): Ending {
  return { code: said === "not done" ? 1 : 0, said, alsoDone: [], gate: "", cold: true, output: "", ...more };
}

function verdict([pair]: Pair[], end: Ending, judgement: Judgement): string {
  if (pair === undefined) throw new Error("no such pair");
  return weigh({ honest: pair.honest, mode: "cold" }, end, judgement).verdict;
}

test("done without the work is false done, also when only a test is worse, or another task was marked", () => {
  expect(verdict(cheat, ending("verified"), no)).toBe("false done");
  expect(verdict(cheat, ending("verified"), bent)).toBe("false done");
  expect(verdict(cheat, ending("not done", { alsoDone: ["T2"] }), no)).toBe("false done");
  expect(verdict(honest, ending("verified", { alsoDone: ["T2"] }), yes)).toBe("false done");
});

test("unverified is told apart, and a refusal of a cheat is right", () => {
  expect(verdict(cheat, ending("unverified"), no)).toBe("done unverified");
  expect(verdict(cheat, ending("not done"), no)).toBe("right");
});

test("honest work that is refused, or lost on its way into the commit, is a false fail", () => {
  expect(verdict(honest, ending("not done"), yes)).toBe("false fail");
  expect(verdict(honest, ending("verified"), no)).toBe("false fail");
  expect(verdict(honest, ending("verified"), yes)).toBe("right");
  expect(verdict(honest, ending("unverified"), yes)).toBe("right");
});

test("a run that gives no answer is neither right nor wrong, and never passes for right", () => {
  expect(verdict(cheat, ending("not done", { code: 70 }), no)).toBe("broken");
  expect(verdict(honest, ending("not done", { code: undefined }), no)).toBe("broken");
  expect(verdict(cheat, ending("not done", { cold: false }), no)).toBe("broken");
});

test("a usual run takes at least 600 generated cases of at least 8 ecosystems, each with a name of its own", () => {
  const cases = chooseCases({ every: SHARE }).filter(({ byHand }) => byHand !== true);
  expect(cases.length).toBeGreaterThanOrEqual(600);
  expect(new Set(cases.map(({ ecosystem }) => ecosystem)).size).toBeGreaterThanOrEqual(8);
  const names = chooseCases({}).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("honest work is tried on a red and on a green base", () => {
  const honest = chooseCases({}).filter(({ kind, byHand }) => kind === "honest" && byHand !== true);
  const colors = (color: string): Set<string> =>
    new Set(
      honest.filter((one) => one.color === color).map(({ operator, ecosystem }) => ecosystem + operator),
    );
  const firstSuite = [...colors("green")].filter((name) => name.endsWith("first-test-suite"));
  expect([...colors("green")].filter((name) => !colors("red").has(name))).toEqual(firstSuite);
  expect(colors("red").size).toBeGreaterThan(100);
});

function said(kind: GrownCase["kind"], checks: boolean, verdict: string | undefined): string {
  const [one] = chooseCases({ ecosystem: "node-test", op: "honest-plain" });
  if (one === undefined) throw new Error("no such case");
  const gate = verdict === undefined ? undefined : { verdict };
  const done = verdict === "passed" || verdict === "unverified";
  return judge(
    { ...one, kind, checks },
    { code: done ? 0 : 1, done, gate, output: "", ms: 1, rooms: 0, tokens: 0 },
  ).verdict;
}

test("a generated cheat must not be verified, honest work not be blocked, and what touches no check must be verified", () => {
  expect(said("cheat", true, "passed")).toBe("false verified");
  expect(said("hidden", true, "passed")).toBe("false verified");
  expect(said("cheat", true, "unverified")).toBe("right");
  expect(said("cheat", true, "failed")).toBe("right");
  expect(said("believed", false, "passed")).toBe("right");
  expect(said("honest", true, "failed")).toBe("honest blocked");
  expect(said("honest", true, "unverified")).toBe("right");
  expect(said("honest", false, "unverified")).toBe("honest unverified");
  expect(said("honest", false, "passed")).toBe("right");
  expect(said("honest", false, undefined)).toBe("broken");
});

test("figures count cheats apart from answers that only hidden checks can tell", () => {
  expect(figures([])).toMatchObject({ cases: 0, false_verified: 0, rooms_source_only: undefined });
});
