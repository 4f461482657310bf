import { expect, test } from "vitest";
import { compileGlob } from "./glob-pattern.js";

function matches(pattern: string, name: string): boolean {
  const compiled = compileGlob(pattern);
  if ("problem" in compiled) throw new Error(compiled.problem);
  return compiled.matches(name);
}

test.each([
  ["*.ts", "a.ts", "b/a.ts"],
  ["**/*.ts", "a.ts", "a.tsx"],
  ["**/*.ts", "b/c/a.ts", "b/c/a.js"],
  ["src/**", "src/a/b", "lib/src/a"],
  ["src/**/test/*.ts", "src/test/a.ts", "src/test/b/a.ts"],
  ["src/**/test/*.ts", "src/x/test/y/test/a.ts", "src/x/test/y/a.ts"],
  ["*.{js,ts}", "a.js", "a.json"],
  ["{src,test/{unit,story}}/*.ts", "test/story/a.ts", "test/a.ts"],
  ["a?c", "abc", "ac"],
  ["[a-c]x[!0-9]", "bxz", "bx1"],
  ["{a", "{a", "a"],
  ["{a}", "{a}", "a"],
  ["\\*", "*", "a"],
  ["./a.ts", "a.ts", "b.ts"],
  ["**/.github/*", "x/.github/a", "x/github/a"],
  ["*a*b*", "xaybz", "xbya"],
  ["a.b", "a.b", "axb"],
  ["?", "😀", "😀😀"],
])("%s matches %s and not %s", (pattern, good, bad) => {
  expect([matches(pattern, good), matches(pattern, bad)]).toEqual([true, false]);
});

test.each([
  ["", "empty"],
  ["../*", "leads outside"],
  ["/etc/*", "leads outside"],
  ["a/../../b", "leads outside"],
  ["{a,b}".repeat(20), "more than 256"],
  ["x".repeat(2000), "longer"],
])("%s: %s", (pattern, why) => {
  expect(compileGlob(pattern)).toEqual({ problem: expect.stringContaining(why) as string });
});

test("a hostile pattern is matched without delay", () => {
  expect(matches(`${"*a".repeat(400)}b`, "a".repeat(4000))).toBe(false);
  expect(matches(`${"**/a/".repeat(150)}b`, "a/".repeat(2000))).toBe(false);
});
