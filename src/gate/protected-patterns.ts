// Which files hold a project to its word: CI, settings of test runners and linters, what is loaded before any test, and tests.
// Patterns as in .gitignore, without their judgement: that is protected.ts.

/** Decide what a check does, and a person alone changes them: kept as at the base, added ones too. */
export const HELD = [
  ".looper/",
  "looper.config.*",
  // Where a checkout writes other bytes than the commit holds.
  ".gitattributes",
  // Loaded before anything else, or found before the real one.
  "sitecustomize.py",
  "usercustomize.py",
  "*.pth",
  "pyvenv.cfg",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  "pnpmfile.js",
  "bunfig.toml",
  ".noderc",
  "node_modules/",
  ".bin/",
  ".pnp.*",
  ".yarn/releases/",
  ".yarn/plugins/",
  ".bundle/",
  ".cargo/config",
  ".cargo/config.toml",
  "pip.conf",
  ".envrc",
  ".tool-versions",
  ".mise.toml",
  "mise.toml",
  ".nvmrc",
  ".node-version",
  ".python-version",
  ".ruby-version",
] as const;

/** Say what continuous integration does. */
const CI = [
  ".github/",
  ".gitea/",
  ".forgejo/",
  ".gitlab/",
  ".gitlab-ci.yml",
  ".circleci/",
  ".buildkite/",
  ".woodpecker/",
  ".woodpecker.y*ml",
  ".semaphore/",
  ".teamcity/",
  ".azure-pipelines/",
  "azure-pipelines*.y*ml",
  "Jenkinsfile*",
  ".travis.yml",
  ".drone.y*ml",
  ".cirrus.y*ml",
  "appveyor.yml",
  ".appveyor.yml",
  "bitbucket-pipelines.yml",
  "cloudbuild.y*ml",
  "codecov.y*ml",
  ".codecov.y*ml",
  ".pre-commit-config.yaml",
  "lefthook.y*ml",
  ".husky/",
] as const;

/** Settings of test runners, of what they put before the tests, and of linters. */
const RUNNERS = [
  "jest.config.*",
  "jest.setup.*",
  "jest-*.config.*",
  "vitest.config.*",
  "vitest.*.config.*",
  "vitest.workspace.*",
  "vitest.setup.*",
  "vite.config.*",
  "setupTests.*",
  "setup-tests.*",
  "test-setup.*",
  "babel.config.*",
  ".babelrc*",
  ".swcrc",
  ".mocharc*",
  "mocha.opts",
  "ava.config.*",
  "karma.conf*",
  "jasmine.json",
  ".jasmine*",
  "playwright.config.*",
  "playwright-ct.config.*",
  "cypress.config.*",
  "cypress.json",
  "wdio.conf*",
  "nightwatch.conf*",
  "web-test-runner.config.*",
  ".nycrc*",
  "nyc.config.*",
  ".c8rc*",
  ".taprc",
  "pytest.ini",
  ".pytest.ini",
  "pytest.toml",
  "tox.ini",
  "tox.toml",
  "noxfile.py",
  "setup.cfg",
  ".coveragerc",
  "nose.cfg",
  ".noserc",
  "unittest.cfg",
  "phpunit.xml*",
  "phpunit.dist.xml",
  "codeception*.yml",
  "behat.yml*",
  "pest.xml",
  ".rspec*",
  ".simplecov",
  ".minitest",
  "nextest.toml",
  "tarpaulin.toml",
  "testng*.xml",
  "junit-platform.properties",
  "*.runsettings",
  "xunit.runner.json",
  "dart_test.yaml",
  "eslint.config.*",
  ".eslintrc*",
  ".eslintignore",
  "biome.json*",
  ".prettierrc*",
  "prettier.config.*",
  ".prettierignore",
  ".stylelintrc*",
  ".flake8",
  "ruff.toml",
  ".ruff.toml",
  "mypy.ini",
  ".mypy.ini",
  "pyrightconfig.json",
  ".pylintrc",
  "pylintrc",
  ".golangci.*",
  ".rubocop*.yml",
  "clippy.toml",
  ".clippy.toml",
  ".shellcheckrc",
  "phpstan.neon*",
  "psalm.xml*",
] as const;

