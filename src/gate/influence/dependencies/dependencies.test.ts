// Which changes of manifests and lock files add plain dependencies and nothing else.
import { expect, test } from "vitest";
import { influenceOf, listsDependencies } from "./dependencies.js";

const PROGRAMS = new Set(["check-all"]);

function why(path: string, before: unknown, after: unknown): string | undefined {
  const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
  return influenceOf({ path, before: text(before), after: text(after) }, PROGRAMS);
}

const PACKAGE = { name: "x", scripts: { test: "node --test" }, dependencies: { a: "^1.0.0" } };

test("a new name with a plain version is an added dependency, in any of the tables", () => {
  expect(
    why("package.json", PACKAGE, { ...PACKAGE, dependencies: { a: "^1.0.0", b: "~2.1.0" } }),
  ).toBeUndefined();
  expect(
    why("packages/p/package.json", PACKAGE, { ...PACKAGE, devDependencies: { b: "2.x" } }),
  ).toBeUndefined();
});

test.each<[string, unknown, string]>([
  ["a script", { ...PACKAGE, scripts: { test: "true" } }, "more than its dependencies changed"],
  ["another version", { ...PACKAGE, dependencies: { a: "^2.0.0" } }, "a was changed"],
  ["a removed one", { ...PACKAGE, dependencies: {} }, "a was removed"],
  ...[
    "file:./x",
    "link:../x",
    "git+ssh://h/x",
    "github:u/x",
    "npm:other@1",
    "https://h/x.tgz",
    "./x",
    "workspace:*",
  ].map((version): [string, unknown, string] => [
    version,
    { ...PACKAGE, dependencies: { a: "^1.0.0", b: version } },
    "b does not come from a registry by a plain version",
  ]),
  [
    "a runner's name",
    { ...PACKAGE, dependencies: { a: "^1.0.0", vitest: "1" } },
    "vitest brings a program named vitest",
  ],
  [
    "a command's name",
    { ...PACKAGE, dependencies: { a: "^1.0.0", "check-all": "1" } },
    "check-all brings a program named check-all",
  ],
  ["an override", { ...PACKAGE, overrides: { a: "2" } }, "more than its dependencies changed"],
  ["no JSON", "{", "it cannot be read"],
  ["a list", "[]", "it cannot be read"],
])("package.json: %s may decide a check", (_, after, reason) => {
  expect(why("package.json", PACKAGE, after)).toBe(reason);
});

const entry = (name: string, more: object = {}): object => ({
  version: "1.0.0",
  resolved: `https://registry.example/${name}/-/${name}-1.0.0.tgz`,
  integrity: `sha512-${name}`,
  ...more,
});
const lock = (packages: object): object => ({
  name: "x",
  lockfileVersion: 3,
  packages: { "": { name: "x", dependencies: {} }, ...packages },
});
const LOCK = lock({ "node_modules/a": entry("a") });

test("package-lock.json: entries may be added from where the others come from", () => {
  const after = lock({ "node_modules/a": entry("a"), "node_modules/b": entry("b", { bin: { b: "b.js" } }) });
  expect(why("package-lock.json", LOCK, after)).toBeUndefined();
});

test.each<[string, object, RegExp]>([
  ["another hash", { "node_modules/a": entry("a", { integrity: "sha512-z" }) }, /was changed$/],
  ["a link", { "node_modules/a": { resolved: "x", link: true } }, /was changed$/],
  [
    "another place",
    {
      "node_modules/a": entry("a"),
      "node_modules/b": entry("b", { resolved: "https://evil.example/b/-/b.tgz" }),
    },
    /another place/,
  ],
  [
    "a program of a runner",
    { "node_modules/a": entry("a"), "node_modules/b": entry("b", { bin: { jest: "b.js" } }) },
    /a program named jest$/,
  ],
  [
    "a shadow inside another package",
    { "node_modules/a": entry("a"), "node_modules/c/node_modules/mocha": entry("mocha") },
    /a program named mocha$/,
  ],
])("package-lock.json: %s may decide a check", (_, packages, reason) => {
  expect(why("package-lock.json", LOCK, lock(packages))).toMatch(reason);
});

