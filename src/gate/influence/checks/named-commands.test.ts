// The files that decide a command's result, rule by rule. protected-commands.test.ts has whole commands.
import { expect, test } from "vitest";
import { findNamedFiles } from "./protected-commands.js";

type Files = Record<string, string | undefined>;
type Named = ReturnType<typeof findNamedFiles>;

const named = (project: string, own: string, files: Files, folder = ""): Named => {
  const base = { has: (path: string) => path in files, text: (path: string) => files[path] };
  return findNamedFiles({ project: [project], own: [own] }, folder, base);
};
/** The files held for these commands of the project. */
const held = (command: string, files: Files): string => [...named(command, "", files).paths].join(" ");
/** The files held for these commands of a task: mostly by their names. */
const heldOfOwn = (command: string, files: Files): string => [...named("", command, files).paths].join(" ");
const empty = (...names: string[]): Files => Object.fromEntries(names.map((name) => [name, ""] as const));

const WORDS =
  "test tests check checks checker verify verifier spec specs lint validate validator assert smoke e2e acceptance ci " +
  "coverage qa prove selfcheck selftest";

test.each([
  ...WORDS.split(" ").map((word) => `src/${word}.mjs`),
  "src/run_tests.py",
  "src/run-tests.py",
  "src/runTests.py",
  "src/E2E.mjs",
  "script/run.mjs",
  "scripts/run.mjs",
  "web/Scripts/run.mjs",
  "ci/run.mjs",
  ".ci/run.mjs",
  "tool/run.mjs",
  "tools/run.mjs",
  "hack/run.mjs",
  "build/run.mjs",
  "check/run.mjs",
  "checks/x/run.mjs",
  "support/run.mjs",
])("a script is held by its name or folder: %s", (path) => {
  const program = path.endsWith(".py") ? "python3" : "node";
  expect(heldOfOwn(`${program} ${path} | wc -l`, empty(path))).toBe(path);
  expect(heldOfOwn(`wc -l ${path}`, empty(path))).toBe("");
});

test.each([
  "src/latest.py",
  "src/runtests.py",
  "src/RUNTEST.py",
  "src/specialTestament.py",
  "src/checkout.py",
  "lib/main.py",
  "builder/main.py",
  "mytools/main.py",
  "supports/main.py",
  "specific",
])("a script is not held by its name or folder: %s", (path) => {
  expect(heldOfOwn(`python3 ${path} 1 2`, empty(path))).toBe("");
});

test.each([
  ["expected", "diff out.txt expected.txt", "expected.txt"],
  ["golden", "diff out.txt data/add.golden", "data/add.golden"],
  ["baseline", "cmp out.txt ./baseline-1.json", "baseline-1.json"],
  ["unexpected", "diff out.txt unexpected.txt", ""],
  ["not there yet", "diff out.txt expected.json", ""],
])("a file with expected results is held: %s", (_, command, expected) => {
  const files = empty("out.txt", "expected.txt", "data/add.golden", "baseline-1.json", "unexpected.txt");
  expect(heldOfOwn(command, files)).toBe(expected);
});

test.each([
  ["sh", "sh run.sh", "run.sh"],
  ["bash", "bash run.bash 1", ""],
  ["zsh", "zsh run.zsh", "run.zsh"],
  ["bats", "./run.bats", "run.bats"],
  ["a program in a folder", "bin/run", "bin/run"],
  ["a program in a folder, with one word", "bin/run all", "bin/run"],
  ["a program in a folder, with words", "bin/run 1 2", ""],
  ["a program here", "./run", ""],
  ["a shell script that is judged by its output", "sh run.sh | grep ok", ""],
  ["what begins like a shell script", "sh run.sha256", ""],
  ["another language", "node run.mjs", ""],
  ["a shell script that is data", "cat run.sh", ""],
  ["sourced", ". ./vars", "vars"],
  ["sourced, with words", "source vars run.mjs", "vars"],
])(
  "a shell script of a task's own command is held if only its exit code counts: %s",
  (_, command, expected) => {
    const files = empty(
      "run.sh",
      "run.bash",
      "run.zsh",
      "run.bats",
      "bin/run",
      "run",
      "run.sha256",
      "run.mjs",
      "vars",
    );
    expect(heldOfOwn(command, files)).toBe(expected);
  },
);

test.each([
  ["what it sources", "run.sh", ". ./lib.sh\n", "run.sh lib.sh"],
  ["checks it runs", "run.sh", "node check.mjs\n", "run.sh check.mjs"],
  ["not what it runs besides", "run.sh", "node main.mjs\n", "run.sh"],
  ["by its first line", "run", "#!/bin/sh\nnode check.mjs\n", "run check.mjs"],
  ["by its first line, looked up", "run", "#!/usr/bin/env bash\nnode check.mjs\n", "run check.mjs"],
  ["by its first line, with options", "run", "#!/bin/dash -e\nnode check.mjs\n", "run check.mjs"],
  ["not a line further on", "run", "x='\n#!/bin/sh'\nnode check.mjs\n", "run"],
  ["not another language", "run", "#!/usr/bin/env node\nnode check.mjs\n", "run"],
  ["not another shell", "run", "#!/usr/bin/fish\nnode check.mjs\n", "run"],
  ["not by what is said behind", "run", "x() #!/bin/sh\nnode check.mjs\n", "run"],
  ["not if the text is missing", "run.sh", undefined, "run.sh"],
])("the files that a held script depends on are held: %s", (_, path, text, expected) => {
  expect(held(`./${path}`, { ...empty("lib.sh", "check.mjs", "main.mjs"), [path]: text })).toBe(expected);
});

