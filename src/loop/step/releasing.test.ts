import { describe, expect, test } from "vitest";
import type { StepEvent } from "../../logging/events/events.js";
import type { ReleaseRules } from "../../logging/rules.js";
import { START, step } from "./step.js";
import type { RunState } from "./state.js";
import { RULES } from "../testing/world/sim.js";
import type { Next } from "./decision.js";

const ORDER: ReleaseRules = {
  from: "1.2.0",
  checks: true,
  answers: "yes",
  branch: "main",
  remote: { name: "origin", url: "/r.git", branch: "main" },
  github: "a/b",
};
const job = { job: 1, iteration: 1, phase: "push" as const, agent: "fake", attempt: 1 };

/** A release in progress. Each event moves it on to its next effect: a `kind`, the `what` of a step, or the ending. */
class Walk {
  state: RunState = START;
  next: Next | undefined;
  #seq = 0;

  constructor(order: Partial<ReleaseRules> = {}) {
    const release = { ...ORDER, ...order };
    this.take({
      type: "run_started",
      run: "r",
      version: "0",
      project: "/p",
      todo_file: "/p/to-do.json",
      rules: { ...RULES, agent: "fake", release },
      agents: [],
      git: true,
      warnings: [],
    });
    this.take({ type: "recovered", killed: 0, left: [], locks_removed: [] });
  }

