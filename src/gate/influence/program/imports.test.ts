import { expect, test } from "vitest";
import { importsOf } from "./imports.js";

test("the imports of a program are found behind exported types of many lines", () => {
  const fields = Array.from({ length: 60 }, (_, at) => `  field${at}: string\n`).join("");
  const text = `export interface Row {\n${fields}}\nimport { a } from "./a.js"\nexport * from './b.js'\n`;
  expect(importsOf("js", text).map(({ name }) => name)).toEqual(["./a.js", "./b.js"]);
});

test("many words that begin an import are read in one pass", () => {
  const text = `${"export from import ".repeat(20_000)}"./a.js"`;
  expect(importsOf("js", text).map(({ name }) => name)).toEqual(["./a.js"]);
});
