// Names from real projects, at least one for each pattern; each is matched only by its own pattern.
import { expect, test } from "vitest";
import { protect, type PathKind } from "./protected.js";
import { findNamedFiles } from "./protected-commands.js";
import {
  CONFIG,
  HELD,
  NO_TESTS,
  PROGRAMS,
  PYTHON_LIBRARY,
  PYTHON_MODULES,
  PYTHON_RUNNERS,
  TESTS,
  TOOL_FILES,
  UTILITIES,
} from "./protected-patterns.js";
import ignore from "ignore";

const NAMES: Record<Exclude<PathKind, "shadow">, string> = {
  held: `.looper/prompts/iteration.md looper.config.json .gitattributes sitecustomize.py usercustomize.py site.pth pyvenv.cfg
    .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpmfile.js bunfig.toml .noderc node_modules/a/index.js .bin/tsc .pnp.cjs
    .yarn/releases/yarn-4.cjs .yarn/plugins/x.cjs .bundle/config .cargo/config .cargo/config.toml pip.conf .envrc .tool-versions
    .mise.toml mise.toml .nvmrc .node-version .python-version .ruby-version`,
  config: `.github/workflows/ci.yml .gitea/a.yml .forgejo/a.yml .gitlab/ci/a.yml .gitlab-ci.yml .circleci/config.yml
    .buildkite/pipeline.yml .woodpecker/a.yml .woodpecker.yaml .semaphore/a.yml .teamcity/settings.kts .azure-pipelines/a.yml
    azure-pipelines-nightly.yaml Jenkinsfile.deploy .travis.yml .drone.yml .cirrus.yml appveyor.yml .appveyor.yml
    bitbucket-pipelines.yml cloudbuild.yaml codecov.yml .codecov.yaml .pre-commit-config.yaml lefthook.yml .husky/pre-commit
    jest.config.cjs jest.setup.ts jest-e2e.config.js vitest.config.mts vitest.unit.config.ts vitest.workspace.ts vitest.setup.ts
    vite.config.ts setupTests.js setup-tests.ts test-setup.ts babel.config.json .babelrc.js .swcrc .mocharc.yml mocha.opts
    ava.config.mjs karma.conf.js jasmine.json .jasmine.json playwright.config.ts playwright-ct.config.ts cypress.config.ts
    cypress.json wdio.conf.ts nightwatch.conf.cjs web-test-runner.config.mjs .nycrc.json nyc.config.js .c8rc.json .taprc
    pytest.ini .pytest.ini pytest.toml tox.ini tox.toml noxfile.py setup.cfg .coveragerc nose.cfg .noserc unittest.cfg
    phpunit.xml.dist phpunit.dist.xml codeception.dist.yml behat.yml.dist pest.xml .rspec-local .simplecov .minitest nextest.toml
    tarpaulin.toml testng-smoke.xml junit-platform.properties ci.runsettings xunit.runner.json dart_test.yaml eslint.config.js
    .eslintrc.json .eslintignore biome.jsonc .prettierrc.yaml prettier.config.js .prettierignore .stylelintrc.json .flake8
    ruff.toml .ruff.toml mypy.ini .mypy.ini pyrightconfig.json .pylintrc pylintrc .golangci.yml .rubocop_todo.yml clippy.toml
    .clippy.toml .shellcheckrc phpstan.neon.dist psalm.xml.dist`,
  test: `test/a.js tests/a.py t/basic.sh src/__tests__/a.ts src/__mocks__/fs.ts src/__snapshots__/a src/__fixtures__/a.json
    e2e/login.ts cypress/support.ts pkg/testdata/in test-data/in test_data/in testcases/in test-cases/in golden/out
    spec/models/user.rb specs/api.ts src/a.test.ts src/a.tests.js src/a.spec.ts lib/a-test.js lib/a-spec.js pkg/a_test.go
    a_tests.cc lib/a_spec.rb test_a.py test-a.js test.py tests.rs src/CalcTest.java src/CalcTests.java src/CalcIT.java
    src/CalcTest.kt src/CalcTests.kt src/CalcSpec.kt src/CalcTest.scala src/CalcSpec.scala src/CalcSpec.groovy src/CalcTest.cs
    src/CalcTests.cs src/CalcTest.php Sources/CalcTests.swift features/login.feature add.bats ui.snap page.golden cases/1/expected
    cases/expected.txt cases/1.expected conftest.py`,
  free: `test/README.md tests/CHANGELOG.md docs/spec/intro.md specs/api/users.md openapi.spec.yaml swagger.test.json
    src/latest.js contest.py src/attest.ts expectedly.txt Gemfile go.mod Cargo.toml src/bin.js looper.ts npmrc github/a.yml`,
};

