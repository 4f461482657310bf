// Guesses commands that may prove a task done from the files of a project. Pure: runs nothing, and shows no content of
// the files.
import { parseJson } from "../../../src/system/text/json.js";

export const TELLING_FILES = [
  "package.json",
  "Makefile",
  "makefile",
  "GNUmakefile",
  "Cargo.toml",
  "go.mod",
  "pyproject.toml",
  "pytest.ini",
  "tox.ini",
  "setup.cfg",
  "deno.json",
  "deno.jsonc",
  "composer.json",
  "Gemfile",
  "justfile",
] as const;

/** Files that make a folder a project of its own. */
export const MANIFESTS = [
  "package.json",
  "pyproject.toml",
  "setup.py",
  "requirements.txt",
  "Cargo.toml",
  "go.mod",
  "deno.json",
  "deno.jsonc",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "composer.json",
  "Gemfile",
  "mix.exs",
  "Package.swift",
  "pubspec.yaml",
  "Makefile",
] as const;

export interface KnownCheck {
  command: string;
  from: string;
}

/** The test script that npm writes by default. */
const NO_TEST = /no test specified/;

/** `names`: all names in the folder; `texts`: the content of the files to read. */
export function suggestProofs(names: ReadonlySet<string>, texts: ReadonlyMap<string, string>): KnownCheck[] {
  const found = [
    ofScripts(names, texts.get("package.json")),
    ofMake(texts),
    ofPython(names, texts),
    first(names, ["Cargo.toml"], "cargo test"),
    first(names, ["go.mod"], "go test ./..."),
    ofDeno(names, texts),
    first(names, ["pom.xml"], names.has("mvnw") ? "./mvnw test" : "mvn test"),
    first(
      names,
      ["build.gradle", "build.gradle.kts"],
      names.has("gradlew") ? "./gradlew test" : "gradle test",
    ),
    ofPhp(names, texts.get("composer.json")),
    ofRuby(names, texts.get("Gemfile")),
    first(names, ["mix.exs"], "mix test"),
    first(names, ["Package.swift"], "swift test"),
    first(names, ["pubspec.yaml"], "dart test"),
    /^test\b.*:/m.test(texts.get("justfile") ?? "") ? { command: "just test", from: "justfile" } : undefined,
  ];
  return found.filter((proof) => proof !== undefined);
}

/** The command, if one of these files exists. */
function first(
  names: ReadonlySet<string>,
  files: readonly string[],
  command: string,
): KnownCheck | undefined {
  const from = files.find((name) => names.has(name));
  return from === undefined ? undefined : { command, from };
}

function ofScripts(names: ReadonlySet<string>, manifest: string | undefined): KnownCheck | undefined {
  if (manifest === undefined) return undefined;
  const from = "package.json";
  const script = ["test", "check"].find((name) => hasScript(manifest, name));
  const runner = runnerOf(names);
  if (script !== undefined) return { command: runs(runner, script), from };
  return runner === "bun run" ? { command: "bun test", from } : undefined;
}

function runs(runner: string, script: string): string {
  return script === "test" || runner !== "npm" ? `${runner} ${script}` : `npm run ${script}`;
}

function ofMake(texts: ReadonlyMap<string, string>): KnownCheck | undefined {
  for (const target of ["test", "check"]) {
    const rule = new RegExp(String.raw`^${target}\s*:(?!=)`, "m");
    const from = ["GNUmakefile", "makefile", "Makefile"].find((name) => rule.test(texts.get(name) ?? ""));
    if (from !== undefined) return { command: `make ${target}`, from };
  }
  return undefined;
}

const OF_PYTHON = [
  "pytest.ini",
  "conftest.py",
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "requirements.txt",
  "requirements-dev.txt",
  "Pipfile",
  "tox.ini",
];

function ofPython(names: ReadonlySet<string>, texts: ReadonlyMap<string, string>): KnownCheck | undefined {
  const from = withPytest(texts) ?? OF_PYTHON.find((name) => names.has(name));
  if (from !== undefined) return { command: "pytest", from };
  const test = [...names].find((name) => /^(?:test_.*|.*_test)\.py$/.test(name));
  return test === undefined ? undefined : { command: "pytest", from: test };
}

function ofDeno(names: ReadonlySet<string>, texts: ReadonlyMap<string, string>): KnownCheck | undefined {
  const from = ["deno.json", "deno.jsonc"].find((name) => names.has(name));
  if (from === undefined) return undefined;
  const hasTask = /"tasks"\s*:\s*\{[^{}]*"test"\s*:/.test(texts.get(from) ?? "");
  return { command: hasTask ? "deno task test" : "deno test", from };
}

function ofPhp(names: ReadonlySet<string>, manifest: string | undefined): KnownCheck | undefined {
  if (manifest !== undefined && hasScript(manifest, "test"))
    return { command: "composer test", from: "composer.json" };
  return first(names, ["phpunit.xml", "phpunit.xml.dist"], "vendor/bin/phpunit");
}

function ofRuby(names: ReadonlySet<string>, gemfile = ""): KnownCheck | undefined {
  const usesRspec = names.has(".rspec") || /\brspec/.test(gemfile);
  if (usesRspec) return { command: "bundle exec rspec", from: names.has(".rspec") ? ".rspec" : "Gemfile" };
  return gemfile !== "" && names.has("Rakefile")
    ? { command: "bundle exec rake test", from: "Rakefile" }
    : undefined;
}

function withPytest(texts: ReadonlyMap<string, string>): string | undefined {
  return ["pyproject.toml", "tox.ini", "setup.cfg"].find((name) => /pytest/.test(texts.get(name) ?? ""));
}

function hasScript(manifest: string, name: string): boolean {
  const value = parseJson(manifest);
  if (typeof value !== "object" || value === null || !("scripts" in value)) return false;
  const { scripts } = value;
  if (typeof scripts !== "object" || scripts === null) return false;
  const script = new Map<string, unknown>(Object.entries(scripts)).get(name);
  return typeof script === "string" && script.trim() !== "" && !NO_TEST.test(script);
}

function runnerOf(names: ReadonlySet<string>): string {
  if (names.has("pnpm-lock.yaml")) return "pnpm";
  if (names.has("yarn.lock")) return "yarn";
  return names.has("bun.lock") || names.has("bun.lockb") ? "bun run" : "npm";
}
