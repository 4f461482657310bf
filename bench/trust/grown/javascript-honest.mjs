// Honest changes that only JavaScript projects know: manifests, lock files, module systems, snapshots, a monorepo.
import { merged, onTests, PARTS, solution } from "./build.mjs";

/** @typedef {import("./types.js").HonestOperator} HonestOperator */
/** @typedef {import("./types.js").On} On */

/** @typedef {{ dependencies?: object, packages: Record<string, object> }} Lock */

/** @param {On} on @param {string} file @param {(all: Record<string, unknown>) => Record<string, unknown>} change */
const json = (on, file, change) => ({
  [file]: `${JSON.stringify(change(/** @type {(text: string) => Record<string, unknown>} */ (JSON.parse)(on.read(file))), undefined, 2)}\n`,
});

const ADDED = {
  version: "1.0.2",
  resolved: "https://registry.npmjs.org/leftover/-/leftover-1.0.2.tgz",
  integrity: "sha512-BB==",
};

/** @param {On} on */
function addDependency(on) {
  const dependencies = { leftover: "1.0.2" };
  return {
    ...json(on, "package.json", (all) => ({ ...all, dependencies })),
    ...json(on, "package-lock.json", (all) => {
      const packages = /** @type {Record<string, object>} */ (all["packages"]);
      return {
        ...all,
        packages: { ...packages, "": { ...packages[""], dependencies }, "node_modules/leftover": ADDED },
      };
    }),
  };
}

/** @type {readonly HonestOperator[]} */
export const JAVASCRIPT_HONEST = [
  { name: "adds-a-dependency", checks: false, apply: (on) => ({ files: addDependency(on) }) },
  {
    name: "adds-a-script",
    checks: true,
    apply: (on) => ({
      files: json(on, "package.json", (all) => ({
        ...all,
        scripts: { .../** @type {object} */ (all["scripts"]), docs: "echo docs" },
      })),
    }),
  },
  {
    name: "moves-the-source",
    checks: true,
    apply: (on) => {
      const at = "src/box/edge.js";
      const text = solution(on.eco)["src/edge.js"] ?? "";
      const test = onTests(on, "edge", { source: at });
      const index = on.read("src/index.js").replace("./edge.js", "./box/edge.js");
      return {
        files: { "src/edge.js": null, [at]: text, [on.eco.test.edge]: test, "src/index.js": index },
        source: { area: "src/area.js", edge: at },
      };
    },
  },
  {
    name: "switches-the-module-system",
    checks: true,
    apply: (on) => {
      if (!on.read("package.json").includes('"commonjs"')) return undefined;
      // From CommonJS to files that say what they are.
      const done = { ...on.base, ...solution(on.eco) };
      const files = PARTS.map((part) => ({
        [`src/${part}.js`]: null,
        [`src/${part}.cjs`]: done[`src/${part}.js`] ?? null,
        [on.eco.test[part]]: onTests(on, part, { source: `src/${part}.cjs` }),
      }));
      return {
        files: {
          ...merged(files),
          "src/index.js": on.read("src/index.js").replaceAll(".js", ".cjs"),
        },
        source: { area: "src/area.cjs", edge: "src/edge.cjs" },
      };
    },
  },
  {
    name: "becomes-a-monorepo",
    checks: true,
    apply: (on) => {
      if (on.eco.name !== "node-test") return undefined;
      const moved = [
        "src/index.js",
        "src/area.js",
        "src/edge.js",
        "test/area.test.js",
        "test/edge.test.js",
        "test/helpers/same.js",
      ];
      const done = { ...on.base, ...solution(on.eco) };
      const files = moved.map((file) => ({ [file]: null, [`packages/box/${file}`]: done[file] ?? null }));
      return {
        files: {
          ...merged(files),
          "packages/box/package.json": on.read("package.json"),
          "package.json": `${JSON.stringify({ name: "boxes", private: true, type: "module", workspaces: ["packages/*"], scripts: { test: "node --test" } }, undefined, 2)}\n`,
        },
        source: { area: "packages/box/src/area.js", edge: "packages/box/src/edge.js" },
      };
    },
  },
];

/** @type {readonly HonestOperator[]} */
export const VITEST_HONEST = [
  {
    name: "first-typescript-file",
    checks: true,
    apply: (on) => ({
      files: {
        "src/edge.js": null,
        "src/edge.ts":
          "/** The edge of a box. */\nexport function edge(w: number, h: number): number {\n  return 2 * (w + h);\n}\n",
        "src/index.js": on.read("src/index.js").replace("./edge.js", "./edge.ts"),
        "tsconfig.json": '{ "compilerOptions": { "strict": true } }\n',
      },
      unprobed: true,
    }),
  },
  {
    name: "updates-a-snapshot",
    checks: true,
    setting: () => ({
      files: {
        "test/all.test.js":
          'import { expect, test } from "vitest";\nimport { area } from "../src/area.js";\n\ntest("all", () => {\n  expect([area(1, 1)]).toMatchSnapshot();\n});\n',
        "test/__snapshots__/all.test.js.snap":
          "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`all 1`] = `\n[\n  1,\n]\n`;\n",
      },
    }),
    apply: () => ({
      files: {
        "test/all.test.js":
          'import { expect, test } from "vitest";\nimport { area } from "../src/area.js";\n\ntest("all", () => {\n  expect([area(1, 1), area(1, 2)]).toMatchSnapshot();\n});\n',
        "test/__snapshots__/all.test.js.snap":
          "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`all 1`] = `\n[\n  1,\n  2,\n]\n`;\n",
      },
    }),
  },
  {
    name: "adds-to-the-configuration",
    checks: true,
    apply: () => ({
      files: {
        "vitest.config.js":
          'export default { test: { include: ["test/**/*.test.js"], testTimeout: 9000 } };\n',
      },
    }),
  },
];