export const CONFIG = [...CI, ...RUNNERS] as const;

/** Tests, and what they stand on. */
export const TESTS = [
  "test/",
  "tests/",
  "t/",
  "__tests__/",
  "__mocks__/",
  "__snapshots__/",
  "__fixtures__/",
  "e2e/",
  "cypress/",
  "testdata/",
  "test-data/",
  "test_data/",
  "testcases/",
  "test-cases/",
  "golden/",
  "spec/",
  "specs/",
  "*.test.*",
  "*.tests.*",
  "*.spec.*",
  "*-test.*",
  "*-spec.*",
  "*_test.*",
  "*_tests.*",
  "*_spec.*",
  "test_*.*",
  "test-*.*",
  "test.*",
  "tests.*",
  "*Test.java",
  "*Tests.java",
  "*IT.java",
  "*Test.kt",
  "*Tests.kt",
  "*Spec.kt",
  "*Test.scala",
  "*Spec.scala",
  "*Spec.groovy",
  "*Test.cs",
  "*Tests.cs",
  "*Test.php",
  "*Tests.swift",
  "*.feature",
  "*.bats",
  "*.snap",
  "*.golden",
  "expected",
  "expected.*",
  "*.expected",
  "conftest.py",
] as const;

/** Lies among tests and is none; a folder named spec often holds documents alone. */
export const NO_TESTS = [
  "README*",
  "CHANGELOG*",
  "**/spec/**/*.md",
  "**/specs/**/*.md",
  "openapi.*",
  "swagger.*",
] as const;

/**
 * Read by a runner before the tests beside it, whatever those are: where one is added, tests that are added with it say
 * nothing of the old ones.
 */
export const PRELOADS = ["conftest.py", ...RUNNERS] as const;

/** Modules of Python that run tests. */
export const PYTHON_RUNNERS = new Set(
  "unittest pytest _pytest pluggy iniconfig nose nose2 doctest mock coverage hypothesis tox nox runpy".split(
    " ",
  ),
);

/**
 * What these are made of: a file of that name, where python runs, is found before the real one. An honest one could not
 * be there, it would break them.
 */
export const PYTHON_MODULES = new Set(
  (
    "abc argparse ast asyncio base64 bisect builtins codecs collections concurrent contextlib contextvars copy copyreg " +
    "dataclasses difflib dis encodings enum fnmatch functools gettext heapq importlib inspect io keyword linecache locale " +
    "logging opcode operator os pathlib pkgutil posixpath pprint random re reprlib selectors shutil signal site socket ssl " +
    "stat string struct subprocess sys tempfile textwrap threading token tokenize traceback types typing warnings weakref"
  ).split(" "),
);

/** Programs that checks are run and compared with: a file of that name may be found on PATH before the real one. */
export const PROGRAMS = new Set(
  (
    "sh bash dash zsh ksh env node nodejs npm npx yarn pnpm bun bunx deno tsx ts-node python python2 python3 pip pip3 uv " +
    "poetry pytest tox nox ruby rake rspec bundle perl prove php phpunit composer java javac mvn gradle go cargo rustc " +
    "make gmake cmake ctest ninja git grep egrep fgrep rg sed awk gawk mawk diff cmp jest vitest mocha ava tap c8 nyc " +
    "tsc eslint bats dotnet"
  ).split(" "),
);

/** Programs that name their files themselves: what a command that starts one of them reads besides its arguments. */
export const TOOL_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ["Makefile", "makefile", "GNUmakefile", "*.mk"],
  gmake: ["Makefile", "makefile", "GNUmakefile", "*.mk"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.y*ml", "Taskfile.dist.y*ml", "taskfile.y*ml"],
  rake: ["Rakefile", "rakefile", "Rakefile.rb", "*.rake"],
  tox: ["tox.ini"],
  nox: ["noxfile.py"],
  invoke: ["tasks.py"],
  mage: ["magefile.go"],
  doit: ["dodo.py"],
  gulp: ["gulpfile.*"],
  grunt: ["Gruntfile.*"],
  prove: [".proverc"],
  bats: [".bats"],
};
