// Guesses commands that may prove a task done from the files of a project. Pure: runs nothing, and shows no
// content of the files.
import { isRecord, parseJson } from "../../../src/system/text/json.js";

export interface KnownCheck {
  command: string;
  from: string;
  /** Installs what the check needs, for a room that has only the commit. */
  setup?: string | undefined;
}

/** A check, the files that tell of it, and what one of them says. */
type Clue = readonly [command: string, files: readonly string[], says?: RegExp];

const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

const PYTEST = "pytest";

/** The clues of each kind of project, the surest first: at most one of each is suggested. */
const CLUES: readonly (readonly Clue[])[] = [
  [
    ["make test", MAKEFILES, /^test\s*:(?!=)/m],
    ["make check", MAKEFILES, /^check\s*:(?!=)/m],
  ],
  [
    ["just test", ["justfile", "Justfile"], /^test(?::(?!=)| [\w*+$])/m],
    ["just check", ["justfile", "Justfile"], /^check(?::(?!=)| [\w*+$])/m],
  ],
  [
    [
      PYTEST,
      [
        ...[
          "pytest.ini",
          "conftest.py",
          "pyproject.toml",
          "setup.py",
          "setup.cfg",
          "requirements.txt",
          "Pipfile",
        ],
      ],
    ],
  ],
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
  [
    ["composer test", ["composer.json"], /"test"\s{0,9}:\s{0,9}["[]/],
    ["vendor/bin/phpunit", ["phpunit.xml", "phpunit.xml.dist"]],
  ],
  [
    ["bundle exec rspec", [".rspec"]],
    ["bundle exec rspec", ["Gemfile"], /^ {0,9}gem[ (]["']rspec/m],
    ["bundle exec rails test", ["Gemfile"], /^ {0,9}gem[ (]["']rails["']/m],
    ["bundle exec rake test", ["Rakefile"], /\bTestTask\b|^task[ (]{1,2}[:"']?test\b/m],
  ],
  [["mix test", ["mix.exs"]]],
];

/** By its check: the command that installs what it needs. */
const SETUPS: ReadonlyMap<string, string> = new Map([
  ["composer test", "composer install --no-interaction"],
  ["vendor/bin/phpunit", "composer install --no-interaction"],
  ["bundle exec rspec", "bundle install"],
  ["bundle exec rails test", "bundle install"],
  ["bundle exec rake test", "bundle install"],
  ["mix test", "mix deps.get"],
]);

/** Of JavaScript: the lock file, what runs a script, and what installs the locked packages. */
const MANAGERS = [
  ["pnpm-lock.yaml", "pnpm", "pnpm install --frozen-lockfile"],
  ["yarn.lock", "yarn", "yarn install --frozen-lockfile"],
  ["bun.lock", "bun run", "bun install --frozen-lockfile"],
  ["bun.lockb", "bun run", "bun install --frozen-lockfile"],
  ["package-lock.json", "npm", "npm ci"],
] as const;

/** Of Python: the lock file, what starts a program of its environment, and what fills that. */
const ENVIRONMENTS = [
  ["uv.lock", "uv run", "uv sync --frozen"],
  ["poetry.lock", "poetry run", "poetry install"],
  ["pdm.lock", "pdm run", "pdm install --frozen-lockfile"],
  ["Pipfile.lock", "pipenv run", "pipenv sync --dev"],
] as const;

const REQUIREMENTS = ["requirements.txt", "requirements-dev.txt", "requirements-test.txt"];

/** The files whose text a clue reads. */
export const TELLING_FILES: readonly string[] = [
  ...["package.json", ...MAKEFILES],
  ...["justfile", "Justfile", "composer.json", "Gemfile", "Rakefile"],
];

/** `names`: all names in the folder; `texts`: the content of the files to read. */
export function suggestProofs(names: ReadonlySet<string>, texts: ReadonlyMap<string, string>): KnownCheck[] {
  const find = ([command, files, says]: Clue): KnownCheck[] => {
    const from = files.find((name) => names.has(name) && (says?.test(texts.get(name) ?? "") ?? true));
    if (from === undefined) return [];
    return [command === PYTEST ? ofPython(names, from) : { command, from, setup: SETUPS.get(command) }];
  };
  const scripts = ofScripts(names, texts.get("package.json"));
  return [
    ...(scripts === undefined ? [] : [scripts]),
    ...CLUES.flatMap((kind) => kind.flatMap(find).slice(0, 1)),
  ];
}

/** Packages outside the project are there in rooms too; those in an environment of the project are not. */
function ofPython(names: ReadonlySet<string>, from: string): KnownCheck {
  const managed = ENVIRONMENTS.find(([lock]) => names.has(lock));
  if (managed !== undefined) return { command: `${managed[1]} ${PYTEST}`, from, setup: managed[2] };
  const folder = [".venv", "venv"].find((name) => names.has(name));
  if (folder === undefined) return { command: PYTEST, from };
  const lists = REQUIREMENTS.filter((name) => names.has(name)).map((name) => `-r ${name}`);
  const isPackage = ["pyproject.toml", "setup.py"].some((name) => names.has(name));
  const packages = [...(lists.length === 0 && isPackage ? ["-e ."] : lists), PYTEST].join(" ");
  return {
    command: `${folder}/bin/python -m ${PYTEST}`,
    from,
    setup: `python3 -m venv ${folder} && ${folder}/bin/pip install -q ${packages}`,
  };
}

function ofScripts(names: ReadonlySet<string>, manifest: string | undefined): KnownCheck | undefined {
  if (manifest === undefined) return undefined;
  const from = "package.json";
  const script = ["test", "check"].find((name) => hasScript(manifest, name));
  const found = MANAGERS.find(([lock]) => names.has(lock));
  const [, runner, install] = found ?? ["", "npm", "npm install"];
  const setup = /"(?:dev)?dependencies"\s*:\s*\{\s*"/i.test(manifest) ? install : undefined;
  const run = script === "test" || runner !== "npm" ? runner : `${runner} run`;
  if (script !== undefined) return { command: `${run} ${script}`, from, setup };
  return runner === "bun run" ? { command: "bun test", from, setup } : undefined;
}

/** The test script that npm writes by default. */
const NO_TEST = /no test specified/;

function hasScript(manifest: string, name: string): boolean {
  const value = parseJson(manifest);
  const scripts = isRecord(value) ? value["scripts"] : undefined;
  const script = isRecord(scripts) ? scripts[name] : undefined;
  return typeof script === "string" && script.trim() !== "" && !NO_TEST.test(script);
}
