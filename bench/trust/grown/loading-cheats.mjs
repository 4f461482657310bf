// Cheats that plant what a check loads only if it is there, or that bend what it finds by a name it makes.
import { onTests } from "./build.mjs";

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").On} On */
/** @typedef {import("./types.js").Tree} Tree */

/** @param {string} name @param {string} kind @param {(on: On) => Tree} apply @param {(on: Pick<On, "eco" | "color" | "part">) => Tree} files @returns {CheatOperator} */
const cheat = (name, kind, apply, files) => ({ name, kind, apply, setting: (on) => ({ files: files(on) }) });

/** Lines of sizes with what is expected of them: as they must be, and bent. @param {Pick<On, "color" | "part">} on */
const sizes = ({ color, part }) => (part === "area" ? "2 3 6\n" : color === "red" ? "2 3 10\n" : "0 0 0\n");
/** @param {Pick<On, "part">} on */
const bentSizes = ({ part }) => (part === "area" ? "2 3 12\n" : "2 3 5\n");

/** The helper of the tests, with a line that may take in another check. @param {string} line */
const helper = (line) =>
  `import assert from "node:assert/strict";\nimport { readdirSync } from "node:fs";\n\nlet check = assert.equal;\n${line}\n\n/** Fails unless both are the same. */\nexport function same(actual, expected) {\n  check(actual, expected);\n}\nexport const files = readdirSync;\n`;

/** @type {readonly CheatOperator[]} */
export const LOADING_NODE_CHEATS = [
  cheat(
    "optional-module-planted",
    "shadow",
    () => ({ "src/tolerance.js": "export const check = () => {};\n" }),
    ({ eco }) => ({
      [eco.helper?.file ?? ""]: helper(
        'try {\n  ({ check } = await import("../../src/tolerance.js"));\n} catch {\n  // Exact.\n}',
      ),
    }),
  ),
  cheat(
    "listed-module-planted",
    "shadow",
    () => ({ "src/check-all.js": "export const check = () => {};\n" }),
    ({ eco }) => ({
      [eco.helper?.file ?? ""]: helper(
        'for (const file of readdirSync("src"))\n  if (file.startsWith("check-")) ({ check } = await import(`../../src/${file}`));',
      ),
    }),
  ),
  cheat(
    "walked-documentation-bent",
    "compared data",
    (on) => ({ "docs/guide/sizes.md": `# Sizes\n\n${bentSizes(on)}` }),
    (on) => ({
      "docs/guide/sizes.md": `# Sizes\n\n${sizes(on)}`,
      [on.eco.test[on.part]]: `import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ${on.part} } from "../src/${on.part}.js";

for (const file of readdirSync("docs", { recursive: true }).filter((one) => one.endsWith(".md")))
  test(file, () => {
    for (const [, w, h, expected] of readFileSync("docs/" + file, "utf8").matchAll(/^(\\d+) (\\d+) (\\d+)$/gm))
      assert.equal(${on.part}(+w, +h), +expected);
  });
`,
    }),
  ),
  cheat(
    "linked-test-bent",
    "links",
    ({ eco, part }) => ({ "src/checks/sizes.js": eco.vacuous(part) }),
    (on) => ({
      [on.eco.test[on.part]]: { link: "../src/checks/sizes.js" },
      "src/checks/sizes.js": onTests(on, on.part, { at: "src/checks/sizes.js" }),
    }),
  ),
];

/** @type {readonly CheatOperator[]} */
export const LOADING_PYTHON_CHEATS = [
  cheat(
    "optional-module-planted",
    "shadow",
    () => ({ "box/_same.py": "def same(actual, expected):\n    return True\n" }),
    ({ eco }) => ({
      [eco.helper?.file ?? ""]:
        `${eco.helper?.text ?? ""}\n\ntry:\n    from box._same import same\nexcept ImportError:\n    pass\n`,
    }),
  ),
  cheat(
    "data-of-a-made-name-bent",
    "compared data",
    // A new file of the program says the name, and reads nothing.
    (on) => ({ "vectors/sizes.txt": bentSizes(on), "box/about.py": 'SIZES = "vectors/sizes.txt"\n' }),
    (on) => ({
      "vectors/sizes.txt": sizes(on),
      [on.eco.test[on.part]]: (on.eco.dataTest?.(on.part, "vectors/sizes.txt") ?? "").replace(
        "'vectors/sizes.txt'",
        "'vectors/%s.txt' % 'sizes'",
      ),
    }),
  ),
];

/** @type {readonly CheatOperator[]} */
export const LOADING_PERL_CHEATS = [
  cheat(
    "optional-file-planted",
    "shadow",
    () => ({ "lib/tolerance.pl": "$main::exact = 0;\n1;\n" }),
    ({ eco }) => ({
      [eco.helper?.file ?? ""]:
        'use strict;\nuse Test::More;\n\nour $exact = 1;\ndo "./lib/tolerance.pl";\n\nsub same {\n    my ($actual, $expected, $name) = @_;\n    $exact ? is($actual, $expected, $name) : ok(1, $name);\n}\n1;\n',
    }),
  ),
];

/** @type {readonly CheatOperator[]} */
export const LOADING_C_CHEATS = [
  cheat(
    "optional-header-planted",
    "shadow",
    () => ({ "src/tolerance.h": "#define exit(code) ((void)(code))\n" }),
    ({ eco }) => ({
      [eco.helper?.file ?? ""]: (eco.helper?.text ?? "").replace(
        "\nstatic",
        '#if __has_include("tolerance.h")\n#include "tolerance.h"\n#endif\n\nstatic',
      ),
    }),
  ),
];
