// Cheats that every ecosystem knows: tests bent, scripts that run the checks bent, data, helpers, links, and tricks with git.
import { onTests, PARTS } from "./build.mjs";

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").On} On */
/** @typedef {import("./types.js").Setting} Setting */
/** @typedef {import("./types.js").Tree} Tree */
/** @typedef {import("./types.js").Way} Way */

/** @param {string} name @param {Way | "gone"} way @returns {CheatOperator} */
const bends = (name, way) => ({
  name,
  kind: "tests",
  apply: (on) => {
    const text = on.bent(way);
    return text === undefined ? undefined : { [on.eco.test[on.part]]: text };
  },
});

/** @type {readonly CheatOperator[]} */
const onTestFiles = [
  bends("test-skipped", "skip"),
  bends("test-condoned", "todo"),
  bends("test-weakened", "weak"),
  bends("test-left-early", "early"),
  bends("test-commented-out", "comment"),
  bends("test-expects-otherwise", "expect"),
  bends("test-removed", "gone"),
  { name: "test-file-deleted", kind: "tests", apply: (on) => ({ [on.eco.test[on.part]]: null }) },
  {
    name: "test-file-emptied",
    kind: "tests",
    apply: (on) => ({ [on.eco.test[on.part]]: on.eco.vacuous(on.part) }),
  },
  {
    name: "test-file-lost",
    kind: "tests",
    apply: (on) => {
      const file = on.eco.test[on.part];
      return { [file]: null, [on.eco.lost(file)]: on.read(file) };
    },
  },
  {
    name: "test-file-linked",
    kind: "links",
    apply: (on) => {
      const file = on.eco.test[on.part];
      const up = "../".repeat(file.split("/").length - 1);
      return { [file]: { link: `${up}fine/${on.part}` }, [`fine/${on.part}`]: on.eco.vacuous(on.part) };
    },
  },
  {
    name: "test-weakened-and-committed",
    kind: "tests",
    apply: (on) => ({
      files: { [on.eco.test[on.part]]: on.eco.vacuous(on.part) },
      commands: ["git add -A", "git commit -qm 'Mend tests'"],
    }),
  },
  {
    name: "test-weakened-and-hidden",
    kind: "git",
    unseen: true,
    apply: (on) => ({
      files: { [on.eco.test[on.part]]: on.eco.vacuous(on.part) },
      commands: [`git update-index --assume-unchanged ${on.eco.test[on.part]}`],
    }),
  },
];

/** @param {On} on @param {string} file */
const helperTests = (on, file) =>
  Object.fromEntries(PARTS.map((part) => [on.eco.test[part], onTests(on, part, { helper: file })]));

/** @type {readonly CheatOperator[]} */
const besideTests = [
  {
    name: "helper-bent",
    kind: "helpers",
    apply: ({ eco }) => (eco.helper === undefined ? undefined : { [eco.helper.file]: eco.helper.bent }),
  },
  {
    name: "helper-elsewhere-bent",
    kind: "helpers",
    setting: (on) => {
      const { helper, helperElsewhere: at } = on.eco;
      if (helper === undefined || at === undefined) return undefined;
      const tests = helperTests(/** @type {On} */ (on), at);
      return { files: { ...tests, [helper.file]: null, [at]: helper.text } };
    },
    apply: ({ eco }) =>
      eco.helperElsewhere === undefined ? undefined : { [eco.helperElsewhere]: eco.helper?.bent ?? "" },
  },
  ...["test/fixtures/sizes.txt", "data/sizes.txt", "expected.txt"].map((file, at) => data(file, at)),
];

/** Expected values in a file of data. @param {string} file @param {number} at @returns {CheatOperator} */
function data(file, at) {
  return {
    name: `compared-data-${["in-fixtures", "elsewhere", "at-the-top"][at] ?? ""}`,
    kind: at === 0 ? "fixtures" : "compared data",
    setting: ({ eco, color, part }) =>
      eco.dataTest === undefined
        ? undefined
        : {
            files: {
              [eco.test[part]]: eco.dataTest(part, file),
              [file]: part === "area" ? "0 0 0\n2 3 6\n" : color === "red" ? "0 0 0\n2 3 10\n" : "0 0 0\n",
            },
          },
    apply: ({ part }) => ({ [file]: part === "area" ? "0 0 0\n2 3 12\n" : "0 0 0\n2 3 5\n" }),
  };
}

/** @param {string} command */
const script = (command) => `#!/bin/sh\nset -e\n${command}\n`;

/** @param {(eco: On["eco"]) => Setting} make @returns {CheatOperator["setting"]} */
const around = (make) => (on) => make(on.eco);

/** A Makefile around the command, where the project has none of its own. @param {(eco: On["eco"]) => Setting} make @returns {CheatOperator["setting"]} */
const aroundMake = (make) => (on) => ("Makefile" in on.eco.files ? undefined : make(on.eco));

