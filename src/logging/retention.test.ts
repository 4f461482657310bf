import fc from "fast-check";
import { expect, test } from "vitest";
import { selectOld, selectRunsBeyond } from "./retention.js";
import { parseStart } from "./run-id.js";

const NOW = Date.UTC(2026, 5, 1);
const HOUR = 3_600_000;
const at = { began: parseStart, now: NOW };

/** Ids of runs that began so many hours ago, the oldest first. */
const someRuns = fc
  .uniqueArray(fc.nat({ max: 500 }), { maxLength: 20 })
  .map((ages) =>
    ages
      .toSorted((a, b) => b - a)
      .map((age) =>
        new Date(NOW - age * HOUR).toISOString().slice(0, 19).replace("T", "_").replaceAll(":", "-"),
      ),
  );

test("an id has the second in which its run began, with or without a number behind it", () => {
  expect(parseStart("2026-01-31_08-30-05-2")).toBe(Date.UTC(2026, 0, 31, 8, 30, 5));
  expect(parseStart("2026-99-31_08-30-05")).toBeNaN();
});

test("with both flags a run is removed only if each allows it, and never before an older run", () => {
  fc.assert(
    fc.property(someRuns, fc.nat({ max: 22 }), fc.nat({ max: 510 }), (runs, keep, hours) => {
      const ageMs = hours * HOUR;
      const byKeep = selectOld(runs, { keep }, at);
      const byAge = selectOld(runs, { ageMs }, at);
      expect(selectOld(runs, { keep, ageMs }, at)).toEqual(byKeep.filter((run) => byAge.includes(run)));
      expect(runs.length - byKeep.length).toBe(Math.min(keep, runs.length));
      for (const gone of [byKeep, byAge]) expect(gone).toEqual(runs.slice(0, gone.length));
      expect(byAge.every((run) => NOW - parseStart(run) >= ageMs)).toBe(true);
    }),
  );
});

test("with limits as many runs as fit are left, and at least the newest", async () => {
  await fc.assert(
    fc.asyncProperty(
      someRuns,
      fc.array(fc.nat({ max: 100 }), { minLength: 20, maxLength: 20 }),
      fc.record(
        { keep: fc.integer({ min: 1, max: 22 }), maxBytes: fc.integer({ min: 1, max: 900 }) },
        { requiredKeys: [] },
      ),
      async (runs, sizes, limits) => {
        const { keep = Infinity, maxBytes = Infinity } = limits;
        const bytesOf = (run: string): number => sizes[runs.indexOf(run)] ?? 0;
        const gone = await selectRunsBeyond(runs, limits, (run) => Promise.resolve(bytesOf(run)));
        expect(gone).toEqual(runs.slice(0, gone.length));
        const left = runs.slice(gone.length);
        const sum = (some: readonly string[]): number => some.reduce((all, run) => all + bytesOf(run), 0);
        if (left.length > 1) expect(left.length <= keep && sum(left) <= maxBytes).toBe(true);
        if (runs.length > 0) expect(left.length).toBeGreaterThan(0);
        const oneMore = runs.slice(gone.length - 1);
        if (gone.length > 0) expect(oneMore.length > keep || sum(oneMore) > maxBytes).toBe(true);
      },
    ),
  );
});