test("scripts are followed five levels deep, each once", () => {
  const chain = Array.from({ length: 9 }, (_, at) => [`s${at + 1}`, `#!/bin/sh\n. ./s${at + 2}\n`] as const);
  expect(held("sh s1", Object.fromEntries(chain))).toBe("s1 s2 s3 s4 s5");
  const loop = { "a.sh": ". ./b.sh\n", "b.sh": ". ./a.sh\n" };
  expect(held("sh a.sh", loop)).toBe("a.sh b.sh");
});

test.each([
  ["at the top", "cd; node run.mjs", "", "run.mjs"],
  ["in the folder of work", "node run.mjs", "web", "web/run.mjs"],
  ["in a folder it goes to", "cd web && node run.mjs", "", "web/run.mjs"],
  ["and back", "cd web && cd .. && node ./run.mjs", "", "run.mjs"],
  ["above the folder of work", "node ../run.mjs", "web", "run.mjs"],
])("files are looked up in the folder where a command runs: %s", (_, command, folder, expected) => {
  expect([...named(command, "", empty("run.mjs", "web/run.mjs"), folder).paths]).toEqual([expected]);
});

test("programs are reported by name", () => {
  const { programs } = named("CI=1 node run.mjs | grep -q ok", "curl -f localhost", empty("run.mjs"));
  expect([...programs]).toEqual(["node", "grep", "curl"]);
});

test("modules that Python scripts import are reported with the scripts' folders", () => {
  const text = [
    "import os.path as p, sys # and re",
    "from json import loads, dumps",
    "  import shlex",
    "from  .near import x",
    "from  csv import reader",
    "print('import xml')",
    "import\t ast,  re",
  ].join("\n");
  const { modules, folders } = named("python3 src/a.py; python3 b.py; node lib/c.mjs", "", {
    "src/a.py": text,
    "b.py": undefined,
    "lib/c.mjs": "import fs from 'fs'",
  });
  expect([...modules]).toEqual(["os", "sys", "json", "shlex", "csv", "ast", "re"]);
  expect([...folders]).toEqual(["src", "."]);
});

test.each([
  ["as it is", "PYTHONPATH=lib:src python3 -m accept", "src/accept.py"],
  ["in quotes", 'PYTHONPATH="src" python3 -m accept', "src/accept.py"],
  ["in single quotes", "export PYTHONPATH='src'; python3 -m accept", "src/accept.py"],
  ["another variable", "MYPYTHONPATH=src python3 -m accept", ""],
  ["not said", "python3 -m accept src", ""],
])("modules of Python are looked up in their folders: %s", (_, command, expected) => {
  expect(held(command, empty("src/accept.py")).split(" ")[0]).toBe(expected);
});

test.each([
  ["npm test", "node test.mjs"],
  ["npm t", "node test.mjs"],
  ["npm tst", "node test.mjs"],
  ["yarn test", "node test.mjs"],
  ["pnpm --silent run deep", "node before.mjs; node deep.mjs; node after.mjs"],
  ["bun run deep lint", "node before.mjs; node deep.mjs; node after.mjs"],
  ["npm run lint", ""],
  ["npm run broken", ""],
  ["npm start", ""],
  ["npx test", ""],
  ["pnpx test", ""],
  ["cnpm test", ""],
  ["npm-run-all test", ""],
  ["jest test", ""],
])("scripts of package.json are followed: %s", (command, lines) => {
  const scripts = {
    test: "node test.mjs",
    predeep: "node before.mjs",
    deep: "node deep.mjs",
    postdeep: "node after.mjs",
    lint: "eslint lint.mjs",
    broken: ["node test.mjs"],
  };
  const there = empty("test.mjs", "before.mjs", "deep.mjs", "after.mjs", "lint.mjs");
  const files = { ...there, "package.json": JSON.stringify({ scripts }) };
  const expected = [...lines.matchAll(/node (\S+\.mjs)/g)].map(([, path]) => path).join(" ");
  expect(held(command, files)).toBe(expected);
  const { programs } = named(command, "", files);
  expect(programs.has("eslint")).toBe(command.includes("run lint"));
});

test.each([
  ["none", undefined],
  ["broken", "{ scripts"],
  ["nothing", "null"],
  ["a text", '"scripts"'],
  ["a list", "[]"],
  ["without scripts", "{}"],
  ["with a text for scripts", '{ "scripts": "node test.mjs" }'],
  ["with nothing for scripts", '{ "scripts": null }'],
  ["with a script that is none", '{ "scripts": { "test": 1 } }'],
])("a package.json without the script is ignored: %s", (_, manifest) => {
  const files = { "test.mjs": "", "package.json": manifest };
  expect([...named("npm test", "", files).programs]).toEqual(["npm"]);
});