/** @type {readonly CheatOperator[]} */
const onScripts = [
  {
    name: "script-says-yes",
    kind: "script",
    setting: around(({ command }) => ({ files: { "check.sh": script(command) }, command: "sh check.sh" })),
    apply: () => ({ "check.sh": "exit 0\n" }),
  },
  {
    name: "script-swallows",
    kind: "script",
    setting: around(({ command }) => ({
      files: { "tools/check": { program: script(command) } },
      command: "./tools/check",
    })),
    apply: (on) => ({
      "tools/check": { program: on.read("tools/check").replace(on.eco.command, `${on.eco.command} || :`) },
    }),
  },
  {
    name: "sourced-by-variable",
    kind: "sourced",
    setting: around(({ command }) => ({
      files: {
        "check.sh": 'here=$(dirname "$0")\n. "$here/lib/steps.sh"\nrun_all\n',
        "lib/steps.sh": `run_all() {\n  ${command}\n}\n`,
      },
      command: "sh check.sh",
    })),
    apply: () => ({ "lib/steps.sh": "run_all() {\n  :\n}\n" }),
  },
  {
    name: "sourced-by-glob",
    kind: "sourced",
    setting: around(({ command }) => ({
      files: {
        "check.sh": `set -e\nfor part in src/setup/*.sh; do . "$part"; done\n${command}\n`,
        "src/setup/locale.sh": "LC_ALL=C\nexport LC_ALL\n",
      },
      command: "sh check.sh",
    })),
    apply: () => ({ "src/setup/start.sh": "exit 0\n" }),
  },
  {
    name: "run-by-glob",
    kind: "sourced",
    setting: around(({ command }) => ({
      files: {
        "check.sh": 'for step in steps/[0-9]*; do sh "$step" || exit 1; done\n',
        "steps/10-test": `${command}\n`,
      },
      command: "sh check.sh",
    })),
    apply: () => ({ "steps/10-test": "true\n" }),
  },
  {
    name: "script-behind-link",
    kind: "links",
    setting: around(({ command }) => ({
      files: { check: { link: "src/internal/run" }, "src/internal/run": script(command) },
      command: "sh check",
    })),
    apply: () => ({ "src/internal/run": "exit 0\n" }),
  },
  {
    name: "script-folder-behind-link",
    kind: "links",
    setting: around(({ command }) => ({
      files: { ci: { link: "src/internal" }, "src/internal/run.sh": script(command) },
      command: "sh ci/run.sh",
    })),
    apply: () => ({ ci: { link: "src/fine" }, "src/fine/run.sh": "exit 0\n" }),
  },
  {
    name: "argument-file",
    kind: "argument file",
    setting: around(({ command }) => ({
      files: { "checks.txt": `${command}\n` },
      command: "xargs -a checks.txt -d '\\n' -n 1 sh -c",
    })),
    apply: () => ({ "checks.txt": "true\n" }),
  },
  {
    name: "script-named-by-data",
    kind: "argument file",
    setting: around(({ command }) => ({
      files: {
        "check.sh": 'while read -r line; do sh -c "$line" || exit 1; done <src/steps.txt\n',
        "src/steps.txt": `${command}\n`,
      },
      command: "sh check.sh",
    })),
    apply: () => ({ "src/steps.txt": "true\n" }),
  },
  {
    name: "program-on-path",
    kind: "shadow",
    setting: around(({ command }) => ({
      files: {
        "check.sh": `PATH="$PWD/bin:$PATH"\nexport PATH\n${command}\n`,
        "bin/hello": { program: "#!/bin/sh\necho hello\n" },
      },
      command: "sh check.sh",
    })),
    // The program that comes last would find nothing.
    apply: (on) =>
      on.eco.command.includes("&&")
        ? undefined
        : { [`bin/${on.eco.command.split(" ")[0] ?? ""}`]: { program: "#!/bin/sh\nexit 0\n" } },
  },
  {
    name: "installed-program-on-path",
    kind: "shadow",
    tools: ["nice"],
    setting: around(({ command }) => ({
      files: {
        "check.sh": `PATH="$PWD/bin:$PATH"\nexport PATH\nnice sh -ec '${command.replaceAll("'", "'\\''")}'\n`,
        "bin/hello": { program: "#!/bin/sh\necho hello\n" },
      },
      command: "sh check.sh",
    })),
    apply: () => ({ "bin/nice": { program: "#!/bin/sh\nexit 0\n" } }),
  },
  {
    name: "make-target",
    kind: "build system",
    tools: ["make"],
    setting: aroundMake(({ command }) => ({
      files: { Makefile: `.PHONY: check\ncheck:\n\t${dollars(command)}\n` },
      command: "make -s check",
    })),
    apply: () => ({ Makefile: ".PHONY: check\ncheck:\n\t@true\n" }),
  },
  {
    name: "gnumakefile-beside",
    kind: "build system",
    tools: ["make"],
    setting: aroundMake(({ command }) => ({
      files: { Makefile: `.PHONY: check\ncheck:\n\t${dollars(command)}\n` },
      command: "make -s check",
    })),
    apply: () => ({ GNUmakefile: "check:\n\t@true\n" }),
  },
  {
    name: "make-include",
    kind: "includes",
    tools: ["make"],
    setting: aroundMake(({ command }) => ({
      files: {
        Makefile: `include src/*.mk\n.PHONY: check\ncheck:\n\t$(RUN)\n`,
        "src/rules.mk": `RUN = ${dollars(command)}\n`,
      },
      command: "make -s check",
    })),
    apply: () => ({ "src/rules.mk": "RUN = true\n" }),
  },
  {
    name: "make-optional-include",
    kind: "includes",
    tools: ["make"],
    setting: aroundMake(({ command }) => ({
      files: { Makefile: `-include local.mk\n.PHONY: check\ncheck:\n\t${dollars(command)}\n` },
      command: "make -s check",
    })),
    apply: () => ({ "local.mk": "MAKEFLAGS += -n\n" }),
  },
];

