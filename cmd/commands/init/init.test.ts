import ignore from "ignore";
import fc from "fast-check";
import { expect, test } from "vitest";
import { appendix, missingLines } from "./plan.js";
import { suggestProofs } from "./proofs.js";

const folder = fc
  .array(fc.stringMatching(/^[ \w*?#![\]\\ü.-]{1,8}$/), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("/"))
  .filter((name) => ignore.isPathValid(name) && !/ (?:\/|$)|\\/.test(name));

test("after the lines are added nothing is missing, what was there stands first, and no line is added twice", () => {
  fc.assert(
    fc.property(fc.constantFrom("", "a\n", "a", "a\r\nb", "# none\n"), fc.array(folder), (text, folders) => {
      const whole = text + appendix(text, missingLines(text, folders));
      expect(whole.startsWith(text)).toBe(true);
      expect(missingLines(whole, folders)).toEqual([]);
    }),
  );
});

test("a line that ignores it already, however it is spelled, is enough", () => {
  for (const text of ["looper-logs", "/looper-logs/", "*-logs/", "\ufefflooper-logs/\r\n"])
    expect(missingLines(text, ["looper-logs"]), text).toEqual([]);
  expect(missingLines("looper-logs/\n!looper-logs/\n", ["looper-logs"])).toEqual(["looper-logs/"]);
  expect(appendix("a\r\nb", ["x/"])).toBe("\r\nx/\r\n");
});

test("init guesses checks from the files, except npm's default test script", () => {
  const guess = (texts: Record<string, string>) =>
    suggestProofs(new Set(Object.keys(texts)), new Map(Object.entries(texts))).map(({ command }) => command);
  const tested = JSON.stringify({ scripts: { test: "vitest" } });
  expect(guess({ "package.json": tested, Makefile: "all:\n\ntest: all\n\ttrue\n" })).toEqual([
    "npm test",
    "make test",
  ]);
  expect(guess({ "package.json": tested, "pnpm-lock.yaml": "" })).toEqual(["pnpm test"]);
  expect(
    guess({ "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }),
  ).toEqual([]);
  for (const broken of ["{", "null", '{"scripts":null}', '{"scripts":{"test":1}}', "[]"])
    expect(guess({ "package.json": broken }), broken).toEqual([]);
  const others: Record<string, string> = {
    "pyproject.toml": "pytest",
    "requirements.txt": "pytest",
    "deno.json": "deno test",
    "pom.xml": "mvn test",
    "build.gradle.kts": "gradle test",
    "phpunit.xml.dist": "vendor/bin/phpunit",
    ".rspec": "bundle exec rspec",
  };
  for (const [name, command] of Object.entries(others))
    expect(guess({ [name]: "" }), name).toEqual([command]);
  expect(guess({ Gemfile: 'gem "rails"\ngem "rspec-rails"\n', Rakefile: "" })).toEqual(["bundle exec rspec"]);
  expect(guess({ Gemfile: "gem 'rails'\n# gem 'rspec'\n" })).toEqual(["bundle exec rails test"]);
  expect(guess({ Gemfile: "gem 'rake'", Rakefile: "Rake::TestTask.new" })).toEqual(["bundle exec rake test"]);
  expect(guess({ Gemfile: "", Rakefile: "task :build" })).toEqual([]);
  expect(guess({ "composer.json": '{"scripts": {"test": "phpunit"}}', "phpunit.xml": "" })).toEqual([
    "composer test",
  ]);
  expect(guess({ "composer.json": '{"scripts": {"lint": "x"}}' })).toEqual([]);
  expect(guess({ Pipfile: "", "Pipfile.lock": "" })).toEqual(["pipenv run pytest"]);
  expect(guess({ justfile: "default: test\ntest *args:\n  go test\n" })).toEqual(["just test"]);
  expect(guess({ justfile: 'test := "a"\n' })).toEqual([]);
  expect(guess({ "package.json": '{"scripts":{"check":"tsc"}}' })).toEqual(["npm run check"]);
  expect(guess({ "package.json": tested, "yarn.lock": "" })).toEqual(["yarn test"]);
  expect(guess({ "package.json": tested, "bun.lock": "" })).toEqual(["bun run test"]);
  expect(guess({ "package.json": "{}", "bun.lock": "" })).toEqual(["bun test"]);
  expect(guess({ Makefile: "check:\n\ttrue\n" })).toEqual(["make check"]);
  const setupOf = (texts: Record<string, string>) =>
    suggestProofs(new Set(Object.keys(texts)), new Map(Object.entries(texts)))[0]?.setup;
  const needing = JSON.stringify({ scripts: { test: "vitest" }, devDependencies: { vitest: "1" } });
  expect(setupOf({ "package.json": tested })).toBeUndefined();
  expect(setupOf({ "package.json": needing })).toBe("npm install");
  expect(setupOf({ "package.json": needing, "package-lock.json": "" })).toBe("npm ci");
  expect(setupOf({ "package.json": needing, "pnpm-lock.yaml": "" })).toBe("pnpm install --frozen-lockfile");
  expect(setupOf({ ".rspec": "" })).toBe("bundle install");
  const python = (...more: string[]) =>
    suggestProofs(new Set(["pyproject.toml", ...more]), new Map()).map(({ command, setup }) => [
      command,
      setup,
    ])[0];
  expect(python()).toEqual(["pytest", undefined]);
  expect(python("uv.lock", ".venv")).toEqual(["uv run pytest", "uv sync --frozen"]);
  expect(python("poetry.lock")).toEqual(["poetry run pytest", "poetry install"]);
  expect(python(".venv", "requirements.txt", "requirements-dev.txt")).toEqual([
    ".venv/bin/python -m pytest",
    "python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt -r requirements-dev.txt pytest",
  ]);
  expect(python("venv")?.[1]).toBe("python3 -m venv venv && venv/bin/pip install -q -e . pytest");
  expect(guess({ "pom.xml": "", mvnw: "" })).toEqual(["./mvnw test"]);
  expect(guess({ Makefile: "test := 3\ntests: x\n" })).toEqual([]);
  expect(guess({ "Cargo.toml": "", "go.mod": "", "pyproject.toml": "[tool.pytest.ini_options]" })).toEqual([
    "pytest",
    "cargo test",
    "go test ./...",
  ]);
});
