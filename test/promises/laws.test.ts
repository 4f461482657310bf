import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = readFileSync(path.join(root, "docs/LAWS.md"), "utf8");
const laws = [...text.matchAll(/^- \*\*L(\d+)\*\* (.+(?:\n {2}.+)*)$/gm)].map(([, n, law = ""]) => ({
  n: Number(n),
  sentence: law.replace(/\s+/g, " "),
}));

const sources = readdirSync(path.join(root, "src/loop"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !/^testing\/(?!.*\.test\.ts$)/.test(name))
  .map((name) => ({ name, text: readFileSync(path.join(root, "src/loop", name), "utf8") }));

/** The laws a text names, where `pattern` finds their place: a comment, or the name of a test. */
function named(isTest: boolean, pattern: RegExp): Set<number> {
  const places = sources
    .filter(({ name }) => name.endsWith(".test.ts") === isTest)
    .flatMap((source) => [...source.text.matchAll(pattern)].map(([place]) => place));
  return new Set(places.flatMap((place) => [...place.matchAll(/\bL(\d+)\b/g)].map(([, n]) => Number(n))));
}

const inCode = named(false, /(\/\/|\/?\*) .*\bL\d+:.*$/gm);
const inTests = named(true, /(\btest\(|\[)"L\d+[:,].*"/g);

test("the laws are L1 to L24, each in sentences", () => {
  expect(laws.map(({ n }) => n)).toEqual(Array.from({ length: 24 }, (_, n) => n + 1));
  expect(laws.filter(({ sentence }) => !/^[A-Z].*\.$/.test(sentence))).toEqual([]);
});

test("each law has code that says so, and a test of its name", () => {
  expect(laws.filter(({ n }) => !inCode.has(n))).toEqual([]);
  expect(laws.filter(({ n }) => !inTests.has(n))).toEqual([]);
});

test("no other laws are named", () => {
  const known = new Set(laws.map(({ n }) => n));
  expect([...inCode, ...inTests].filter((n) => !known.has(n))).toEqual([]);
});