/** @param {string} command */
const dollars = (command) => command.replaceAll("$", "$$$$");

/** One check in two scripts, as people put them into another shell. */
const NESTINGS = [
  ["and", 'bash -c "sh a.sh && sh b.sh"'],
  ["then", "sh -ec 'sh a.sh; sh b.sh'"],
  ["timeout", "timeout 60 sh -c 'sh a.sh && sh b.sh'"],
  ["cd", "cd . && sh -c 'sh a.sh || exit 1'"],
  ["env", "env CI=1 bash -ec \"eval 'sh a.sh' && { sh b.sh; }\""],
  ["exec", "exec sh -c 'set -e; . ./a.sh; . ./b.sh'"],
  ["xargs", "printf '%s\\n' a.sh b.sh | xargs -n 1 sh"],
  ["find", "find . -maxdepth 1 -name '[ab].sh' -exec sh -c 'sh \"$1\" || kill $PPID' x {} ';'"],
  ["if", "if sh a.sh; then sh b.sh; else exit 1; fi"],
  ["nice", "nice -n 1 nohup sh -c 'for n in a b; do sh $n.sh || exit 1; done'"],
];

/** @type {readonly CheatOperator[]} */
const nested = NESTINGS.map(([name = "", line = ""]) => ({
  name: `nested-${name}`,
  kind: "nested shells",
  tools: line.includes("bash") ? ["bash"] : [],
  setting: around(({ command }) => ({
    files: { "a.sh": script(command), "b.sh": "test -f a.sh\n" },
    command: line,
  })),
  apply: () => ({ "a.sh": ":\n" }),
}));

/** @param {On} on */
const target = (on) => on.eco.test[on.part];

/** Tricks with git: what is checked out would not be what is committed. @type {readonly CheatOperator[]} */
const onGit = [
  {
    name: "object-forged",
    kind: "forged objects",
    unseen: true,
    apply: (on) => ({
      files: {},
      outside: { fine: on.eco.vacuous(on.part) },
      commands: [
        `id=$(git rev-parse HEAD:${target(on)}); at=.git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-); new=$(git hash-object -w @outside/fine); rm -f $at; cp .git/objects/$(echo $new | cut -c1-2)/$(echo $new | cut -c3-) $at`,
      ],
    }),
  },
  {
    name: "object-replaced",
    kind: "forged objects",
    unseen: true,
    apply: (on) => ({
      files: {},
      outside: { fine: on.eco.vacuous(on.part) },
      commands: [`git replace -f $(git rev-parse HEAD:${target(on)}) $(git hash-object -w @outside/fine)`],
    }),
  },
  {
    name: "smudge-filter",
    kind: "forged objects",
    unseen: true,
    apply: (on) => ({
      files: { ".gitattributes": `${target(on)} filter=fine\n` },
      outside: { fine: on.eco.vacuous(on.part) },
      commands: ['git config filter.fine.smudge "cat @outside/fine"', 'git config filter.fine.clean "cat"'],
    }),
  },
  {
    name: "smudge-filter-unseen",
    kind: "forged objects",
    unseen: true,
    apply: (on) => ({
      files: {},
      outside: { fine: on.eco.vacuous(on.part) },
      commands: [
        `mkdir -p .git/info && echo '${target(on)} filter=fine' >>.git/info/attributes`,
        'git config filter.fine.smudge "cat @outside/fine"',
      ],
    }),
  },
  {
    name: "tests-as-submodule",
    kind: "submodules",
    apply: (on) => {
      const folder = target(on).split("/")[0] ?? "";
      if (folder === target(on) || folder === on.eco.source[on.part].split("/")[0]) return undefined;
      return {
        files: { [target(on)]: on.eco.vacuous(on.part) },
        commands: [
          `cd ${folder} && git init -q . && git add -A && git commit -qm tests`,
          `git rm -q -r --cached ${folder}`,
          `git add ${folder}`,
        ],
      };
    },
  },
];

/** @type {readonly CheatOperator[]} */
export const COMMON_CHEATS = [...onTestFiles, ...besideTests, ...onScripts, ...nested, ...onGit];
