import fc from "fast-check";
import { expect, test } from "vitest";
import { checkRules } from "./rules.js";
import { isSound } from "./quick-check.js";
import { backlog, task } from "../testing/testing.js";

const NAMES = ["T1", "T2", "T3", "T4", "T5"];
const named = fc.constantFrom(...NAMES);
const tasks = fc.array(
  fc
    .record({
      id: fc.oneof({ weight: 9, arbitrary: named }, fc.constant("T1")),
      depends_on: fc.option(fc.array(fc.oneof({ weight: 9, arbitrary: named }, fc.constant("none"))), {
        nil: undefined,
      }),
      agent: fc.constantFrom(undefined, undefined, "codex", "nobody"),
    })
    .map(({ id, depends_on, agent }) =>
      task(id, { ...(depends_on && { depends_on }), ...(agent !== undefined && { agent }) }),
    ),
  { maxLength: 5 },
);
const graphs = fc
  .array(fc.uniqueArray(fc.nat(4), { maxLength: 2 }), { minLength: 5, maxLength: 5 })
  .map((edges) =>
    edges.map((to, at) => task(`T${at}`, { depends_on: to.filter((n) => n !== at).map((n) => `T${n}`) })),
  );

test("a backlog is sound exactly if every rule holds", () => {
  const seen = { sound: 0, broken: 0 };
  fc.assert(
    fc.property(fc.oneof(tasks, graphs), fc.constantFrom(undefined, ["codex"]), (some, agents) => {
      const found = checkRules(backlog(...some), agents);
      expect(isSound(backlog(...some), agents)).toBe(found.length === 0);
      seen[found.length === 0 ? "sound" : "broken"]++;
    }),
    { numRuns: 3_000 },
  );
  expect(Math.min(seen.sound, seen.broken)).toBeGreaterThan((seen.sound + seen.broken) / 10);
});
