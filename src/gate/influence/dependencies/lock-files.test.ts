// Which entries may be added to lock files and manifests, format by format, and what must stay as it was.
import { expect, test } from "vitest";
import { influenceOf, listsDependencies } from "./dependencies.js";

const why = (path: string, before: string, after: string): string | undefined =>
  influenceOf({ path, before, after }, new Set(["check-all"]));

const PLAIN = /plain version/;

const npm = (packages: object, more: object = {}): string =>
  JSON.stringify({ lockfileVersion: 3, packages: { "": {}, ...packages }, ...more });
const entry = (name: string, more: object = {}): object => ({
  version: "1.0.0",
  resolved: `https://r.example/${name}/-/${name.replace(/^.*\//, "")}-1.0.0.tgz`,
  integrity: `sha512-${name}`,
  ...more,
});
const A = { "node_modules/a": entry("a", { dev: true, funding: { url: "https://money.example/a" } }) };

test.each<[string, object, RegExp | undefined]>([
  [
    "flags of what others need",
    { "node_modules/a": { ...entry("a"), funding: { url: "https://money.example/a" } } },
    undefined,
  ],
  [
    "a package that asks for money",
    { ...A, "node_modules/b": entry("b", { funding: { url: "https://b.example/" } }) },
    undefined,
  ],
  ["a scoped package", { ...A, "node_modules/@s/b": entry("@s/b") }, undefined],
  [
    "a package inside a new one",
    { ...A, "node_modules/b": entry("b"), "node_modules/b/node_modules/a": entry("a") },
    undefined,
  ],
  ["a package inside an old one", { "node_modules/a/node_modules/b": entry("b"), ...A }, /was changed/],
  [
    "a program inside a new one",
    {
      ...A,
      "node_modules/b": entry("b"),
      "node_modules/b/node_modules/c": entry("c", { bin: { vitest: "x" } }),
    },
    /program named vitest/,
  ],
  ["an alias", { ...A, "node_modules/b": entry("evil", { name: "evil" }) }, PLAIN],
  ["another package's archive", { ...A, "node_modules/b": entry("evil") }, PLAIN],
  ["a link", { ...A, "node_modules/b": { resolved: "packages/b", link: true } }, PLAIN],
  [
    "a folder of the project",
    { ...A, "packages/b": { version: "1.0.0", resolved: "file:packages/b" } },
    PLAIN,
  ],
  [
    "a repository",
    { ...A, "node_modules/b": entry("b", { resolved: "git+ssh://git@h.example/b.git#1" }) },
    PLAIN,
  ],
  [
    "money as a place",
    { ...A, "node_modules/b": entry("b", { resolved: "https://money.example/b/-/b-1.0.0.tgz" }) },
    /another place/,
  ],
])("package-lock.json: %s", (_, packages, reason) => {
  const found = why("package-lock.json", npm(A), npm(packages));
  if (reason === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(reason);
});

test("package-lock.json: what it says to old clients counts too", () => {
  const old = { dependencies: { a: { version: "1.0.0" } } };
  expect(
    why("package-lock.json", npm(A, old), npm(A, { dependencies: { a: { version: "2.0.0" } } })),
  ).toMatch(/changed/);
});

test("the first entry of a lock file must come from a public registry", () => {
  const from = (host: string): string =>
    npm({ "node_modules/b": entry("b", { resolved: `https://${host}/b/-/b-1.0.0.tgz` }) });
  expect(why("package-lock.json", npm({}), from("registry.npmjs.org"))).toBeUndefined();
  expect(why("package-lock.json", npm({}), from("evil.example"))).toMatch(/another place/);
});

test.each<[string, string, RegExp | undefined]>([
  ["a name in another table", '{"dependencies":{"a":"9"},"devDependencies":{"a":"1"}}', /a was changed/],
  ["a name that was there", '{"devDependencies":{"a":"1"},"peerDependencies":{"a":"2"}}', /another version/],
  ["a repository by its short name", '{"devDependencies":{"a":"1","b":"user/b"}}', PLAIN],
  ["an archive", '{"devDependencies":{"a":"1","b":"b.tgz"}}', PLAIN],
  ["a catalog", '{"devDependencies":{"a":"1","b":"catalog:"}}', PLAIN],
  ["a range", '{"devDependencies":{"a":"1","b":">=1.2.0-rc.1 <2 || 3.x"}}', undefined],
  ["a tag", '{"devDependencies":{"a":"1","b":"latest"}}', undefined],
  ["a plugin that karma loads", '{"devDependencies":{"a":"1","karma-x":"1"}}', /because it is there/],
  ["a name of every object", '{"devDependencies":{"a":"1","__proto__":"1","constructor":"file:x"}}', PLAIN],
])("package.json: %s", (_, after, reason) => {
  const found = why("package.json", '{"devDependencies":{"a":"1"}}', after);
  if (reason === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(reason);
});

const YARN = 'a@^1.0.0:\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#x"\n';
const BERRY = '__metadata:\n  version: 8\n\n"a@npm:^1.0.0":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n';
const POETRY = '[[package]]\nname = "a"\nversion = "1"\nfiles = [{file = "a.whl", hash = "x"}]\n';
const UV =
  'version = 1\n[[package]]\nname = "a"\nversion = "1"\nsource = { registry = "https://pypi.org/simple" }\n[[package]]\nname = "own"\nversion = "0"\nsource = { editable = "." }\ndependencies = [{ name = "a" }]\n';
const CARGO =
  '[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "x"\n[[package]]\nname = "own"\nversion = "0.1.0"\ndependencies = ["a"]\n';
const COMPOSER = (more: string): string =>
  `{"content-hash":"${more.length}","packages":[{"name":"a/a","version":"1","source":{"type":"git","url":"https://github.com/a/a.git"},"dist":{"type":"zip","url":"https://api.github.com/a"},"funding":[{"url":"https://a.example/"}]}${more}],"packages-dev":[]}`;
const GEMS = (specs: string, needs = ""): string =>
  `GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1.0)\n      c (~> 1)\n    c (1.0)\n${specs}\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  a (~> 1)\n${needs}`;

test.each<[string, string, string, RegExp | undefined]>([
  [
    "yarn.lock",
    YARN,
    `${YARN}\n"b@^2.0.0":\n  version "2.0.0"\n  resolved "https://registry.yarnpkg.com/b/-/b-2.0.0.tgz#y"\n`,
    undefined,
  ],
  ["yarn.lock", YARN, YARN.replace("a@^1.0.0:", "a@^1.0.0, a@^1.1.0:"), undefined],
  [
    "yarn.lock",
    YARN,
    `${YARN}\nb@^2.0.0:\n  version "2.0.0"\n  resolved "https://registry.yarnpkg.com/evil/-/evil-2.0.0.tgz#y"\n`,
    PLAIN,
  ],
  [
    "yarn.lock",
    YARN,
    `${YARN}\nb@^2.0.0:\n  version "2.0.0"\n  resolved "https://evil.example/b/-/b-2.0.0.tgz#y"\n`,
    /another place/,
  ],
  ["yarn.lock", YARN, `${YARN}\n"b@file:./b":\n  version "2.0.0"\n`, PLAIN],
  [
    "yarn.lock",
    BERRY,
    `${BERRY}\n"b@npm:^2.0.0":\n  version: 2.0.0\n  resolution: "b@npm:2.0.0"\n`,
    undefined,
  ],
  [
    "yarn.lock",
    BERRY,
    `${BERRY}\n"b@npm:^2.0.0":\n  version: 2.0.0\n  resolution: "evil@npm:2.0.0"\n`,
    PLAIN,
  ],
  ["yarn.lock", BERRY, BERRY.replace("version: 8", "version: 9"), /more than/],
  [
    "poetry.lock",
    POETRY,
    `${POETRY}\n[[package]]\nname = "b"\nversion = "1"\nfiles = [{file = "b.whl", hash = "y"}]\n`,
    undefined,
  ],
  [
    "poetry.lock",
    POETRY,
    `${POETRY}\n[[package]]\nname = "b"\nversion = "1"\n[package.source]\ntype = "directory"\nurl = "b"\n`,
    PLAIN,
  ],
  [
    "uv.lock",
    UV,
    `${UV.replace('[{ name = "a" }]', '[{ name = "a" }, { name = "b" }]')}[[package]]\nname = "b"\nversion = "1"\nsource = { registry = "https://pypi.org/simple" }\n`,
    undefined,
  ],
  [
    "uv.lock",
    UV,
    `${UV}[[package]]\nname = "b"\nversion = "1"\nsource = { registry = "https://evil.example/simple" }\n`,
    /another place/,
  ],
  ["uv.lock", UV, `${UV}[[package]]\nname = "b"\nversion = "1"\nsource = { directory = "b" }\n`, PLAIN],
  [
    "Cargo.lock",
    CARGO,
    `${CARGO.replace('["a"]', '["a", "b"]')}[[package]]\nname = "b"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n`,
    undefined,
  ],
  ["Cargo.lock", CARGO, `${CARGO}[[package]]\nname = "b"\nversion = "1.0.0"\n`, PLAIN],
  [
    "Cargo.lock",
    CARGO,
    `${CARGO}[[package]]\nname = "b"\nversion = "1.0.0"\nsource = "git+https://h.example/b#1"\n`,
    PLAIN,
  ],
  [
    "composer.lock",
    COMPOSER(""),
    COMPOSER(
      ',{"name":"b/b","version":"1","dist":{"type":"zip","url":"https://api.github.com/b"},"funding":[{"url":"https://b.example/"}]}',
    ),
    undefined,
  ],
  [
    "composer.lock",
    COMPOSER(""),
    COMPOSER(',{"name":"b/b","version":"1","type":"composer-plugin"}'),
    /because it is there/,
  ],
  [
    "composer.lock",
    COMPOSER(""),
    COMPOSER(',{"name":"b/b","version":"1","dist":{"type":"path","url":"b"}}'),
    PLAIN,
  ],
  ["Gemfile.lock", GEMS(""), GEMS("    d (2.0)\n      c\n", "  d\n"), undefined],
  ["Gemfile.lock", GEMS(""), GEMS("").replace("c (1.0)", "c (2.0)"), /was changed/],
  [
    "Gemfile.lock",
    GEMS(""),
    GEMS("").replace("a (1.0)\n      c (~> 1)", "a (1.0)\n      c (~> 1)\n      d"),
    /was changed/,
  ],
  ["Gemfile.lock", GEMS(""), `PATH\n  remote: b\n  specs:\n    b (1)\n\n${GEMS("", "  b!\n")}`, /more than/],
  [
    "Gemfile",
    'source "https://rubygems.org"\n',
    'source "https://rubygems.org"\ngem "b", "~> 1.0", require: false\n',
    undefined,
  ],
  [
    "Gemfile",
    'source "https://rubygems.org"\n',
    'source "https://rubygems.org"\ngem "b", path: "b"\n',
    /more than/,
  ],
  ["Gemfile", 'gem "a"\n', 'gem "a"\nsystem("true")\n', /more than/],
  ["Gemfile", 'gem "a"\n', 'gem "a"\ngem "minitest-always"\n', /because it is there/],
  ["Cargo.toml", "[dependencies]\n", '[dependencies]\nb = { version = "1", package = "evil" }\n', PLAIN],
  ["Cargo.toml", "[dependencies]\n", '[dependencies]\nb = { version = "1", registry = "mine" }\n', PLAIN],
  [
    "pyproject.toml",
    "[project]\n",
    '[project]\n[project.optional-dependencies]\ndev = ["b>=1"]\n[dependency-groups]\nlint = ["c"]\n',
    undefined,
  ],
  [
    "pyproject.toml",
    "[project.optional-dependencies]\ndev = []\n",
    "[project.optional-dependencies]\ndev = [\"b>=1; python_version<'4'\"]\n",
    undefined,
  ],
  [
    "pyproject.toml",
    '[tool.poetry.dependencies]\na = "^1"\n',
    '[tool.poetry.dependencies]\na = "^1"\nb = { version = "^2", extras = ["x"] }\n',
    undefined,
  ],
  [
    "pyproject.toml",
    '[tool.poetry.dependencies]\na = "^1"\n',
    '[tool.poetry.dependencies]\na = "^1"\nb = { path = "b" }\n',
    PLAIN,
  ],
  [
    "requirements.txt",
    "a==1 \\\n  --hash=sha256:x\n",
    "a==1 \\\n  --hash=sha256:x\nb==1 \\\n  --hash=sha256:y\n",
    undefined,
  ],
  ["requirements.txt", "a==1\n", "a==1\n--pre\n", PLAIN],
  ["requirements.txt", "Foo_Bar==1\n", "Foo_Bar==1\nfoo-bar==2\n", /was changed/],
  ["requirements.txt", "a==1\n", "a==1\n./b\n", PLAIN],
  ["requirements.txt", "a\n", `a\nb${"=".repeat(5000)}@\n`, PLAIN],
  [
    "go.mod",
    "module x\nrequire a.b/c v1.0.0\n",
    "module x\nrequire a.b/c v1.0.0\nrequire a.b/c v2.0.0\n",
    /another version/,
  ],
])("%s: %j to %j", (path, before, after, reason) => {
  const found = why(path, before, after);
  if (reason === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(reason);
});

test("a file with the name of a part of every object lists no dependencies", () => {
  for (const path of ["src/constructor", "__proto__", "toString", "a/hasOwnProperty"])
    expect(listsDependencies(path)).toBe(false);
});
