// The names by which the gate knows a file, one heading per ecosystem. Data alone: sort.ts says in which order they count.
// An entry is a name, or a pattern with `*`; with a slash at its end it is a folder, at any depth. A name is added only with a public
// project that needs it.

const words = (text: string): string[] => text.match(/\S+/g) ?? [];

/** Row 1: settings, workflows and prompts of Looper, and what decides which of its files count. */
export const OF_LOOPER = words(".looper/ looper.config.* .looperignore .gitattributes");

/** Row 3: loaded because of the name alone. */
export const BY_NAME = words(
  // Python: site, pytest
  "sitecustomize.py usercustomize.py sitecustomize/ usercustomize/ conftest.py *.pth *.dist-info/ *.egg-info/ pyvenv.cfg " +
    // Java: ServiceLoader
    "META-INF/services/ " +
    // PHP, Perl, minitest, Clojure, Node
    ".user.ini sitecustomize.pl minitest/*_plugin.rb user.clj* .pnp.* .noderc .pnpmfile.cjs pnpmfile.js",
);

/** Row 5: settings, each of a tool that is known. */
export const SETTINGS = words(
  // package managers and versions of tools
  ".npmrc .yarnrc .yarnrc.yml bunfig.toml .bundle/ pip.conf .envrc .tool-versions .mise.toml mise.toml .nvmrc " +
    ".node-version .python-version .ruby-version rust-toolchain* nuget.config pnpm-workspace.yaml " +
    // continuous integration
    ".github/ .gitea/ .forgejo/ .gitlab/ .gitlab-ci.yml .circleci/ .buildkite/ .woodpecker/ .woodpecker.y*ml .semaphore/ " +
    ".teamcity/ .azure-pipelines/ azure-pipelines*.y*ml Jenkinsfile* .travis.yml .drone.y*ml .cirrus.y*ml appveyor.yml " +
    ".appveyor.yml bitbucket-pipelines.yml cloudbuild.y*ml codecov.y*ml .codecov.y*ml .pre-commit-config.yaml " +
    "lefthook.y*ml .husky/ renovate.json shell.nix Dockerfile* docker-compose* compose.y*ml " +
    // JavaScript
    "jest.config.* jest.setup.* jest-*.config.* vitest.config.* vitest.*.config.* vitest.workspace.* vitest.setup.* " +
    "vite.config.* setupTests.* setup-tests.* test-setup.* babel.config.* .babelrc* .swcrc .mocharc* mocha.opts " +
    "ava.config.* karma.conf* jasmine.json .jasmine* playwright.config.* playwright-ct.config.* cypress.config.* " +
    "cypress.json wdio.conf* nightwatch.conf* web-test-runner.config.* .nycrc* nyc.config.* .c8rc* .taprc " +
    "eslint.config.* .eslintrc* .eslintignore biome.json* .prettierrc* prettier.config.* .prettierignore " +
    ".stylelintrc* tsconfig*.json jsconfig*.json deno.json* shadow-cljs.edn elm.json " +
    // Python
    "pytest.ini .pytest.ini pytest.toml tox.ini tox.toml setup.cfg .coveragerc nose.cfg .noserc unittest.cfg .flake8 " +
    "ruff.toml .ruff.toml mypy.ini .mypy.ini pyrightconfig.json .pylintrc pylintrc Pipfile* MANIFEST.in conanfile.py " +
    // PHP
    "phpunit.xml* phpunit.dist.xml codeception*.yml behat.yml* pest.xml phpstan.neon* psalm.xml* " +
    // Ruby
    ".rspec* .simplecov .minitest .rubocop*.yml Rakefile *.rake *.gemspec " +
    // Rust, Go
    "nextest.toml tarpaulin.toml clippy.toml .clippy.toml rustfmt.toml .rustfmt.toml .cargo/ .golangci.* go.work* " +
    // Java, .NET
    "testng*.xml junit-platform.properties pom.xml *.gradle *.gradle.kts gradle.properties gradle-wrapper.* .mvn/ " +
    "*.runsettings xunit.runner.json *.csproj *.fsproj *.vbproj *.props *.targets *.sln *.slnx " +
    // C
    "CMakeLists.txt CMakePresets.json CMakeUserPresets.json *.cmake CTestCustom.* meson.build meson_options.txt " +
    "meson.options BUILD.bazel MODULE.bazel Makefile* makefile GNUmakefile *.mk configure.ac " +
    // shell, Perl, and further languages
    ".shellcheckrc Makefile.PL Build.PL dart_test.yaml pubspec.* analysis_options.yaml Package.swift rebar.config " +
    "build.zig* *.cabal cabal.project* package.yaml stack.yaml* Setup.*hs dune dune-project dune-workspace *.opam " +
    "DESCRIPTION NAMESPACE deps.edn bb.edn *.nimble *.nims nim.cfg shard.* *.rockspec dub.json dub.sdl fpm.toml " +
    "foundry.toml remappings.txt gleam.toml justfile Justfile .justfile Taskfile.y*ml Taskfile.dist.y*ml taskfile.y*ml",
);

