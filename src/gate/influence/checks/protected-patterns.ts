// The patterns of protected files: CI, settings of test runners and linters, files loaded before any test, and tests.
// Patterns as in .gitignore (one with a slash inside matches only at the top, except for `**/`). protected.ts applies them.

/** Files that decide the effect of a check and that only a person changes; kept as at the base, even if added. */
export const HELD = [
  ".looper/",
  "looper.config.*",
  // They can make a checkout write other bytes than the commit has.
  ".gitattributes",
  // Python loads them before anything else, or finds them before the real module.
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
  "**/.yarn/releases/",
  "**/.yarn/plugins/",
  ".bundle/",
  "**/.cargo/config",
  "**/.cargo/config.toml",
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

/** Settings of continuous integration. */
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

/** Settings of test runners, of their transforms and setup files, and of linters. */
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

/** Tests and their support files. */
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

/** Files among tests that are not tests; a folder named spec often has only documents. */
export const NO_TESTS = [
  "README*",
  "CHANGELOG*",
  "**/spec/**/*.md",
  "**/specs/**/*.md",
  "openapi.*",
  "swagger.*",
] as const;

/** Python modules that run tests. */
export const PYTHON_RUNNERS = new Set(
  "unittest pytest _pytest pluggy iniconfig nose nose2 doctest mock coverage hypothesis tox nox runpy".split(
    " ",
  ),
);

/**
 * Modules that test runners import: Python would find a file of that name in its working directory before the real one.
 * An honest project cannot have such a file, because it would break the runner.
 */
export const PYTHON_MODULES = new Set(
  (
    "abc argparse ast asyncio base64 bisect builtins codecs collections concurrent contextlib contextvars copy copyreg " +
    "dataclasses difflib dis encodings enum fnmatch functools gettext heapq importlib inspect io keyword linecache locale " +
    "logging opcode operator os pathlib pkgutil posixpath pprint random re reprlib selectors shutil signal site socket ssl " +
    "stat string struct subprocess sys tempfile textwrap threading token tokenize traceback types typing warnings weakref"
  ).split(" "),
);

/** Python's standard library, for scripts of checks that import it by name. */
export const PYTHON_LIBRARY = new Set(
  (
    "abc aifc argparse array ast asynchat asyncio asyncore audioop base64 bdb binascii bisect bz2 cProfile " +
    "calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent " +
    "configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm " +
    "decimal difflib dis distutils doctest email encodings ensurepip enum fcntl filecmp fileinput fnmatch " +
    "fractions ftplib functools genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac " +
    "html http imaplib imghdr imp importlib inspect io ipaddress json keyword linecache locale logging lzma " +
    "mailbox mailcap math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt " +
    "ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes " +
    "pkgutil platform plistlib poplib posixpath pprint profile pstats pty py_compile pyclbr pydoc pydoc_data " +
    "pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select " +
    "selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 " +
    "sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau " +
    "symtable sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading timeit tkinter " +
    "token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib " +
    "uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile " +
    "zipimport zlib zoneinfo"
  ).split(" "),
);

/** Programs of every system, for scripts of checks that call them. */
export const UTILITIES = new Set(
  (
    "basename cat chmod comm column cp curl cut date dd dirname du expand expr file find fold head hexdump id iconv install " +
    "join jq ln ls md5sum mkdir mktemp mv nl od openssl paste perl printf readlink realpath rm rmdir seq sha256sum sleep " +
    "sort split stat tac tail tar tee timeout touch tr tsort uname uniq wc wget which xargs xxd yes zip unzip gzip"
  ).split(" "),
);

/** Programs that run checks or compare their results: a file of that name may be found on PATH before the real one. */
export const PROGRAMS = new Set(
  (
    "sh bash dash zsh ksh env node nodejs npm npx yarn pnpm bun bunx deno tsx ts-node python python2 python3 pip pip3 uv " +
    "poetry pytest tox nox ruby rake rspec bundle perl prove php phpunit composer java javac mvn gradle go cargo rustc " +
    "make gmake cmake ctest ninja git grep egrep fgrep rg sed awk gawk mawk diff cmp jest vitest mocha ava tap c8 nyc " +
    "tsc eslint bats dotnet"
  ).split(" "),
);

/** The files that some programs read without being told to in their arguments. */
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