const { kindOf } = protect({
  patterns: [],
  project: "",
  work: "",
  named: findNamedFiles({ project: [], own: [] }, "", { has: () => false, text: () => undefined }),
});
const namesOf = (kind: keyof typeof NAMES): string[] => NAMES[kind].split(/\s+/);

test.each(["held", "config", "test", "free"] as const)("%s", (kind) => {
  const wrong = namesOf(kind).filter((name) => kindOf(name) !== kind);
  expect(wrong).toEqual([]);
  expect(namesOf(kind).filter((name) => kindOf(`packages/a/${name}`) !== kind)).toEqual([]);
});

test.each([
  ["held", HELD],
  ["config", CONFIG],
  ["test", TESTS],
  ["free", NO_TESTS],
] as const)("%s: no pattern is without a name that only it finds", (kind, patterns) => {
  const finds = (list: readonly string[], name: string): boolean =>
    ignore({ ignorecase: false })
      .add([...list])
      .ignores(name);
  const spare = patterns.filter((pattern) => {
    const rest = patterns.filter((other) => other !== pattern);
    return !namesOf(kind).some((name) => finds([pattern], name) && !finds(rest, name));
  });
  expect(spare).toEqual([]);
});

test.each<[string, string]>([
  ["make", "Makefile makefile GNUmakefile rules.mk"],
  ["gmake", "Makefile makefile GNUmakefile rules.mk"],
  ["just", "justfile Justfile .justfile"],
  ["task", "Taskfile.yml Taskfile.dist.yaml taskfile.yaml"],
  ["rake", "Rakefile rakefile Rakefile.rb lib/tasks/a.rake"],
  ["tox", "tox.ini"],
  ["nox", "noxfile.py"],
  ["invoke", "tasks.py"],
  ["mage", "magefile.go"],
  ["doit", "dodo.py"],
  ["gulp", "gulpfile.mjs"],
  ["grunt", "Gruntfile.js"],
  ["prove", ".proverc"],
  ["bats", ".bats"],
])("%s reads its files by itself", (program, names) => {
  const rules = ignore({ ignorecase: false }).add([...(TOOL_FILES[program] ?? [])]);
  expect(names.split(" ").filter((name) => !rules.ignores(name))).toEqual([]);
  expect(rules.ignores("src/index.js")).toBe(false);
});

// Of each what checks are most often made of, from all over the list, and names near them that an honest file may have.
test.each<[string, ReadonlySet<string>, string, string]>([
  ["runs tests", PYTHON_RUNNERS, "unittest pytest _pytest nose mock coverage hypothesis runpy", "tests calc"],
  [
    "those are made of",
    PYTHON_MODULES,
    "abc argparse asyncio copy dataclasses difflib enum functools inspect linecache logging os pathlib random re shutil stat string sys tempfile traceback typing weakref",
    "calc main app",
  ],
  [
    "python's own library",
    PYTHON_LIBRARY,
    "abc array base64 bisect calendar code collections configparser copy dataclasses decimal email enum fractions gettext gzip hmac html json locale mailbox math netrc os pdb pickle platform pprint pydoc queue random secrets selectors shelve shutil socket statistics string struct symtable sysconfig tempfile textwrap token tomllib types unittest uu uuid venv xml zipfile zipimport zlib zoneinfo",
    "calc numpy requests",
  ],
  [
    "programs of every system",
    UTILITIES,
    "basename cat install join jq ls sha256sum sleep sort split stat xargs gzip",
    "table sh",
  ],
  [
    "programs that check",
    PROGRAMS,
    "sh node npm python3 uv poetry pytest ruby cargo rustc make git diff jest c8 tsc bats dotnet",
    "greet cat",
  ],
])("%s", (_what, list, names, others) => {
  expect(names.split(" ").filter((name) => !list.has(name))).toEqual([]);
  expect(others.split(" ").filter((name) => list.has(name))).toEqual([]);
  expect([...list].filter((name) => !/^[\w-]+$/.test(name))).toEqual([]);
});