const RULES =
  "all: ; node all.mjs\ncheck:\n\t@node check.mjs\n\nsub: ; node sub.mjs\nrules: ; node rules.mjs\n";
const SCRIPTS = empty("all.mjs", "check.mjs", "sub.mjs", "rules.mjs");
const below = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text] as const));

test.each([
  ["the first rule", "make", { ...SCRIPTS, Makefile: RULES }, "all.mjs check.mjs"],
  ["another name", "make sub", { ...SCRIPTS, makefile: RULES }, "sub.mjs check.mjs"],
  ["a name of GNU's", "gmake sub", { ...SCRIPTS, GNUmakefile: RULES, Makefile: "" }, "sub.mjs check.mjs"],
  ["a file it names", "make -f rules sub", { ...SCRIPTS, rules: RULES }, "rules sub.mjs check.mjs"],
  ["a file called like a rule", "make -f rules", { ...SCRIPTS, rules: RULES }, "rules all.mjs check.mjs"],
  ["a file in one word", "make -frules sub", { ...SCRIPTS, rules: RULES }, "rules sub.mjs check.mjs"],
  ["a file, written out", "make --makefile ./rules", { ...SCRIPTS, rules: RULES }, "rules all.mjs check.mjs"],
  ["a folder", "make -C web sub", below("web", { ...SCRIPTS, Makefile: RULES }), "web/sub.mjs web/check.mjs"],
  [
    "a folder in one word",
    "make -Cweb",
    below("web", { ...SCRIPTS, Makefile: RULES }),
    "web/all.mjs web/check.mjs",
  ],
  [
    "a folder, written out",
    "make --directory=web",
    below("web", { ...SCRIPTS, Makefile: RULES }),
    "web/all.mjs web/check.mjs",
  ],
  [
    "a goal that ends like an option",
    "make x-C web x-f rules",
    { ...SCRIPTS, Makefile: RULES, rules: "" },
    "rules.mjs check.mjs",
  ],
  [
    "an option that begins like one",
    "make --file-x rules",
    { ...SCRIPTS, Makefile: RULES },
    "rules.mjs check.mjs",
  ],
  ["no rules", "make", SCRIPTS, ""],
  ["rules without a text", "make", { ...SCRIPTS, Makefile: undefined }, ""],
  ["rules of another tool", "just check", { ...SCRIPTS, Makefile: RULES }, ""],
])("rules of make are followed: %s", (_, command, files, expected) => {
  expect(held(command, files)).toBe(expected);
});

test.each([
  ["a check that another rule runs", "all:\n\techo\nx:\n\t-@node check.mjs 1 2\n", "check.mjs"],
  ["not what else it runs", "all:\n\techo\nx:\n\tnode all.mjs\n", ""],
  ["not what a variable says", "all:\n\techo\nRUN =\tnode check.mjs\n", ""],
])("all rules of a Makefile are read for checks: %s", (_, rules, expected) => {
  expect(held("make", { ...SCRIPTS, Makefile: rules })).toBe(expected);
});

test("only files that a task's own commands run are its work", () => {
  expect([...named("node a.mjs", "node b.mjs", empty("a.mjs", "b.mjs")).work]).toEqual(["b.mjs"]);
});

test("patterns of tools are reported for the called ones", () => {
  expect([...named("/usr/bin/tox -q", "", {}).patterns]).toEqual(["tox.ini"]);
  expect([...named("pytest", "", {}).patterns]).toEqual([]);
});

/** One check in two scripts, in every spelling people use for it. */
const NESTED = [
  "sh a.sh && sh b.sh",
  'bash -c "sh a.sh && sh b.sh"',
  "sh -c 'sh a.sh; sh b.sh'",
  "timeout 60 sh -c 'sh a.sh && sh b.sh'",
  "cd . && sh -c 'sh a.sh || exit 1; sh b.sh'",
  "env CI=1 nohup nice -n 3 bash -lc 'sh a.sh && sh b.sh'",
  "eval 'sh a.sh' && { sh b.sh; }",
  "sh -ec '. ./a.sh; source b.sh'",
  "if ./a.sh; then ./b.sh; else exit 1; fi",
  'check() { sh "$1"; }; check a.sh && check b.sh',
  "for f in a.sh b.sh; do sh $f || exit 1; done",
  "sh -e <<'END'\nsh a.sh\nsh b.sh\nEND",
  "echo x | xargs sh -c 'sh a.sh && sh b.sh'",
  "npm run both",
  "make -f rules both",
];

test.each(NESTED)("scripts that a check runs are held in every spelling: %s", (command) => {
  const scripts = { both: "bash -c 'sh a.sh && sh b.sh'" };
  const rules = "both:\n\t@bash -c 'for f in a b; do sh $$f.sh || exit 1; done'\n";
  const files = { ...empty("a.sh", "b.sh"), "package.json": JSON.stringify({ scripts }), rules };
  const paths = held(command, files).split(" ");
  expect(paths).toContain("a.sh");
  expect(paths).toContain("b.sh");
});
