// The names by which the gate knows a file: at least one of each line of a list, and names that only look alike.
import { expect, test } from "vitest";
import {
  AROUND,
  BUILD_FILE,
  BY_NAME,
  C_LIBRARY,
  DOCUMENT,
  FOREIGN,
  LOCKS,
  MADE,
  MANIFEST,
  NO_TEST,
  OF_LOOPER,
  PLUGIN,
  PROGRAMS,
  PYTHON_LIBRARY,
  PYTHON_RUNNERS,
  RUBY_LIBRARY,
  SETTINGS,
  SETTINGS_AT_TOP,
  SOURCES,
  TEST_FOLDER,
  TEST_WORD,
  TESTS,
  USUAL,
  matcherOf,
} from "./names.js";

/** Asks a question about each of some names. */
function askAbout(names: string, is: (name: string) => boolean): Record<string, boolean> {
  return Object.fromEntries(names.split(" ").map((name) => [name, is(name)]));
}

/** The answer that is wanted for each of some names. */
function all(names: string, answer: boolean): Record<string, boolean> {
  return Object.fromEntries(names.split(" ").map((name) => [name, answer]));
}

test.each([
  ["a name", "a.cfg", "a.cfg x/a.cfg a.cfg/x", "a_cfg ba.cfg a.cfgs a.cfg.x"],
  ["a folder", "etc/", "etc/ etc/a x/etc/a", "etc x/etc betc/a"],
  ["a part of a name", "a*.js", "a.js ab.js x/a1.js", "b.js a/b.js ajs ba.js"],
  ["a name with signs", "c++(1)$", "c++(1)$", "c+(1)$ ccc(1)$ c++1$"],
])("%s is matched as it is written: %s", (_, name, matched, others) => {
  const is = matcherOf([name, "other.x"]);
  expect(askAbout(matched, is)).toEqual(all(matched, true));
  expect(askAbout(others, is)).toEqual(all(others, false));
  expect(is("other.x")).toBe(true);
});

const LISTS: [what: string, list: readonly string[], names: string, others: string][] = [
  [
    "settings of Looper",
    OF_LOOPER,
    ".looper/a looper.config.json .looperignore .gitattributes",
    "looper a.config.json",
  ],
  [
    "loaded by name",
    BY_NAME,
    "sitecustomize.py a.pth META-INF/services/x .pnp.cjs .user.ini user.clj minitest/a_plugin.rb",
    "customize.py path services/x plugin.rb",
  ],
  [
    "settings",
    SETTINGS,
    ".npmrc mise.toml .node-version nuget.config .github/a .circleci/a .teamcity/a Jenkinsfile .appveyor.yml codecov.yaml " +
      "lefthook.yml Dockerfile jest.config.js vitest.setup.ts vite.config.js .babelrc ava.config.js playwright.config.ts " +
      "cypress.json .nycrc eslint.config.js .prettierrc .stylelintrc tsconfig.base.json pytest.ini ruff.toml mypy.ini " +
      "phpunit.xml .rspec Rakefile nextest.toml go.work testng.xml pom.xml a.runsettings a.csproj CMakeLists.txt meson.build " +
      "meson.options Makefile.PL pubspec.yaml build.zig a.cabal DESCRIPTION foundry.toml justfile",
    "a.js config.js src/app.py workflows/a.yml docker a.xml",
  ],
  [
    "settings where a package begins",
    SETTINGS_AT_TOP,
    "x.config.js setup.py gulpfile.js Gruntfile.ts configure project.clj turbo.json .bats",
    "config.js src/a.py ulpfile.js",
  ],
  [
    "tests",
    TESTS,
    "a.test.js a.spec.ts test.py test_a.py test-a.js a_test.go a_spec.rb ATest.java ATests.kt ATest.cs ATest.php ASpec.scala a.snap " +
      "expected.txt a.feature",
    "a.js atest.js contest.py a-test.js Test.md",
  ],
  ["no tests", NO_TEST, "README.md CHANGELOG openapi.json swagger.yml", "a.md api.json"],
];

test.each(LISTS)("names of a list: %s", (_, list, names, others) => {
  const is = matcherOf(list);
  expect(askAbout(names, is)).toEqual(all(names, true));
  expect(askAbout(others, is)).toEqual(all(others, false));
});

