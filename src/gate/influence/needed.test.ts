import fc from "fast-check";
import { expect, test } from "vitest";
import { findNeeded, type Candidate } from "../rooms/needed-changes.js";

const candidate = (path: string, more: Partial<Candidate> = {}): Candidate => ({
  path,
  isTest: false,
  isNew: false,
  ...more,
});
const asking = (needed: readonly string[]) => {
  const asked: (readonly string[])[] = [];
  const ask = (paths: readonly string[]): Promise<boolean | undefined> => {
    asked.push(paths);
    return Promise.resolve(needed.every((one) => paths.includes(one)));
  };
  return { ask, asked };
};

test("a single candidate is needed without asking", async () => {
  const { ask, asked } = asking(["a"]);
  expect(await findNeeded([candidate("a")], ask)).toEqual(["a"]);
  expect(asked).toEqual([]);
});

test("changed tests are suspected first, and one is found by halves", async () => {
  const tests = ["t/1.test.js", "t/2.test.js", "t/3.test.js", "t/4.test.js"];
  const all = [
    candidate("data/x"),
    candidate("package.json"),
    ...tests.map((path) => candidate(path, { isTest: true })),
  ];
  const { ask, asked } = asking(["t/3.test.js"]);
  expect(await findNeeded(all, ask)).toEqual(["t/3.test.js"]);
  expect(asked[0]).toEqual(tests);
  expect(asked.length).toBeLessThanOrEqual(5);
});

test("the paths found are exactly the needed ones, for every set of them", async () => {
  const paths = ["a.test.js", "b.json", "c.sh", "d", "e.txt", "f.js", "g.js"];
  await fc.assert(
    fc.asyncProperty(fc.subarray(paths, { minLength: 1 }), async (needed) => {
      const { ask } = asking(needed);
      const found = await findNeeded(
        paths.map((path, at) => candidate(path, { isTest: path.includes("test"), isNew: at > 4 })),
        ask,
      );
      expect([...found].sort()).toEqual(needed);
    }),
  );
});

test("without time the set known so far is given", async () => {
  const all = ["a", "b", "c", "d"].map((path) => candidate(path));
  expect(await findNeeded(all, () => Promise.resolve(undefined))).toEqual(["a", "b", "c", "d"]);
  let left = 1;
  const ask = (paths: readonly string[]) => Promise.resolve(left-- > 0 ? paths.includes("a") : undefined);
  expect(await findNeeded(all, ask)).toEqual(["a", "b"]);
});
