import fc from "fast-check";
import { expect, test } from "vitest";
import { readLayout } from "./layout.js";
import { outlineOf } from "./outline.js";

const space = fc.constantFrom("", "", " ", "\n  ", "\r\n\t");
const word = fc.constantFrom("id", "a", "é", "😀", "__proto__", "\\", '"', '\\"', "x]},:{[", "", "0");
const scalars = [
  "1",
  "-0.5",
  "1e3",
  "123456789012345",
  "1.00000000000000000",
  "true",
  "null",
  "false",
  '"\\u00e9"',
];
const lossy = ["12345678901234567", "1e999"];

/** The text of a list or an object of these items, laid out with these gaps. */
function around(
  brackets: string,
  items: readonly string[],
  [first, between, last]: readonly string[],
): string {
  const inside = items.map((item) => `${between}${item}${last}`).join(",");
  return `${brackets[0]}${first}${inside}${brackets[1]}`;
}

const texts = fc.letrec<Record<"value" | "object" | "list" | "member", string>>((tie) => {
  const gaps = fc.tuple(space, space, space);
  const items = (kind: "value" | "member"): fc.Arbitrary<string[]> => fc.array(tie(kind), { maxLength: 3 });
  return {
    value: fc.oneof(
      { depthSize: "small" },
      { weight: 20, arbitrary: fc.constantFrom(...scalars) },
      { weight: 1, arbitrary: fc.constantFrom(...lossy) },
      { weight: 10, arbitrary: word.map((text) => JSON.stringify(text)) },
      { weight: 10, arbitrary: tie("object") },
      { weight: 10, arbitrary: tie("list") },
    ),
    member: fc
      .tuple(word, space, tie("value"))
      .map(([key, gap, value]) => `${JSON.stringify(key)}${gap}:${gap}${value}`),
    object: fc.tuple(items("member"), gaps).map(([members, all]) => around("{}", members, all)),
    list: fc.tuple(items("value"), gaps).map(([values, all]) => around("[]", values, all)),
  };
});

const backlogs = fc
  .tuple(
    fc.array(texts.member, { maxLength: 2 }),
    fc.constantFrom('"tasks"', '"\\u0074asks"'),
    fc.array(texts.object, { maxLength: 4 }),
    fc.tuple(space, space, space),
  )
  .map(([members, key, tasks, gaps]) => {
    const [before, ...behind] = [...members, `${key}:${around("[]", tasks, gaps)}`].toReversed();
    return `${gaps[1]}${around("{}", [...behind, before ?? ""], gaps)}${gaps[2]}`;
  });

test("an outline equals the layout of a walk, and exists exactly if the walk finds no problem", () => {
  const seen = { good: 0, bad: 0 };
  fc.assert(
    fc.property(backlogs, (text) => {
      const { layout, problems } = readLayout(text);
      const outline = outlineOf(text, JSON.parse(text));
      expect(outline).toEqual(problems.length === 0 ? layout : undefined);
      seen[problems.length === 0 ? "good" : "bad"]++;
    }),
    { numRuns: 3_000 },
  );
  expect(Math.min(seen.good, seen.bad)).toBeGreaterThan((seen.good + seen.bad) / 15);
});

test("a text that is nested too deep is left to the walk", () => {
  const text = (deep: number): string => `{"tasks":[],"meta":${"[".repeat(deep)}${"]".repeat(deep)}}`;
  expect(outlineOf(text(199), JSON.parse(text(199)))).toBeDefined();
  expect(outlineOf(text(200), JSON.parse(text(200)))).toBeUndefined();
  expect(outlineOf(text(100_000), {})).toBeUndefined();
});
