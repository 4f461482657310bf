// Files that are named like a test or like settings, and that the program imports at the reference.
import { expect, test } from "vitest";
import { kindsOf, type After, type Setting, type Texts } from "../../testing/classified.js";

const SPEC: Texts = {
  "package.json": "{}",
  "src/index.js": 'export * from "./spec/parse.js";\n',
  "src/spec/parse.js": "export const parse = 1;\n",
  "src/spec/cases.js": "export default [[2, 3, 5]];\n",
  "test/a.test.js": 'import "../src/index.js";\nimport "../src/spec/cases.js";\n',
};
const ENTRY: Texts = {
  "package.json": '{"main":"index.js"}',
  "index.js": 'export * from "./app.config.js";\n',
  "app.config.js": "export const add = 1;\n",
  "tool.config.js": "",
  "test/a.test.js": 'import "../index.js";\n',
};

test.for<[string, string, string, Setting, Texts, After]>([
  ["in a folder named spec", "src/spec/parse.js", "source", {}, SPEC, {}],
  ["in a folder named spec that only tests import", "src/spec/cases.js", "check", {}, SPEC, {}],
  [
    "in a folder named spec that the attempt imports",
    "src/spec/cases.js",
    "check",
    {},
    SPEC,
    { "src/index.js": 'export * from "./spec/parse.js";\nexport * from "./spec/cases.js";\n' },
  ],
  [
    "in a folder named spec that is new",
    "src/spec/new.js",
    "check",
    {},
    SPEC,
    { "src/index.js": 'export * from "./spec/new.js";\n' },
  ],
  [
    "in a folder named spec that uses a library for tests",
    "src/spec/parse.js",
    "check",
    {},
    { ...SPEC, "src/spec/parse.js": 'import assert from "node:assert";\n' },
    {},
  ],
  [
    "with the name of a test in a folder named spec",
    "src/spec/parse.spec.js",
    "check",
    {},
    { ...SPEC, "src/index.js": 'import "./spec/parse.spec.js";\n', "src/spec/parse.spec.js": "" },
    {},
  ],
  [
    "in a folder of tests",
    "src/tests/all.js",
    "check",
    {},
    { ...SPEC, "src/index.js": 'import "./tests/all.js";\n', "src/tests/all.js": "" },
    {},
  ],
  [
    "in a folder of tests outside of the program",
    "spec/all.js",
    "check",
    {},
    { ...SPEC, "src/index.js": 'import "../spec/all.js";\n', "spec/all.js": "" },
    {},
  ],
  [
    "in a folder named spec that a command gives to a runner",
    "src/spec/parse.js",
    "check",
    { commands: ["npx jasmine src/spec/parse.js"] },
    SPEC,
    {},
  ],
  ["named like settings beside the entry point", "app.config.js", "source", {}, ENTRY, {}],
  ["named like settings that nothing imports", "tool.config.js", "check", {}, ENTRY, {}],
  [
    "named like settings that the attempt imports",
    "tool.config.js",
    "check",
    {},
    ENTRY,
    { "index.js": 'export * from "./app.config.js";\nimport "./tool.config.js";\n' },
  ],
  [
    "named like settings that a command names",
    "app.config.js",
    "check",
    { commands: ["mytool --settings app.config.js"] },
    ENTRY,
    {},
  ],
  [
    "named like settings of a known tool",
    "vitest.config.js",
    "check",
    {},
    { ...ENTRY, "index.js": 'import "./vitest.config.js";\n', "vitest.config.js": "" },
    {},
  ],
  [
    "named like settings, without a declared entry point",
    "app.config.js",
    "check",
    {},
    { ...ENTRY, "package.json": "{}" },
    {},
  ],
])("a file %s: %s is %s", ([, path, kind, setting, before, after]) => {
  expect(kindsOf(setting, before, { ...after, [path]: "new" })).toMatchObject({ [path]: kind });
});
