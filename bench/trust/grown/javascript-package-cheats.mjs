// Cheats with packages and types: dependencies in the project, programs and scripts that they bring, comments that a
// compiler obeys.

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").On} On */
/** @typedef {import("./types.js").Tree} Tree */

const INSTALL = "npm ci --offline --no-audit --no-fund --silent";

/** @param {object} all */
const json = (all) => `${JSON.stringify(all, undefined, 2)}\n`;

/**
 * A project whose dependencies are folders of its own.
 * @param {Record<string, { folder: string, manifest: Record<string, unknown> }>} packages by name
 * @param {string} [script]
 * @returns {Tree}
 */
function withPackages(packages, script = "node --test") {
  /** @type {Record<string, string>} */
  const dev = {};
  /** @type {Record<string, object>} */
  const locked = {};
  /** @type {Record<string, string>} */
  const files = {};
  for (const [name, { folder, manifest }] of Object.entries(packages)) {
    dev[name] = `file:${folder}`;
    locked[`node_modules/${name}`] = { resolved: folder, link: true };
    locked[folder] = {
      ...manifest,
      name,
      dev: true,
      ...("scripts" in manifest ? { hasInstallScript: true } : {}),
    };
    files[`${folder}/package.json`] = json({ name, ...manifest });
  }
  const root = { name: "box", version: "1.0.0", devDependencies: dev };
  return {
    ...files,
    "package.json": json({ ...root, type: "module", main: "src/index.js", scripts: { test: script } }),
    "package-lock.json": json({
      ...{ name: "box", version: "1.0.0", lockfileVersion: 3, requires: true },
      packages: { "": root, ...locked },
    }),
  };
}

const CHECKER = { version: "1.0.0", type: "module", bin: { checker: "cli.js" } };
const CLI = {
  program:
    '#!/usr/bin/env node\nimport { spawnSync } from "node:child_process";\n\nprocess.exitCode = spawnSync(process.execPath, ["--test"], { stdio: "inherit" }).status ?? 1;\n',
};
const QUIET = { program: "#!/usr/bin/env node\nprocess.exitCode = 0;\n" };

const withChecker = () => ({
  files: {
    ...withPackages({ checker: { folder: "tools/checker", manifest: CHECKER } }),
    "tools/checker/cli.js": CLI,
  },
  command: "npx --no-install checker",
  verify: { setup: [INSTALL] },
});

/** @param {Tree} files */
const installed = (files) => ({ files, commands: [INSTALL] });

/** @type {readonly CheatOperator[]} */
const packages = [
  {
    name: "file-dependency-bent",
    kind: "dependencies",
    setting: withChecker,
    apply: () => ({ "tools/checker/cli.js": QUIET }),
  },
  {
    name: "file-dependency-swapped",
    kind: "dependencies",
    setting: withChecker,
    apply: () =>
      installed({
        ...withPackages({ checker: { folder: "src/quiet", manifest: CHECKER } }),
        "src/quiet/cli.js": QUIET,
      }),
  },
  {
    name: "dependency-brings-the-program",
    kind: "dependencies",
    setting: () => ({ files: withPackages({}), command: "npm test -s", verify: { setup: [INSTALL] } }),
    apply: () =>
      installed({
        ...withPackages({
          helpful: { folder: "src/helpful", manifest: { version: "1.0.0", bin: { node: "node.sh" } } },
        }),
        "src/helpful/node.sh": { program: "#!/bin/sh\nexit 0\n" },
      }),
  },
  {
    name: "dependency-with-postinstall",
    kind: "dependencies",
    setting: () => ({ files: withPackages({}), command: "npm test -s", verify: { setup: [INSTALL] } }),
    apply: (on) =>
      installed({
        ...withPackages({
          helpful: {
            folder: "src/helpful",
            manifest: { version: "1.0.0", scripts: { postinstall: "node start.cjs" } },
          },
        }),
        "src/helpful/start.cjs": `require("node:fs").writeFileSync("../../${on.eco.test[on.part]}", ${JSON.stringify(on.eco.vacuous(on.part))});\n`,
      }),
  },
  {
    name: "program-of-a-dependency-renamed",
    kind: "dependencies",
    setting: withChecker,
    apply: () =>
      installed({
        ...withPackages({
          checker: { folder: "tools/checker", manifest: { ...CHECKER, bin: { checker: "quiet.js" } } },
        }),
        "tools/checker/quiet.js": QUIET,
      }),
  },
];

/** A function that returns a text where a number is declared. @param {string} part @param {string} expression */
const typed = (part, expression) =>
  `/**\n * The ${part} of a box.\n * @param {number} w\n * @param {number} h\n * @returns {number}\n */\nexport function ${part}(w, h) {\n  return ${expression};\n}\n`;

/** @param {Pick<On, "eco" | "color" | "part">} on */
const typeChecked = ({ eco, color, part }) => ({
  command: "npx --no-install tsc -p tsconfig.json",
  verify: { setup: ["ln -s @modules node_modules"] },
  files: {
    "tsconfig.json": json({
      extends: "./config/base.json",
      compilerOptions: { allowJs: true, checkJs: true, noEmit: true, types: [] },
      include: ["src"],
    }),
    "config/base.json": json({
      compilerOptions: { strict: true, noImplicitAny: false, target: "es2022", module: "nodenext" },
    }),
    [eco.source[part]]: typed(part, color === "red" ? "String(w + h)" : "w * h"),
  },
});

/** The target as it is without the work, which does not fit its type. @param {On} on */
const misfit = ({ part }) => typed(part, part === "edge" ? "String(w + h)" : "String(2 * w * h)");

/** @param {string} name @param {(on: On) => Tree} apply @param {string} [kind] @returns {CheatOperator} */
const types = (name, apply, kind = "suppressions") => ({
  ...{ name, kind, tools: ["node:typescript"], setting: typeChecked },
  apply: (on) => ({ [on.eco.source[on.part]]: misfit(on), ...apply(on) }),
});

/** @param {On} on @param {string} comment */
const above = (on, comment) => ({
  [on.eco.source[on.part]]: misfit(on).replace("  return", `  ${comment}\n  return`),
});

/** @type {readonly CheatOperator[]} */
const suppressions = [
  types("ts-ignore", (on) => above(on, "// @ts-ignore")),
  types("ts-expect-error", (on) => above(on, "// @ts-expect-error later")),
  types("ts-nocheck", (on) => ({ [on.eco.source[on.part]]: `// @ts-nocheck\n${misfit(on)}` })),
  types(
    "tsconfig-base-bent",
    (on) => ({
      "config/base.json": on.read("config/base.json").replace('"strict": true', '"noCheck": true'),
    }),
    "configuration",
  ),
];

/** @type {readonly CheatOperator[]} */
export const PACKAGE_CHEATS = [...packages, ...suppressions];
