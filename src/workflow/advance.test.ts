import { expect, test } from "vitest";
import {
  collectFacts,
  explainOver,
  fillQuestion,
  findShownStage,
  findTarget,
  findWayBack,
  isDropped,
  leadOn,
  listOwnOutcomes,
  MOST_VISITS,
  type WorkflowPlace,
} from "./advance.js";
import { type Stage, Workflow } from "./workflow.js";
import { readFileSync } from "node:fs";
import type { Progress } from "./progress.js";

const SKIP_NOTHING: string[] = [];

const work = (next: Stage["next"], more: object = {}): unknown => ({
  kind: "work",
  prompt: "do",
  next,
  ...more,
});
const analyze = (next: Stage["next"], more: object = {}): unknown => ({
  kind: "analyze",
  prompt: "look",
  next,
  ...more,
});
const make = (stages: Record<string, unknown>, more: object = {}): Workflow =>
  Workflow.parse({ workflow: 1, name: "mine", start: Object.keys(stages)[0], stages, ...more });

/** A pair that alternates until the review finds nothing. */
const PAIR = make({
  implement: work({ done: "review" }),
  review: analyze({ complete: "finish", changes: "implement" }),
});
const at = (stage: string, more: Partial<WorkflowPlace> = {}): WorkflowPlace => ({
  stage,
  visit: 1,
  ...more,
});
const to = (place: WorkflowPlace, outcome: string, workflow = PAIR): string | undefined =>
  leadOn(workflow, place, outcome, SKIP_NOTHING)?.to;

// The names of checklist row R4-61.
test("starting: a task that enters its workflow is at its first stage, and what --skip names is passed", () => {
  const planned = make({ clarify: analyze({ clear: "plan" }), plan: analyze({ done: "finish" }) });
  const led = leadOn(planned, at("clarify"), "clear", ["plan"]);
  expect(led).toEqual({
    to: "finish",
    passed: [{ stage: "plan", outcome: "done", skipped: "skip" }],
    reasons: [],
  });
});

test("completion: a review that is complete leads to finish", () => {
  expect(to(at("review"), "complete")).toBe("finish");
});

test("chain: implementation leads to review", () => {
  expect(to(at("implement"), "done")).toBe("review");
});

test("chain: a review that wants changes leads to implementation", () => {
  expect(to(at("review"), "changes")).toBe("implement");
});

test("error: a failed attempt leads to the same stage, and one that is exhausted to block", () => {
  expect(to(at("implement"), "failed")).toBe("implement");
  expect(to(at("implement"), "exhausted")).toBe("block");
  expect(to(at("implement"), "blocked")).toBe("block");
});

test("validation: an outcome that the stage does not declare leads nowhere", () => {
  expect(to(at("implement"), "complete")).toBeUndefined();
  expect(to(at("review"), "")).toBeUndefined();
});

test("limit: after 25 visits a task leads to block, with the reason visits", () => {
  const last = leadOn(PAIR, at("review", { visit: MOST_VISITS }), "changes", SKIP_NOTHING);
  expect(last?.to).toBe("block");
  expect(last?.reasons[0]).toMatch(/^visits: 25 /);
  expect(to(at("review", { visit: MOST_VISITS }), "complete")).toBe("finish");
  expect(to(at("review", { visit: MOST_VISITS - 1 }), "changes")).toBe("implement");
});

test("a stage that maps an outcome of the runner leads there, and may drop its changes", () => {
  const tidy = make({
    do: work({ done: "tidy" }),
    tidy: work({ done: "finish", exhausted: { to: "finish", discard: true }, blocked: "do" }),
  });
  expect(leadOn(tidy, at("tidy"), "exhausted", SKIP_NOTHING)).toMatchObject({ to: "finish", discard: true });
  expect(to(at("tidy"), "blocked", tidy)).toBe("do");
});

test("a check that fails leads to block, unless it says where", () => {
  const bare = make({ lint: { kind: "check", commands: ["lint"], next: { passed: "finish" } } });
  expect(to(at("lint"), "failed", bare)).toBe("block");
  expect(listOwnOutcomes(bare.stages["lint"] ?? neverThere())).toEqual(["passed", "failed"]);
});

