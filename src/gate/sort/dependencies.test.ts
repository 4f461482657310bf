// Which changes of manifests only gain or raise plain dependencies, for each format.
import { expect, test } from "vitest";
import { influenceOf } from "./manifests.js";

const VERSION = { mode: "100644", oid: "x" };
const PROJECT = "[project]\ndependencies=";

function influence(path: string, before: string, after: string): string | undefined {
  return influenceOf({ path, from: VERSION, to: VERSION, before, after });
}

test.each<[path: string, before: string, after: string, why: string | undefined]>([
  [
    "go.mod",
    "module a\n\nrequire (\n\tb v1.0.0\n)\n",
    "module a\n\nrequire (\n\tb v1.0.1 // indirect\n\tc v2.0.0\n)\n",
    undefined,
  ],
  ["go.mod", "module a\nrequire b v1.0.0\n", "module a\nrequire b v1.0.0\nreplace b => ./c\n", "more than"],
  ["go.mod", "require b v1.0.0\n", "require b v1.0.0\nreplace (\n\tb => ./c\n)\n", "more than"],
  ["go.mod", "require b v1.1.0\n", "require b v1.0.0\n", "b was changed"],
  ["Gemfile", "source 'x'\ngem 'a'\n", "source 'x'\ngem 'a'\ngem \"b\", \"~> 1\"\n", undefined],
  ["Gemfile", "gem 'a'\n", 'gem \'a\'\ngem "b", path: "x"\n', "more than"],
  ["requirements.txt", "a==1\n", "a==2\nb>=1 # why\n", undefined],
  ["requirements.txt", "a==1\n", "a==1\n./b\n", "more than"],
  ["requirements.txt", "a==1\nb==1\n", "a==1\n", "b was removed"],
  ["pyproject.toml", `${PROJECT}["a==1"]\n`, `${PROJECT}["a==1","b>=2"]\n`, undefined],
  ["pyproject.toml", `${PROJECT}["a==1"]\n`, `${PROJECT}["a==1","b @ file:///x"]\n`, "does not come"],
  ["composer.json", '{"require":{"a/b":"^1.0"}}', '{"require":{"a/b":"^1.0","c/d":"^2"}}', undefined],
])("%s: %j becomes %j", (path, before, after, why) => {
  const found = influence(path, before, after);
  if (why === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(why);
});

const MORE = "more than its dependencies changed";
const ODD = "does not come from a registry by a plain version";

test.each<[path: string, more: string, why?: string]>([
  ["requirements-dev.txt", "b==1"],
  ["requirements.in", "b==1"],
  ["my-requirements.txt", "b==1", "it cannot be read"],
  ["requirements.txt.old", "b==1", "it cannot be read"],
  ["requirements.txt", "b"],
  ["requirements.txt", "  b  >=  1.0"],
  ["requirements.txt", "b>=1,<2"],
  ["requirements.txt", "b >= 1, < 2"],
  ["requirements.txt", "b[extra]==1"],
  ["requirements.txt", "b [one, two] ==1"],
  ["requirements.txt", 'b==1; python_version<"3"'],
  ["requirements.txt", "b==1 \\\n  --hash=sha256:ab \\\n  --hash=sha256:cd"],
  ["requirements.txt", "\n# why\n"],
  ["requirements.txt", "b # why"],
  ["requirements.txt", "b c", MORE],
  ["requirements.txt", "b\\\nc", MORE],
  ["requirements.txt", "b @ https://a.example/b.whl", MORE],
  ["requirements.txt", "-r more.txt", MORE],
  ["go.mod", "require box.org/b v1.0.0"],
  ["go.mod", "require  box.org/b  v1.0.0"],
  ["go.mod", "require(\n    box.org/b v1.0.0\n)"],
  ["go.mod", "require (\n\t// why\n\tbox.org/b v1.0.0\n)"],
  ["go.mod", "require box.org/b v1.0.0 more", MORE],
  ["go.mod", "norequire box.org/b v1.0.0", MORE],
  ["go.mod", "// require (\n\tbox.org/b v1.0.0\n)", MORE],
  ["Gemfile", "gem 'box'"],
  ["Gemfile", "gem ('box' )"],
  ["Gemfile", "gem 'box','1'"],
  ["Gemfile", "gem 'box' , '>= 1', '< 2'"],
  ["Gemfile", "gem 'box', require: false"],
  ["Gemfile", "gem 'box' ,require:false"],
  ["Gemfile", "gem 'box', group: :test"],
  ["Gemfile", "gem 'box', group::test"],
  ["Gemfile", "gem 'box', groups: [:one, :two]"],
  ["Gemfile", "mygem 'box'", MORE],
  ["Gemfile", "gem 'box', git: 'x'", MORE],
  ["Cargo.toml", '[dependencies]\nb = { version = "1", features = ["x"] }'],
  ["Cargo.toml", '[build-dependencies]\nb = "1"'],
  ["Cargo.toml", '[dependencies]\nb = { version = "1", path = "b" }', `b ${ODD}`],
  ["Cargo.toml", '[dependencies]\nb = { version = "1", versions = "b" }', `b ${ODD}`],
  ["Cargo.toml", '[dependencies]\nb = { version = "1", my-version = "b" }', `b ${ODD}`],
  ["Cargo.toml", '[dependencies]\nb = { features = ["x"] }', `b ${ODD}`],
  ["Cargo.toml", '[workspace.dependencies]\nb = "1"', MORE],
  ["Cargo.toml", '[dependencies-of-others]\nb = "1"', MORE],
  ["pyproject.toml", '[project.optional-dependencies]\ndev = ["b>=1"]'],
  ["pyproject.toml", '[dependency-groups]\ndev = ["b>=1"]'],
  ["pyproject.toml", '[tool.poetry.dependencies]\nb = "^1"'],
  ["pyproject.toml", '[tool.poetry.group.dev.dependencies]\nb = "^1"'],
  ["pyproject.toml", '[dependency-groups]\ndev = [{ include-group = "a" }]', MORE],
  ["pyproject.toml", '[dependency-groups]\ndev = ["b", { include-group = "a" }]', MORE],
  ["pyproject.toml", '[tool.box.project]\ndependencies = ["b"]', MORE],
  ["pyproject.toml", '[tool.poetry.dependencies-of-others]\nb = "^1"', MORE],
])("%s gains %j", (path, more, why) => {
  const before = path.endsWith(".toml") ? 'title = "a"\n' : path === "go.mod" ? "module a\n" : "";
  expect(influence(path, before, `${before}${more}\n`)).toBe(why);
});

test.each<[path: string, after: string, why?: string]>([
  ["package.json", '{"peerDependencies":{"b":">=1 <2 || 3.x"}}'],
  ["package.json", '{"dependencies":{"b":"1.0.0-beta.zipped"}}'],
  ["package.json", '{"dependencies":{"b":"b.zip"}}', `b ${ODD}`],
  ["package.json", '{"dependencies":{"b":"npm:c@1"}}', `b ${ODD}`],
  ["package.json", '{"dependencies":{"b":1}}', `b ${ODD}`],
  ["package.json", '{"dependencies":1}', MORE],
  ["package.json", '{"dependenciesMeta":{"b":"1"}}', MORE],
  ["package.json", '{"pnpm":{"dependencies":{"b":"1"}}}', MORE],
  ["package.json", '{"exports":{}}', MORE],
  ["package.json", "[]", "it cannot be read"],
  ["composer.json", '{"require-dev":{"b/c":"^1"}}'],
  ["composer.json", '{"require-all":{"b/c":"^1"}}', MORE],
  ["composer.json", '{"extra":{"require":{"b/c":"^1"}}}', MORE],
])("an empty %s becomes %j", (path, after, why) => {
  expect(influence(path, "{}", after)).toBe(why);
});

test.each<[what: string, path: string, before: string, after: string, why?: string]>([
  [
    "a lower version in a block",
    "go.mod",
    "require (\n\tb v1.1.0\n)",
    "require (\n\tb v1.0.0\n)",
    "b was changed",
  ],
  [
    "a removed requirement",
    "pyproject.toml",
    `${PROJECT}["a","b"]`,
    `${PROJECT}["b"]`,
    "project.dependencies a was removed",
  ],
  ["a requirement before the others", "pyproject.toml", `${PROJECT}["b==1"]`, `${PROJECT}["a==2","b==1"]`],
  ["another spelling of a name", "requirements.txt", "b-c==1", "B_.c==1", "b-c was changed"],
  ["a second line of a name", "requirements.txt", "b==1", "b==1\nb==2", "b was there with another version"],
])("a list of dependencies: %s", (_, ...[path, before, after, why]) => {
  expect(influence(path, before, after)).toBe(why);
});
