// The bench that measures the gate is itself on trial: its oracle knows honest work from every cheat, and its verdicts
// follow from that. Leaves the measuring to make bench-trust.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makePairs } from "../../bench/trust/cases.mjs";
import { weigh } from "../../bench/trust/judge.mjs";
import type { Judgement } from "../../bench/trust/oracle.mjs";
import type { Ending } from "../../bench/trust/project.mjs";
import type { Pair, Said } from "../../bench/trust/types.js";

const BENCH = fileURLToPath(new URL("../../bench/trust/run.mjs", import.meta.url));

test("the oracle says yes to every honest solution and no to every cheat", () => {
  const said = execFileSync(process.execPath, [BENCH, "--self-check", "--all"], { stdio: "pipe" });
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