  take(event: StepEvent): this {
    this.next = step(this.state, { ...event, seq: ++this.#seq, timestamp: "2026-01-01T00:00:00.000Z" });
    this.state = this.next.state;
    return this;
  }

  /** The last decision. */
  get wants(): string {
    return (this.next?.effects ?? [])
      .map((effect) => {
        if (effect.kind === "release") return effect.what;
        if (effect.kind === "finish")
          return `end: ${[effect.ending, effect.message].filter(Boolean).join(", ")}`;
        return effect.kind;
      })
      .join(" ");
  }

  step(
    what: Extract<StepEvent, { type: "release_step" }>["what"],
    more: Partial<Extract<StepEvent, { type: "release_step" }>> = {},
  ): this {
    return this.take({ type: "release_step", ...job, what, outcome: "ok", problems: [], ...more });
  }

  fails(what: Extract<StepEvent, { type: "release_step" }>["what"], message = "no"): this {
    return this.step(what, { outcome: "failed", problems: [{ check: what, message }] });
  }

  checkpoint(): this {
    return this.take({ type: "checkpoint", ...job, reused: false, dirty: 0 });
  }

  agent(): this {
    return this.take({ type: "agent_finished", ...job, outcome: "ok", duration_ms: 1 });
  }

  snapshot(head: "same" | "put-back" | "moved" = "same"): this {
    return this.take({
      type: "snapshot",
      ...job,
      changed: 1,
      head,
      warnings: [],
      ...(head === "moved" ? { why: "it pushed" } : {}),
    });
  }

  judged(strange: string[] = []): this {
    return this.step("judge", { version: "1.3.0", tag: "v1.3.0", notes: "n", strange });
  }

  restored(): this {
    return this.take({ type: "restored", ...job, paths: [] });
  }

  answer(yes: boolean): this {
    return this.take({ type: "answered", yes });
  }

  signal(signal: "SIGINT" | "SIGTERM" | "SIGHUP" = "SIGINT"): this {
    return this.take({ type: "run_interrupted", signal, terminal: false });
  }
}

const made = (order: Partial<ReleaseRules> = {}) =>
  new Walk(order)
    .checkpoint()
    .step("before")
    .agent()
    .snapshot()
    .judged()
    .step("after")
    .step("make", { commit: "c0ffee" });

test("a release goes through all its steps if the user agrees to each", () => {
  const walk = new Walk();
  const wants = [walk.wants];
  const note = () => wants.push(walk.wants);
  for (const go of [
    () => walk.checkpoint(),
    () => walk.step("before"),
    () => walk.agent(),
    () => walk.snapshot("put-back"),
    () => walk.judged(),
    () => walk.step("after"),
    () => walk.step("make", { commit: "c0ffee" }),
    () => walk.step("push"),
    () => walk.step("publish", { url: "https://x" }),
  ]) {
    go();
    note();
  }
  expect(wants).toEqual([
    "checkpoint",
    "before",
    "run-agent",
    "snapshot",
    "judge",
    "after",
    "make",
    "push",
    "publish",
    "end: complete",
  ]);
});

describe("a failure before the release is made restores the tree", () => {
  test.each<[string, (walk: Walk) => Walk, string]>([
    ["red before", (walk) => walk.fails("before"), "end: blocked, no"],
    [
      "the agent",
      (walk) =>
        walk.step("before").take({
          type: "agent_finished",
          ...job,
          outcome: "failed",
          reason: "exited",
          evidence: "exit 3",
          duration_ms: 1,
        }),
      "end: blocked, fake: exit 3",
    ],
    [
      "an agent that is not signed in",
      (walk) =>
        walk.step("before").take({
          type: "agent_finished",
          ...job,
          outcome: "failed",
          reason: "not-signed-in",
          evidence: "who?",
          duration_ms: 1,
        }),
      "end: environment, fake: who?",
    ],
    [
      "a branch that was moved",
      (walk) => walk.step("before").agent().snapshot("moved"),
      "end: blocked, it pushed",
    ],
    ["the judgement", (walk) => walk.step("before").agent().snapshot().fails("judge"), "end: blocked, no"],
    [
      "strange files, and -y",
      (walk) => walk.step("before").agent().snapshot().judged(["main.js"]),
      "end: blocked, the agent changed files that are not part of a release: main.js",
    ],
    [
      "red after",
      (walk) => walk.step("before").agent().snapshot().judged().fails("after"),
      "end: blocked, no",
    ],
    [
      "a commit that cannot be made",
      (walk) =>
        walk
          .step("before")
          .agent()
          .snapshot()
          .judged()
          .step("after")
          .take({ type: "effect_failed", ...job, effect: "release", error: "disk full" }),
      "end: environment, disk full",
    ],
  ])("%s", (_, go, end) => {
    const walk = go(new Walk().checkpoint());
    expect(walk.wants).toBe("restore");
    expect(walk.restored().wants).toBe(end);
  });
});

describe("the user is asked", () => {
  test("before each step that leaves the machine; a no ends the release there", () => {
    expect(made({ answers: "person" }).wants).toBe("ask");
    expect(made({ answers: "person" }).answer(false).wants).toBe("end: blocked, not pushed: you declined");
    const pushed = made({ answers: "person" }).answer(true);
    expect(pushed.wants).toBe("push");
    expect(pushed.step("push").wants).toBe("ask");
    expect(pushed.answer(false).wants).toBe("end: complete");
  });

  test("about files that are not part of a release", () => {
    const strange = () =>
      new Walk({ answers: "person" }).checkpoint().step("before").agent().snapshot().judged(["main.js"]);
    expect(strange().wants).toBe("ask");
    expect(strange().answer(true).wants).toBe("after");
    expect(strange().answer(false).wants).toBe("restore");
  });

  test("if no check is configured", () => {
    expect(new Walk({ answers: "person", checks: false }).wants).toBe("ask");
    expect(new Walk({ answers: "person", checks: false }).answer(false).wants).toBe(
      "end: blocked, nothing was started",
    );
    const agreed = new Walk({ answers: "person", checks: false }).answer(true);
    expect(agreed.wants).toBe("checkpoint");
    expect(agreed.checkpoint().wants).toBe("run-agent");
    expect(agreed.agent().snapshot().judged().wants).toBe("make");
  });
});

test("a release without a terminal is made and not pushed", () => {
  expect(made({ answers: "nobody" }).wants).toBe("end: blocked, not pushed: confirmation needed. Pass -y");
});

test("a release without a remote is only made, and one without GitHub is only pushed", () => {
  expect(made({ remote: undefined, github: undefined }).wants).toBe("end: complete");
  expect(made({ github: undefined }).step("push").wants).toBe("end: complete");
});

test("a release that cannot be pushed stays made", () => {
  expect(made().fails("push", "rejected").wants).toBe("end: blocked, rejected");
  expect(made().step("push").fails("publish", "502").wants).toBe("end: blocked, 502");
});

test("a release that was made before continues where it stopped", () => {
  const before = { version: "1.3.0", tag: "v1.3.0", commit: "c0ffee" };
  expect(new Walk({ made: { ...before, tagged: false, pushed: false } }).wants).toBe("make");
  expect(new Walk({ made: { ...before, tagged: true, pushed: false } }).wants).toBe("push");
  expect(new Walk({ made: { ...before, tagged: true, pushed: true } }).wants).toBe("publish");
});

describe("Ctrl-C", () => {
  test("stops the agent at once, and restores the tree", () => {
    const walk = new Walk().checkpoint().step("before").signal();
    expect(walk.wants).toBe("stop");
    walk.take({
      type: "agent_finished",
      ...job,
      outcome: "failed",
      reason: "interrupted",
      evidence: "stopped",
      duration_ms: 1,
    });
    expect(walk.wants).toBe("restore");
    expect(walk.restored().wants).toBe("end: interrupted");
  });

  test("ends the release while the checks run, while it is judged, and while the user is asked", () => {
    const checking = new Walk().checkpoint().signal();
    expect(checking.wants).toBe("stop");
    expect(checking.step("before", { outcome: "interrupted" }).wants).toBe("restore");
    const judging = new Walk().checkpoint().step("before").agent().snapshot().signal();
    expect(judging.wants).toBe("");
    expect(judging.judged().wants).toBe("restore");
    const asking = made({ answers: "person" }).signal();
    expect(asking.wants).toBe("end: interrupted");
    expect(asking.answer(true).wants).toBe("");
  });

  test("lets a release that is being made finish, and does not push it", () => {
    const walk = new Walk().checkpoint().step("before").agent().snapshot().judged().step("after").signal();
    expect(walk.wants).toBe("");
    expect(walk.step("make", { commit: "c0ffee" }).wants).toBe("end: interrupted");
  });

  test("ends everything at once the third time, and ignores later events", () => {
    const walk = new Walk().checkpoint().step("before").signal().signal().signal();
    expect(walk.wants).toBe("stop end: interrupted");
    expect(walk.agent().wants).toBe("");
  });

  test("does not come from a hangup without a terminal", () => {
    expect(new Walk().checkpoint().step("before").signal("SIGHUP").wants).toBe("");
  });
});