test.each<[string, string, string, RegExp | undefined]>([
  ["requirements.txt", "a==1\n", "a==1\nb>=2 # new\n", undefined],
  ["requirements-dev.txt", "a==1\n", "a==2\n", /^a was changed$/],
  ["requirements.txt", "a==1\n", "a==1\n-e ./x\n", /plain version/],
  ["requirements.txt", "a==1\n", "a==1\n--index-url https://evil.example/\n", /plain version/],
  ["requirements.txt", "a==1\n", "a==1\nb @ https://evil.example/b.whl\n", /plain version/],
  ["requirements.txt", "a==1\n", "a==1\npytest-always\n", /because it is there/],
  [
    "pyproject.toml",
    '[project]\ndependencies = ["a"]\n',
    '[project]\ndependencies = ["a", "b>1"]\n',
    undefined,
  ],
  ["pyproject.toml", "[project]\n", '[project]\n[tool.pytest.ini_options]\naddopts = "-x"\n', /more than/],
  ["Cargo.toml", '[dependencies]\na = "1"\n', '[dependencies]\na = "1"\nb = { version = "2" }\n', undefined],
  ["Cargo.toml", "[dependencies]\n", '[dependencies]\nb = { path = "x" }\n', /plain version/],
  ["Cargo.toml", "[dependencies]\n", '[patch.crates-io]\na = { path = "x" }\n', /more than/],
  [
    "go.mod",
    "module x\ngo 1.22\nrequire a.b/c v1.0.0\n",
    "module x\ngo 1.22\nrequire (\n\ta.b/c v1.0.0\n\ta.b/d v1.0.0 // indirect\n)\n",
    undefined,
  ],
  ["go.mod", "module x\n", "module x\nreplace a.b/c => ./c\n", /more than/],
  ["go.sum", "a v1 h1:x=\n", "a v1 h1:x=\nb v1 h1:y=\n", undefined],
  ["go.sum", "a v1 h1:x=\n", "a v1 h1:z=\n", /removed$/],
  [
    "yarn.lock",
    '# yarn\n\na@^1:\n  version "1"\n',
    '# yarn\n\na@^1:\n  version "1"\n\nb@^2:\n  version "2"\n',
    undefined,
  ],
  ["yarn.lock", '# yarn\n\na@^1:\n  version "1"\n', '# yarn\n\na@^1:\n  version "9"\n', /was changed$/],
  [
    "pnpm-lock.yaml",
    "lockfileVersion: '9'\npackages:\n  a@1: {resolution: {integrity: x}}\n",
    "lockfileVersion: '9'\npackages:\n  a@1: {resolution: {integrity: x}}\n  b@1: {resolution: {integrity: y}}\n",
    undefined,
  ],
  [
    "pnpm-lock.yaml",
    "packages:\n  a@1: {resolution: {integrity: x}}\n",
    "packages:\n  a@1: {resolution: {integrity: z}}\n",
    /was changed$/,
  ],
  ["pnpm-lock.yaml", "packages: {}\n", "patchedDependencies: {a: x}\npackages: {}\n", /more than/],
  [
    "uv.lock",
    'version = 1\n[[package]]\nname = "a"\nversion = "1"\n',
    'version = 1\n[[package]]\nname = "a"\nversion = "1"\n[[package]]\nname = "b"\nversion = "1"\n',
    undefined,
  ],
  [
    "Cargo.lock",
    '[[package]]\nname = "a"\nversion = "1"\nchecksum = "x"\n',
    '[[package]]\nname = "a"\nversion = "1"\nchecksum = "z"\n',
    /was changed$/,
  ],
  [
    "composer.lock",
    '{"packages":[{"name":"a","version":"1"}],"packages-dev":[]}',
    '{"packages":[{"name":"a","version":"1"},{"name":"b","version":"1"}],"packages-dev":[]}',
    undefined,
  ],
  [
    "composer.json",
    '{"require":{"a/a":"1"}}',
    '{"require":{"a/a":"1"},"scripts":{"test":"true"}}',
    /more than/,
  ],
])("%s: %j to %j", (path, before, after, reason) => {
  const found = why(path, before, after);
  if (reason === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(reason);
});

test("files that list dependencies are known by name", () => {
  for (const path of [
    "package.json",
    "a/package-lock.json",
    "requirements/dev.txt",
    "requirements-dev.txt",
    "go.sum",
  ])
    expect([path, listsDependencies(path)]).toEqual([path, path !== "requirements/dev.txt"]);
});
