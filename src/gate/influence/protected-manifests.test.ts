// Keys of manifests that belong to the work, and keys that stay as at the base.
import { expect, test } from "vitest";
import { changesLooperKey, isManifest, isRuleFile, mergeManifest } from "./protected-manifests.js";

test.each(["package.json", "deno.json", "composer.json", "pyproject.toml"])(
  "%s has both work and settings",
  (name) => {
    expect([isManifest(name), isRuleFile(name)]).toEqual([true, false]);
  },
);

test.each(["Makefile", "makefile", "GNUmakefile", "rules.mk", "a.b.mk"])("%s has rules", (name) => {
  expect([isManifest(name), isRuleFile(name)]).toEqual([false, true]);
  const base = "check:\n\t@node run.mjs\n";
  expect(mergeManifest(name, { base, now: "check:\n\t@true\n" }, true)).toBe(base);
  expect(mergeManifest(name, { base, now: `${base}lint: ; x\n` }, false)).toBeUndefined();
});

test.each([
  "package.json5",
  "my-package.json",
  "toString",
  "Makefile.old",
  "GNUmakefile.in",
  "MyMakefile",
  "akefile",
  "MAKEFILE",
  ".mk",
  "a.mkd",
  "amk",
])("%s is an ordinary file", (name) => {
  expect([isManifest(name), isRuleFile(name)]).toEqual([false, false]);
});

test("a file that is not a manifest stays unchanged", () => {
  expect(mergeManifest("other.json", { base: '{"jest":1}', now: '{"jest":2}' }, false)).toBeUndefined();
});

const json = (value: unknown): string => JSON.stringify(value);

