import fc from "fast-check";
import { expect, test } from "vitest";
import { UserError } from "../../system/errors.js";
import { readJsonSettings, readPackageSettings, readYamlSettings } from "./settings-text.js";

function refusal(read: () => unknown): string {
  try {
    read();
    return "";
  } catch (error) {
    if (error instanceof UserError && error.kind === "usage") return error.message;
    throw error;
  }
}

const json = (text: string) => refusal(() => readJsonSettings("c.json", text));
const yaml = (text: string) => refusal(() => readYamlSettings("c.yml", text));

test("JSON keeps the line of each key, with CRLF and a BOM too", () => {
  const file = readJsonSettings("c.json", '\uFEFF{\r\n  "a": {\r\n    "b":\r\n 1\r\n  }\r\n}');
  expect(file.value).toEqual({ a: { b: 1 } });
  expect([file.lineOf(["a"]), file.lineOf(["a", "b"]), file.lineOf(["a", "x"]), file.lineOf([])]).toEqual([
    2, 3, 2, 1,
  ]);
});

test.each([
  ['{\n  // why\n  "a": 1\n}', "c.json:2: not JSON: comments are not allowed"],
  ['{\n  "a": 1,\n}', "c.json:3: not JSON: property name expected"],
  ['{\n  "a" 1\n}', "c.json:2: not JSON: colon expected"],
  ['{"a": 01}', "c.json:1: not JSON"],
  ['{\n"a": 1,\n"a": 2\n}', 'c.json:3: the key "a" is given twice'],
  ["[".repeat(100_000), "c.json:1: it is nested too deeply"],
])("%.30j is refused with its line", (text, message) => {
  expect(json(text)).toContain(message);
});

test("any JSON object reads as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value, null, 1);
      expect(readJsonSettings("c.json", text).value).toEqual(JSON.parse(text));
    }),
  );
});

test("YAML keeps the line of each key", () => {
  const file = readYamlSettings("c.yml", "# why\na:\n  b: &x\n    - 1\n  c: *x\n");
  expect(file.value).toEqual({ a: { b: [1], c: [1] } });
  expect([file.lineOf(["a"]), file.lineOf(["a", "b"]), file.lineOf(["a", "c"]), file.lineOf(["z"])]).toEqual([
    2, 3, 5, 2,
  ]);
  expect(readYamlSettings("c.yml", "# nothing\n").value).toBeUndefined();
});

test.each([
  ["a: 1\nb: [", "c.yml:2: not YAML"],
  ["a: 1\na: 2", "c.yml:2: not YAML: Map keys must be unique"],
  ["a: *b", "not YAML: Unresolved alias"],
  ["a: 1\n---\nb: 2", "it holds several documents"],
])("%j is refused", (text, message) => {
  expect(yaml(text)).toContain(message);
});

test("package.json counts where it has a part for us, whatever else is wrong with it", () => {
  const file = readPackageSettings("package.json", '{\n "name": "x",\n "looper": {\n  "git": {}\n }\n}');
  expect(file?.value).toEqual({ git: {} });
  expect([file?.lineOf([]), file?.lineOf(["git"])]).toEqual([3, 4]);
  expect(readPackageSettings("package.json", '{"name": "x"}')).toBeUndefined();
  expect(readPackageSettings("package.json", "{ broken")).toBeUndefined();
  expect(readPackageSettings("package.json", '{"scripts": {"looper": "x"}}')).toBeUndefined();
});
