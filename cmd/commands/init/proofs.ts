// Guesses commands that may prove a task done from the files of a project. Pure: runs nothing, and shows no content of
// the files.
import { parseJson } from "../../../src/system/text/json.js";

export interface KnownCheck {
  command: string;
  from: string;
}

/** A check, the files that tell of it, and what one of them says. */
type Clue = readonly [command: string, files: readonly string[], says?: RegExp];

const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

/** The clues of each kind of project, the surest first: at most one of each is suggested. */
const CLUES: readonly (readonly Clue[])[] = [
  [
    ["make test", MAKEFILES, /^test\s*:(?!=)/m],
    ["make check", MAKEFILES, /^check\s*:(?!=)/m],
  ],
  [["pytest", ["pytest.ini", "conftest.py", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"]]],
  [["cargo test", ["Cargo.toml"]]],
  [["go test ./...", ["go.mod"]]],
  [
    ["./mvnw test", ["mvnw"]],
    ["mvn test", ["pom.xml"]],
  ],
  [
    ["./gradlew test", ["gradlew"]],
    ["gradle test", ["build.gradle", "build.gradle.kts"]],
  ],
  [["deno test", ["deno.json", "deno.jsonc"]]],
  [["vendor/bin/phpunit", ["phpunit.xml", "phpunit.xml.dist"]]],
  [["bundle exec rspec", [".rspec"]]],
  [["mix test", ["mix.exs"]]],
];

/** The files whose text a clue reads. */
export const TELLING_FILES: readonly string[] = ["package.json", ...MAKEFILES];

/** `names`: all names in the folder; `texts`: the content of the files to read. */
export function suggestProofs(names: ReadonlySet<string>, texts: ReadonlyMap<string, string>): KnownCheck[] {
  const find = ([command, files, says]: Clue): KnownCheck[] => {
    const from = files.find((name) => names.has(name) && (says?.test(texts.get(name) ?? "") ?? true));
    return from === undefined ? [] : [{ command, from }];
  };
  const scripts = ofScripts(names, texts.get("package.json"));
  return [
    ...(scripts === undefined ? [] : [scripts]),
    ...CLUES.flatMap((kind) => kind.flatMap(find).slice(0, 1)),
  ];
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

/** The test script that npm writes by default. */
const NO_TEST = /no test specified/;

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