/** The merged manifest in JSON; `undefined`: unchanged. */
function left(name: string, base: unknown, now: unknown, keepNew = false): unknown {
  const text = mergeManifest(name, { base: json(base), now: json(now) }, keepNew);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Settings that would make checks pass wrongly, by their reader. */
const SLY = {
  jest: { testMatch: [] },
  vitest: { include: [] },
  mocha: { grep: "none" },
  ava: { files: [] },
  c8: { "check-coverage": false },
  nyc: { branches: 0 },
  tap: { "allow-empty-coverage": true },
  jasmine: { spec_files: [] },
  karma: { files: [] },
  cypress: { specPattern: "none" },
  playwright: { testMatch: "none" },
  wdio: { specs: [] },
  babel: { plugins: ["./quiet.js"] },
  eslintConfig: { rules: {} },
  eslintIgnore: ["**"],
  prettier: { requirePragma: true },
  stylelint: { ignoreFiles: "**" },
  xo: { ignores: ["**"] },
  standard: { ignore: ["**"] },
  config: { port: 1 },
  looper: { verify: { commands: [] } },
  packageManager: "npm@1.0.0",
  volta: { node: "1.0.0" },
  husky: { hooks: {} },
  "lint-staged": {},
  bunfig: { test: {} },
};
const WORK = {
  name: "a",
  version: "2.0.0",
  type: "module",
  main: "index.js",
  bin: { a: "bin/a.js" },
  exports: { ".": "./index.js" },
  dependencies: { left: "1.0.0" },
  engines: { node: ">=20" },
  jestling: 1,
};

test.each(Object.entries(SLY))("package.json: %s is as at the base", (key, sly) => {
  expect(left("package.json", { name: "a" }, { ...WORK, [key]: sly })).toEqual(WORK);
  expect(left("package.json", { [key]: "old" }, { ...WORK, [key]: sly })).toEqual({ ...WORK, [key]: "old" });
  expect(left("package.json", { [key]: "old" }, WORK)).toEqual({ ...WORK, [key]: "old" });
  expect(left("package.json", { [key]: sly }, { ...WORK, [key]: sly })).toBeUndefined();
  // In the pass with new tests, they may have settings.
  expect(left("package.json", { name: "a" }, { ...WORK, [key]: sly }, true)).toBeUndefined();
  expect(left("package.json", { [key]: "old" }, { ...WORK, [key]: sly }, true)).toEqual({
    ...WORK,
    [key]: "old",
  });
});

test.each(
  (
    "install prepare prepublish prepublishOnly prepack dependencies preinstall postinstall preprepare postprepare postpublish " +
    "postpack pretest posttest prestart poststart prestop poststop prerestart postrestart preversion postversion preuninstall " +
    "postuninstall preshrinkwrap postshrinkwrap pre post prelint postlint pre:check post:check"
  ).split(" "),
)("package.json: a script named %s would run unasked", (name) => {
  // npm runs `prelint` before `lint`, `pre:check` before `:check`.
  const scripts = { lint: "eslint .", ":check": "node run.mjs" };
  expect(left("package.json", { scripts }, { scripts: { ...scripts, [name]: "true" } })).toEqual({ scripts });
  expect(left("package.json", { scripts: { [name]: "a" } }, { scripts: { [name]: "b" } })).toEqual({
    scripts: { [name]: "a" },
  });
});

test.each(
  (
    "start build test version publish pack installer reinstall prepared unprepare prettier postcss prefix postbuild prebuild " +
    "dependencies:check prepackage postprepublish pre-commit xprelint prelinter"
  ).split(" "),
)("package.json: a script named %s is run by who asks for it", (name) => {
  const scripts = { lint: "eslint ." };
  expect(left("package.json", { scripts }, { scripts: { ...scripts, [name]: "x" } })).toBeUndefined();
});

test("scripts may be added to a package.json without any, and removed ones are restored", () => {
  expect(left("package.json", {}, { scripts: { build: "tsc" } })).toBeUndefined();
  expect(left("package.json", {}, { scripts: { build: "tsc", postinstall: "x" } })).toEqual({
    scripts: { build: "tsc" },
  });
  expect(left("package.json", { name: "a" }, { name: "a", scripts: { postinstall: "x" } })).toEqual({
    name: "a",
  });
  expect(left("package.json", { scripts: {} }, { scripts: { postinstall: "x" } })).toEqual({ scripts: {} });
  expect(left("package.json", { scripts: { test: "jest" } }, {})).toEqual({ scripts: { test: "jest" } });
  for (const odd of [null, "none", 1, ["jest"]]) {
    expect(left("package.json", { scripts: { test: "jest" } }, { scripts: odd })).toEqual({
      scripts: { test: "jest" },
    });
    expect(left("package.json", { scripts: odd }, { scripts: { test: "jest" } })).toBeUndefined();
  }
  // A property that every object has is not a script.
  expect(
    left("package.json", { scripts: {} }, { scripts: { toString: "x", pretoString: "y" } }),
  ).toBeUndefined();
});

test("deno.json", () => {
  const base = { tasks: { test: "deno test -A" }, test: { include: ["tests"] } };
  const now = {
    imports: { a: "jsr:@std/assert" },
    tasks: { test: "true", start: "deno run main.ts" },
    test: { include: [] },
    lint: { rules: { tags: [] } },
    fmt: { exclude: ["."] },
  };
  expect(left("deno.json", base, now)).toEqual({
    imports: now.imports,
    tasks: { test: "deno test -A", start: "deno run main.ts" },
    test: base.test,
  });
});

test("composer.json", () => {
  const base = { scripts: { test: "phpunit" } };
  const now = { require: { php: ">=8" }, scripts: { test: "true", cs: "x" }, config: { "bin-dir": "bin" } };
  expect(left("composer.json", base, now)).toEqual({
    require: now.require,
    scripts: { test: "phpunit", cs: "x" },
  });
});

const toml = (base: string, now: string, keepNew = false): string | undefined =>
  mergeManifest("pyproject.toml", { base, now }, keepNew);

test.each(
  "pytest coverage tox nox unittest ruff mypy pyright pylint flake8 black isort hatch pytest_env".split(" "),
)("pyproject.toml: tool.%s is as at the base", (tool) => {
  const settings = `[tool.${tool}.settings]\nlevel = `;
  const work = '[project]\nname = "a"\n\n[tool.setuptools]\npackages = [ "a" ]\n';
  expect(toml(work, `${work}\n${settings}1\n`)).toBe(work);
  expect(toml(`${work}\n${settings}1\n`, `${work}\n${settings}2\n`)).toBe(`${work}\n${settings}1\n`);
  expect(toml(`${settings}1\n`, work)).toBe(`${work}\n${settings}1\n`);
  expect(toml(`${settings}1\n`, "")).toBe(`${settings}1\n`);
  expect(toml(work, `${work}\n${settings}1\n`, true)).toBeUndefined();
});

test.each([
  ["poe", "tasks"],
  ["taskipy", "tasks"],
  ["pdm", "scripts"],
])("pyproject.toml: lines of %s", (tool, key) => {
  const lines = (more: string): string => `[tool.${tool}.${key}]\n${more}`;
  const check = 'check = "pytest"\n';
  expect(toml(lines(check), lines(`${check}build = "x"\n`))).toBeUndefined();
  expect(toml(lines(check), lines('check = "true"\nbuild = "x"\n'))).toBe(lines(`${check}build = "x"\n`));
  expect(toml(lines(check), "")).toBe(lines(check));
  expect(toml("", lines(check))).toBeUndefined();
  expect(toml("", lines('pretest = "x"\n'))).toBe(`[tool.${tool}]\n`);
  expect(toml(lines(check), `tool = "${tool}"\n`)).toBe(lines(check));
});

test("a manifest keeps its format and its values", () => {
  const now = { name: "a\uFEFFb", jest: { bail: 1 }, nested: [{ a: null }] };
  expect(mergeManifest("package.json", { base: "{}", now: `\uFEFF${json(now)}` }, false)).toBe(
    '{\n  "name": "a\uFEFFb",\n  "nested": [\n    {\n      "a": null\n    }\n  ]\n}\n',
  );
  expect(mergeManifest("package.json", { base: '\uFEFF{"jest":1}', now: '{"jest":2}' }, false)).toBe(
    '{\n  "jest": 1\n}\n',
  );
  expect(
    toml("", "when = 2024-01-01T00:00:00Z\nhalf = 0.5\nwhole = 1.0\n[tool.mypy]\nstrict = false\n"),
  ).toMatch(/^when = 2024-01-01T00:00:00(?:\.000)?Z\nhalf = 0\.5\nwhole = 1\.0\n/);
});

test.each(["{", "", "[]", "null", '"text"', "1", "{'a':1}"])(
  "package.json: %s is none, and fails by itself",
  (text) => {
    const good = '{"jest":{}}';
    expect(mergeManifest("package.json", { base: good, now: text }, false)).toBeUndefined();
    expect(mergeManifest("package.json", { base: text, now: good }, false)).toBeUndefined();
  },
);

test.each(["a = ", "[a", "= 1", "a = 1\na = 2"])(
  "pyproject.toml: %s is none, and fails by itself",
  (text) => {
    const good = "[tool.mypy]\nstrict = true\n";
    expect(toml(good, text)).toBeUndefined();
    expect(toml(text, good)).toBeUndefined();
  },
);

test.each<[string, string, string, boolean]>([
  ["not there", "{}", '{"name":"a"}', false],
  ["the same", '{"looper":{"a":[1]}}', '{"name":"b","looper":{"a":[1]}}', false],
  ["added", "{}", '{"looper":{}}', true],
  ["changed", '{"looper":{"a":[1]}}', '{"looper":{"a":[2]}}', true],
  ["gone", '{"looper":{}}', "{}", true],
  ["added with the manifest", "", '{"looper":{}}', true],
  ["none in a new manifest", "", "{}", false],
  ["in a manifest that is broken now", '{"looper":{}}', "{", false],
])("Looper's settings have changed: %s", (_, base, now, changes) => {
  expect(changesLooperKey({ base, now })).toBe(changes);
});