/** Row 5, where a package begins: deeper in a folder of the program, the same names are the program's. */
export const SETTINGS_AT_TOP = words(
  "*.config.* *.conf.js *.conf.cjs *.conf.mjs *.conf.ts setup.py build.rs fabfile.py tasks.py noxfile.py dodo.py magefile.go " +
    "[Gg]ulpfile.* [Gg]runtfile.* Jakefile* BUILD WORKSPACE* build.xml build.sbt mix.exs mvnw* gradlew* configure " +
    "project.clj project.json global.json environment.y*ml turbo.json nx.json lerna.json .proverc .bats",
);

/** Row 6, everywhere: by the patterns of the runners themselves, and files of what is expected. */
export const TESTS = words(
  "*.test.* *.tests.* *.spec.* *.e2e-spec.* *.cy.* *.t.* test.* tests.* conftest.* testing.* test_*.* test-*.js test-*.cjs test-*.mjs test-*.ts *_test.go *_test.py *_test.exs *_spec.rb " +
    "*Test.java *Tests.java *Test.kt *Tests.kt *Test.cs *Tests.cs " +
    "*Test.php *Tests.swift *Test.swift *Spec.groovy *Spec.scala *.bats *.feature *.snap *.golden *.expected expected.*",
);

/** Row 6, inside of a program: folders that are called so. */
export const TEST_FOLDER =
  /^_{0,2}(?:tests?|testing|test[-_]?(?:data|utils?|helpers?|cases?|support|lib|kit|fixtures?|suites?)|fixtures?|mocks?|snapshots?|golden|e2e)_{0,2}$/i;

/** Row 6, outside of a program: any of these as a word in any part. */
export const TEST_WORD =
  /^(?:test(?:s|ing|er|ers|data|utils?|kit|bed|suites?|cases?|lib|base|env|setup|runner|help|helpers?)?|t|specs?|fixtures?|mocks?|stubs?|fakes?|helpers?|conftest|e2e|snapshots?|golden|expected|baseline|checks?|checker|verify|verifier|validate|validator|assert(?:ions?)?|smoke|acceptance|coverage|qa|prove|selfcheck|selftest|harness|cypress|lint|ci)$/;

/** Row 6: in folders of tests, and no tests. */
export const NO_TEST = words("README* CHANGELOG* openapi.* swagger.*");

/** Row 8: installed, copied in or made. */
export const FOREIGN =
  /(?:^|\/)(?:node_modules|bower_components|site-packages|vendor|third[_-]party|\.[^/]+)\//;
/** The same outside of a folder of sources. */
export const MADE = /(?:^|\/)(?:dist|build|out|target|coverage)\//;
export const SOURCES = /(?:^|\/)(?:src|lib|cmd|pkg|internal)\//;

/** Row 11: folders beside a program. */
export const AROUND =
  /^(?:examples?|samples?|demos?|tools?|scripts?|docs?|bench(?:marks?)?|ci|hack|build|config|support|harness|contrib)$/i;

/** Row 11: where a program is by custom. */
export const USUAL = new Set(
  words(
    "src lib app cmd pkg internal include bin Sources R lua contracts source server client backend frontend web api core code " +
      "pages components routes controllers models views services functions packages apps libs crates modules plugins",
  ),
);

/** Row 9: Python's modules that run tests. */
export const PYTHON_RUNNERS = new Set(
  words("unittest pytest _pytest pluggy iniconfig nose nose2 doctest mock coverage hypothesis tox nox runpy"),
);

/** Row 9: Python's standard library, docs.python.org/3/py-modindex.html */
export const PYTHON_LIBRARY = new Set(
  words(
    "abc aifc argparse array ast asynchat asyncio asyncore audioop base64 bdb binascii bisect builtins bz2 cProfile " +
      "calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent " +
      "configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm " +
      "decimal difflib dis distutils doctest email encodings ensurepip enum fcntl filecmp fileinput fnmatch " +
      "fractions ftplib functools genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac " +
      "html http imaplib imghdr imp importlib inspect io ipaddress json keyword linecache locale logging lzma " +
      "mailbox mailcap math mimetypes mmap modulefinder multiprocessing netrc nis nntplib ntpath nturl2path " +
      "numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform " +
      "plistlib poplib posixpath pprint profile pstats pty py_compile pyclbr pydoc pyexpat queue quopri random re " +
      "readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site " +
      "smtplib sndhdr socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess sunau " +
      "symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading timeit tkinter " +
      "token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib " +
      "uu uuid venv warnings wave weakref webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo",
  ),
);