const PATTERNS: [what: string, pattern: RegExp, names: string, others: string][] = [
  [
    "folders of tests in a program",
    TEST_FOLDER,
    "test tests Tests testing __tests__ _test testdata test-data test_util test-utils test_helper test-helpers test-case " +
      "test_cases testsupport test-lib testkit test-fixture testfixtures test-suite testsuites fixture fixtures __mocks__ mock " +
      "snapshot __snapshots__ golden e2e",
    "latest tester testimony contest unittests my-tests test+data testxdata ___tests__ tests___ helpers spec",
  ],
  [
    "words of tests beside a program",
    TEST_WORD,
    "test tests testing tester testers testdata testutil testutils testkit testbed testsuite testsuites testcase testcases testlib " +
      "testbase testenv testsetup testrunner testhelp testhelper testhelpers t spec specs fixture fixtures mock mocks stub stubs fake " +
      "fakes helper helpers conftest e2e snapshot snapshots golden expected baseline check checks checker verify verifier validate " +
      "validator assert assertion assertions smoke acceptance coverage qa prove selfcheck selftest harness cypress lint ci",
    "latest testimony tt inspect specification recheck checkers asserting cii linter",
  ],
  [
    "folders of others' code",
    FOREIGN,
    "node_modules/a a/bower_components/b lib/site-packages/a vendor/a third_party/a a/third-party/b .x/a .cache/a a/.venv/b",
    "vendor vendors/a my_vendor/a thirdparty/a third.party/a .npmrc a./b node_modules",
  ],
  ["folders that are made", MADE, "dist/a a/build/b out/a target/a coverage/a", "dist distance/a layout/a"],
  ["folders of sources", SOURCES, "src/a lib/a x/cmd/a pkg/a internal/a", "src asrc/a srcs/a"],
  [
    "folders beside a program",
    AROUND,
    "example examples sample samples demo demos tool tools script scripts doc docs bench benchmark benchmarks ci hack build config " +
      "support harness contrib Examples",
    "counterexample examples2 mytools tooling scripted docsy workbench builder ciao supporters",
  ],
  [
    "documentation",
    DOCUMENT,
    "a.md a/b.markdown a.mdx a.rst a.adoc a.asciidoc README a/readme.txt CHANGELOG CHANGES HISTORY NEWS LICENSE LICENCE COPYING AUTHORS " +
      "CONTRIBUTORS NOTICE.htm TODO.html a/LICENSE",
    "a.mdb a.md.js README.js README.txt.js MYREADME LICENXE NEWSPAPER todo.py amd",
  ],
  [
    "manifests",
    MANIFEST,
    "package.json pyproject.toml setup.py setup.cfg Cargo.toml go.mod composer.json pom.xml build.gradle build.gradle.kts CMakeLists.txt " +
      "Makefile.PL Build.PL cpanfile box.gemspec Gemfile box.csproj box.fsproj box.vbproj mix.exs Package.swift",
    "my-package.json package.json5 Gemfile.lock .gemspec .csproj a/package.json build.gradle.kt",
  ],
  [
    "build files",
    BUILD_FILE,
    "CMakeLists.txt a/meson.build Makefile makefile GNUmakefile Makefile.am rules.mk box.cabal box.csproj box.fsproj a/box.cmake " +
      "Package.swift BUILD BUILD.bazel dune",
    "Makefile.am.in MyMakefile .mk dune-project BUILD.x BUILDS CMakeLists.txt.in amk a/.cmake",
  ],
  [
    "packages that a runner loads",
    PLUGIN,
    "pytest-cov pytest_cov anyio-pytest my_pytest flake8-bugbear flake8_x pylint-django pylint_x mypy-extensions mypy_x rspec-rails " +
      "minitest-hooks karma-chrome phpunit/phpunit pestphp/pest sitecustomize usercustomize coverage-enable coverage_enable_x " +
      "python-startup nose2",
    "pytest pytestx my-pytest-x mypytest flake8 flake8x pylintx mypyx my-rspec-x rspec diagnose coverage coveragexenable",
  ],
];

test.each(PATTERNS)("names by a pattern: %s", (_, pattern, names, others) => {
  const is = (name: string): boolean => pattern.test(name);
  expect(askAbout(names, is)).toEqual(all(names, true));
  expect(askAbout(others, is)).toEqual(all(others, false));
});

const SETS: [what: string, names: ReadonlySet<string>, there: string, others: string][] = [
  [
    "usual folders of a program",
    USUAL,
    "src lib app cmd web core components routes plugins crates",
    "docs test",
  ],
  ["Python's runners", PYTHON_RUNNERS, "unittest pytest tox runpy", "box random"],
  [
    "Python's library",
    PYTHON_LIBRARY,
    "abc cProfile calendar codeop configparser decimal doctest fractions ftplib hmac html http linecache mailbox math numbers os plistlib " +
      "profile random readline smtplib ssl sunau symtable threading token trace uu zoneinfo",
    "requests numpy src",
  ],
  [
    "Ruby's library",
    RUBY_LIBRARY,
    "English abbrev csv erb error_highlight json minitest monitor openssl pstore psych rake resolv set shellwords yaml zlib",
    "rails box",
  ],
  ["headers of C", C_LIBRARY, "assert math string stdatomic stdbit stdio wctype", "edge util"],
  [
    "programs",
    PROGRAMS,
    "sh node python3 poetry pytest javac make cargo git grep jest vitest tsc eslint gcc cat date find sort jq openssl readlink rm tar " +
      "timeout wget which gzip",
    "box greet",
  ],
];

test.each(SETS)("names of a set: %s", (_, names, there, others) => {
  const is = (name: string): boolean => names.has(name);
  expect(askAbout(there, is)).toEqual(all(there, true));
  expect(askAbout(others, is)).toEqual(all(others, false));
});

test.each([
  ["package-lock.json", "package.json"],
  ["npm-shrinkwrap.json", "package.json"],
  ["pnpm-lock.yaml", "package.json"],
  ["yarn.lock", "package.json"],
  ["bun.lock", "package.json"],
  ["composer.lock", "composer.json"],
  ["Cargo.lock", "Cargo.toml"],
  ["poetry.lock", "pyproject.toml"],
  ["uv.lock", "pyproject.toml"],
  ["pdm.lock", "pyproject.toml"],
  ["go.sum", "go.mod"],
  ["Gemfile.lock", "Gemfile"],
  ["mix.lock", "mix.exs"],
])("%s is the lock file of %s", (lock, manifest) => {
  expect(LOCKS[lock]).toBe(manifest);
});
