// Guesses commands that may prove a task done from the files of a project. Pure: runs nothing, and shows no content of
// the files.
import { parseJson } from "../../../src/system/text/json.js";

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

/** A check, and the files that tell of it: by their names, or by what is in them. */
interface Clue {
  command: string;
  in: readonly string[] | RegExp;
  says?: (text: string) => boolean;
  /** Another file that must be there. */
  beside?: string;
}

const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];
const DENO = ["deno.json", "deno.jsonc"];
const GRADLE = ["build.gradle", "build.gradle.kts"];
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

const has =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

/** The clues of each kind of project, the surest first: at most one of each is suggested. */
const CLUES: readonly (readonly Clue[])[] = [
  [
    { command: "make test", in: MAKEFILES, says: has(/^test\s*:(?!=)/m) },
    { command: "make check", in: MAKEFILES, says: has(/^check\s*:(?!=)/m) },
  ],
  [
    { command: "pytest", in: ["pyproject.toml", "tox.ini", "setup.cfg"], says: has(/pytest/) },
    { command: "pytest", in: OF_PYTHON },
    { command: "pytest", in: /^(?:test_.*|.*_test)\.py$/ },
  ],
  [{ command: "cargo test", in: ["Cargo.toml"] }],
  [{ command: "go test ./...", in: ["go.mod"] }],
  [
    { command: "deno task test", in: DENO, says: has(/"tasks"\s*:\s*\{[^{}]*"test"\s*:/) },
    { command: "deno test", in: DENO },
  ],
  [
    { command: "./mvnw test", in: ["pom.xml"], beside: "mvnw" },
    { command: "mvn test", in: ["pom.xml"] },
  ],
  [
    { command: "./gradlew test", in: GRADLE, beside: "gradlew" },
    { command: "gradle test", in: GRADLE },
  ],
  [
    { command: "composer test", in: ["composer.json"], says: (text) => hasScript(text, "test") },
    { command: "vendor/bin/phpunit", in: ["phpunit.xml", "phpunit.xml.dist"] },
  ],
  [
    { command: "bundle exec rspec", in: [".rspec"] },
    { command: "bundle exec rspec", in: ["Gemfile"], says: has(/\brspec/) },
    { command: "bundle exec rake test", in: ["Gemfile"], beside: "Rakefile" },
  ],
  [{ command: "mix test", in: ["mix.exs"] }],
  [{ command: "swift test", in: ["Package.swift"] }],
  [{ command: "dart test", in: ["pubspec.yaml"] }],
  [{ command: "just test", in: ["justfile"], says: has(/^test\b.*:/m) }],
];

/** The files whose text a clue reads. */
export const TELLING_FILES: readonly string[] = [
  "package.json",
  ...CLUES.flat().flatMap(({ in: files, says }) =>
    says === undefined || files instanceof RegExp ? [] : files,
  ),
];

/** `names`: all names in the folder; `texts`: the content of the files to read. */
export function suggestProofs(names: ReadonlySet<string>, texts: ReadonlyMap<string, string>): KnownCheck[] {
  const find = ({ command, in: files, says, beside }: Clue): KnownCheck[] => {
    if (beside !== undefined && !names.has(beside)) return [];
    const there =
      files instanceof RegExp
        ? [...names].filter((name) => files.test(name))
        : files.filter((name) => names.has(name));
    const from = there.find((name) => says === undefined || says(texts.get(name) ?? ""));
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