/** Row 9: Ruby's standard library and what runs tests, docs.ruby-lang.org/en/master/standard_library_md.html */
export const RUBY_LIBRARY = new Set(
  words(
    "English abbrev base64 benchmark bigdecimal bundler cgi coverage csv date delegate did_you_mean digest drb erb " +
      "error_highlight etc expect fiddle fileutils find forwardable getoptlong io ipaddr irb json logger minitest mkmf " +
      "monitor net nkf objspace observer open-uri open3 openssl optparse ostruct pathname pp prime prettyprint pstore " +
      "psych pty racc rake random rbconfig readline reline resolv rinda ripper rspec rubygems securerandom set " +
      "shellwords singleton socket stringio strscan syslog tempfile test time timeout tmpdir tsort un uri weakref yaml zlib",
  ),
);

/** Row 9: headers of the standard library of C, en.cppreference.com/w/c/header */
export const C_LIBRARY = new Set(
  words(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic " +
      "stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype",
  ),
);

/** Row 9: programs of every system, and those that run checks. */
export const PROGRAMS = new Set(
  words(
    "sh bash dash zsh ksh env node nodejs npm npx yarn pnpm bun bunx deno tsx ts-node python python2 python3 pip pip3 uv " +
      "poetry pytest tox nox ruby rake rspec bundle perl prove php phpunit composer java javac mvn gradle go cargo rustc " +
      "make gmake cmake ctest ninja git grep egrep fgrep rg sed awk gawk mawk diff cmp jest vitest mocha ava tap c8 nyc " +
      "tsc eslint bats dotnet cc gcc g++ clang basename cat chmod comm column cp curl cut date dd dirname du expand expr file " +
      "find fold head hexdump id iconv install join jq ln ls md5sum mkdir mktemp mv nl od openssl paste printf readlink " +
      "realpath rm rmdir seq sha256sum sleep sort split stat tac tail tar tee test timeout touch tr tsort uname uniq wc " +
      "wget which xargs xxd yes zip unzip gzip",
  ),
);

/** Row 4: packages that a runner or checking tool loads because they are there. */
export const PLUGIN =
  /^(?:pytest[-_]|.*[-_]pytest$|flake8[-_]|pylint[-_]|mypy[-_]|rspec-|minitest-|karma-|phpunit\/|pestphp\/|sitecustomize|usercustomize|coverage[-_]enable|python-startup|nose)/i;

/** Row 10: documentation. */
export const DOCUMENT =
  /\.(?:md|markdown|mdx|rst|adoc|asciidoc)$|(?:^|\/)(?:README|CHANGELOG|CHANGES|HISTORY|NEWS|LICEN[CS]E|COPYING|AUTHORS|CONTRIBUTORS|NOTICE|TODO)(?:\.(?:txt|html?))?$/i;

/** Manifests: each makes its folder a package. */
export const MANIFEST =
  /^(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|CMakeLists\.txt|Makefile\.PL|Build\.PL|cpanfile|[^/]+\.gemspec|Gemfile|[^/]+\.(?:cs|fs|vb)proj|mix\.exs|Package\.swift)$/;

/** Lock files, each with the manifest beside it. */
export const LOCKS: Readonly<Record<string, string>> = {
  "package-lock.json": "package.json",
  "npm-shrinkwrap.json": "package.json",
  "pnpm-lock.yaml": "package.json",
  "yarn.lock": "package.json",
  "bun.lock": "package.json",
  "composer.lock": "composer.json",
  "Cargo.lock": "Cargo.toml",
  "poetry.lock": "pyproject.toml",
  "uv.lock": "pyproject.toml",
  "pdm.lock": "pyproject.toml",
  "go.sum": "go.mod",
  "Gemfile.lock": "Gemfile",
  "mix.lock": "mix.exs",
};

/** Build files that list their sources. */
export const BUILD_FILE =
  /(?:^|\/)(?:CMakeLists\.txt|meson\.build|(?:GNU)?[Mm]akefile(?:\.\w+)?|[^/]+\.(?:mk|cabal|csproj|fsproj|cmake)|Package\.swift|BUILD(?:\.bazel)?|dune)$/;

/** One regular expression for a list of names. */
export function matcherOf(names: readonly string[]): (path: string) => boolean {
  const parts = names.map((name) => {
    const isFolder = name.endsWith("/");
    const text = (isFolder ? name.slice(0, -1) : name)
      .replaceAll(/[.+^$()|{}\\]/g, String.raw`\$&`)
      .replaceAll("*", "[^/]*");
    return text + (isFolder ? "/" : "(?:$|/)");
  });
  const whole = new RegExp(`(?:^|/)(?:${parts.join("|")})`);
  return (path) => whole.test(path);
}