test("work that the gate rejects at finish goes back to the last work stage that the task was in", () => {
  expect(findTarget(PAIR, { stage: "finish", visits: { implement: 2 } }, "gate_failed")?.to).toBe(
    "implement",
  );
  expect(findTarget(PAIR, { stage: "finish", visits: {} }, "gate_failed")?.to).toBe("block");
});

test("work that no longer fits the branch begins again at the first work stage that the task was in", () => {
  const two = make({
    plan: analyze({ done: "create" }),
    spare: work({ done: "create" }),
    create: work({ done: "modify" }),
    modify: work({ done: "finish" }),
  });
  const visits = { plan: 1, create: 1, modify: 1 };
  expect(findTarget(two, { stage: "finish", visits }, "conflict")?.to).toBe("create");
  expect(findTarget(two, { stage: "modify", visits }, "conflict")?.to).toBe("create");
  expect(findTarget(two, { stage: "finish", visits }, "gate_failed")?.to).toBe("modify");
  expect(findTarget(two, { stage: "finish", visits: { plan: 1 } }, "conflict")?.to).toBe("block");
});

test("a stage whose when does not hold is passed with the outcome of else", () => {
  const risky = make({
    plan: analyze({ done: "sure" }),
    sure: {
      ...{ kind: "ask", question: "Really?", when: { "plan.risk": ["high"] }, else: "yes" },
      next: { yes: "finish", no: "block" },
    },
  });
  const led = (risk?: string) =>
    leadOn(
      risky,
      at("plan", { facts: risk === undefined ? {} : { "plan.risk": risk } }),
      "done",
      SKIP_NOTHING,
    );
  expect(led("high")?.to).toBe("sure");
  expect(led("low")).toMatchObject({
    to: "finish",
    passed: [{ stage: "sure", outcome: "yes", skipped: "when" }],
  });
  expect(led()?.to).toBe("finish");
  expect(collectFacts(risky, "plan", { risk: "high", other: 1, deep: {} })).toEqual({ risk: "high" });
});

test("passed stages that lead back to themselves give the task up, with the reason", () => {
  const ring = make({
    a: analyze({ done: "b" }),
    b: analyze({ done: "c" }),
    c: analyze({ done: "b", over: "finish" }),
  });
  const led = leadOn(ring, at("a"), "done", ["b", "c"]);
  expect(led?.to).toBe("block");
  expect(led?.reasons[0]).toContain("lead back to b");
});

test.each<[string, object, Partial<WorkflowPlace>, RegExp]>([
  ["visits of the stage", { visits: 2 }, { visits: { implement: 2 } }, /^visits: implement/],
  ["tokens", { tokens: 100 }, { spent: { implement: { tokens: 100, duration_ms: 0 } } }, /^tokens/],
  ["cost", { cost_usd: 1 }, { spent: { implement: { tokens: 0, cost_usd: 1.5, duration_ms: 0 } } }, /^cost/],
  [
    "duration",
    { duration: "30m" },
    { spent: { implement: { tokens: 0, duration_ms: 1_800_000 } } },
    /^duration/,
  ],
])("a stage whose limit of %s is spent is not entered", (_name, limits, place, why) => {
  const limited = make({
    implement: work({ done: "review" }, { limits }),
    review: analyze({ complete: "finish", changes: "implement" }),
  });
  expect(explainOver(limited, at("review"), "implement")).toBeUndefined();
  expect(explainOver(limited, at("review", place), "implement")?.why).toMatch(why);
  expect(to(at("review", place), "changes", limited)).toBe("block");
});

test("over_limit leads where the stage says, but a workflow that is over its own limit only to an end", () => {
  const limits = { visits: 1 };
  const stages = {
    implement: work({ done: "review", over_limit: "report" }, { limits }),
    review: analyze({ complete: "finish", changes: "implement" }),
    report: analyze({ done: "finish" }),
  };
  const place = at("review", { visits: { implement: 1 } });
  expect(to(place, "changes", make(stages))).toBe("report");
  expect(to({ ...place, visit: 9 }, "changes", make(stages, { limits: { visits: 9 } }))).toBe("block");
});

