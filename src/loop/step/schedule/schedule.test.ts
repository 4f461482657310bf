import { expect, test } from "vitest";
import type { Rules } from "../../../logging/rules.js";
import { createSim } from "../../testing/world/sim.js";
import { chooseAgentOf } from "../job/start-stage.js";
import { canContinueWithout, choosePhaseAgent } from "./schedule.js";
import type { JobKind } from "../state.js";

function rules(said: Partial<Rules>): Rules {
  return createSim({ rows: [], commits: [], checkpoints: [] }, said).rules;
}

function chosen(
  said: Partial<Rules>,
  phase: JobKind,
  now: { iteration?: number; without?: string[]; wanted?: string } = {},
): string | undefined {
  const { iteration = 1, without = [], wanted } = now;
  const frame = { rules: rules(said), dropped: new Set(without), backoffs: new Map() };
  const order = { position: { kind: "default" }, next: { route: "attempt" }, at: 0 } as const;
  const choice =
    phase === "iteration"
      ? chooseAgentOf({ ...frame, iterations: iteration - 1 }, { agent: wanted }, order).choice
      : choosePhaseAgent(frame, phase, 0);
  return choice !== undefined && "agent" in choice ? choice.agent : undefined;
}

test("iteration n takes entry n - 1 of the schedule in a circle, and any other phase takes the first", () => {
  const schedule = ["a", "b", "c"];
  const taken = [1, 2, 3, 4, 7].map((iteration) => chosen({ schedule }, "iteration", { iteration }));
  expect(taken).toEqual(["a", "b", "c", "a", "a"]);
  for (const phase of ["review", "bootstrap", "repair"] as const)
    expect(chosen({ schedule }, phase, { iteration: 2 })).toBe("a");
});

test("an agent named by the flag, the task or the role comes before the schedule", () => {
  const all = { schedule: ["s"], agent: "flag", roles: { iteration: "role", review: "reviewer" } };
  const { agent, ...unflagged } = all;
  expect(agent).toBe("flag");
  expect(chosen(all, "iteration", { wanted: "own" })).toBe("flag");
  expect(chosen(all, "review")).toBe("flag");
  expect(chosen(unflagged, "iteration", { wanted: "own" })).toBe("own");
  expect(chosen(unflagged, "iteration")).toBe("role");
  expect(chosen(unflagged, "review", { wanted: "own" })).toBe("reviewer");
  expect(chosen(unflagged, "repair")).toBe("s");
});

test("dropped agents are skipped until none is left", () => {
  const schedule = ["a", "b", "a"];
  expect(chosen({ schedule, roles: { review: "v" } }, "review", { without: ["v"] })).toBe("a");
  expect(chosen({ schedule, agent: "f" }, "iteration", { without: ["f"] })).toBe("a");
  expect(chosen({ schedule }, "iteration", { wanted: "own", without: ["own"] })).toBe("a");
  expect(
    [1, 2, 3].map((iteration) => chosen({ schedule }, "iteration", { iteration, without: ["a"] })),
  ).toEqual(["b", "b", "b"]);
  expect(chosen({ schedule }, "iteration", { without: ["a", "b"] })).toBeUndefined();
});

test("a run continues without an agent if the schedule has another and no flag named one", () => {
  const schedule = ["a", "b"];
  expect(canContinueWithout(rules({ schedule }), new Set(["a"]))).toBe(true);
  expect(canContinueWithout(rules({ schedule }), new Set(["a", "b"]))).toBe(false);
  expect(canContinueWithout(rules({ schedule, agent: "f" }), new Set(["a"]))).toBe(false);
});