test("an ask stage that shows a diff shows the changes of the work stage that leads to it", () => {
  const staged = make({
    create: work({ done: "created" }),
    created: { kind: "ask", question: "Keep?", shows: "diff", next: { yes: "modify", no: "create" } },
    modify: work({ done: "finish" }),
  });
  expect(findShownStage(staged, "created", { visits: { create: 1, modify: 1 } })).toBe("create");
});

function neverThere(): never {
  throw new Error("the stage is there");
}

test("the way back of a review is the outcome from which it comes again; the end of its work is not", () => {
  expect(findWayBack(PAIR, "review")).toEqual({ back: "changes", through: ["complete"] });
  const asked = make({
    fix: work({ done: "look" }),
    look: analyze({ found: "fix", hopeless: "block", clean: "commit" }),
    commit: { kind: "ask", question: "Commit?", next: { yes: "finish", no: "fix" } },
  });
  expect(findWayBack(asked, "look")).toEqual({ back: "found", through: ["clean"] });
  expect(findWayBack(asked, "fix")).toBeUndefined();
  const audit = make({ audit: analyze({ done: "fix" }), fix: work({ done: "finish" }) });
  expect(findWayBack(audit, "audit")).toBeUndefined();
});

test("a pair that does not end asks; the answer there leads past the limit, once for each answer", () => {
  const pair = make({
    implement: work({ done: "review", over_limit: "decide" }, { limits: { visits: 4 } }),
    review: analyze({ complete: "finish", changes: "implement" }),
    decide: { kind: "ask", question: "left?", next: { accept: "finish", continue: "implement" } },
  });
  const spent = { visits: { implement: 4, review: 4 }, visit: 8 };
  expect(to(at("review", spent), "changes", pair)).toBe("decide");
  expect(to(at("decide", spent), "continue", pair)).toBe("implement");
  expect(to(at("review", { ...spent, visits: { implement: 5 } }), "changes", pair)).toBe("decide");
  // Of work that no longer fits the branch nothing is left that could be accepted.
  expect(to(at("finish", { ...spent, visit: 9 }), "conflict", pair)).toBe("implement");
  expect(to(at("finish", { ...spent, visit: 25 }), "conflict", pair)).toBe("block");
});

test("a question names facts of an output; of a list, how long it is", () => {
  const asks = make({
    review: analyze({ changes: "decide", complete: "finish" }),
    decide: { kind: "ask", question: "{{review.findings}} left, {{review.risk}}", next: { yes: "finish" } },
  });
  const facts = collectFacts(asks, "review", { findings: [{}, {}], other: 1 });
  expect(facts).toEqual({ findings: 2 });
  expect(fillQuestion("{{review.findings}} left, {{review.risk}}", { "review.findings": 2 })).toBe(
    "2 left, some",
  );
});

const shipped = (name: string) =>
  Workflow.parse(
    JSON.parse(readFileSync(new URL(`../../workflows/${name}.json`, import.meta.url), "utf8")) as unknown,
  );
const by = { by: "ada", via: "cli" as const, at: "2026-11-24T08:00:00.000Z" };
const rejected: Pick<Progress, "answers" | "visits"> = {
  visits: { plan: 1, create: 2, modify: 1 },
  answers: [{ question: "T1.4", stage: "created", outcome: "reject", ...by }],
};

test("the visits before a question whose answer drops the shown stage are dropped, and no others", () => {
  const staged = shipped("staged-review");
  expect(isDropped(staged, rejected, { stage: "create", visit: 3, outcome: "done" })).toBe(true);
  expect(isDropped(staged, rejected, { stage: "create", visit: 5, outcome: "done" })).toBe(false);
  expect(isDropped(staged, rejected, { stage: "plan", visit: 1, outcome: "done" })).toBe(false);
  const approved = { answers: [{ question: "T1.4", stage: "created", outcome: "approve", ...by }] };
  expect(isDropped(staged, approved, { stage: "create", visit: 3, outcome: "done" })).toBe(false);
  expect(isDropped(staged, {}, { stage: "create", visit: 3 })).toBe(false);
});

test("a work stage that drops its own changes is dropped by its outcome", () => {
  const tdd = shipped("tdd");
  expect(isDropped(tdd, {}, { stage: "refactor", visit: 6, outcome: "exhausted" })).toBe(true);
  expect(isDropped(tdd, {}, { stage: "refactor", visit: 6, outcome: "done" })).toBe(false);
});
