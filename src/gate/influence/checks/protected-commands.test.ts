import { expect, test } from "vitest";
import { findNamedFiles, type Commands } from "./protected-commands.js";

type Files = Record<string, string>;

const named = (commands: Partial<Commands>, files: Files, folder = ""): ReturnType<typeof findNamedFiles> => {
  const base = { has: (path: string) => path in files, text: (path: string) => files[path] };
  return findNamedFiles({ project: [], own: [], ...commands }, folder, base);
};
const held = (command: string, files: Files, folder = ""): string[] =>
  [...named({ project: [command] }, files, folder).paths].sort();
const filesNamed = (names: string): Files =>
  Object.fromEntries(names.split(" ").map((name) => [name, ""] as const));

test.each([
  ["node run.mjs", "run.mjs"],
  ["node --no-warnings src/selfcheck.mjs --all", "src/selfcheck.mjs"],
  ["node src/app.mjs --selftest data.json", "src/app.mjs"],
  ["node --import ./hook.mjs -r ./pre.cjs run.mjs", "hook.mjs pre.cjs run.mjs"],
  ["python3 -W error prove.py", "prove.py"],
  ["./accept out.txt --strict", "accept"],
  ["timeout 60 env -i A=1 ./accept out.txt", "accept"],
  ["CI=1 npx tsx accept.ts", "accept.ts"],
  ["coverage run prove.py && uv run accept.py", "accept.py prove.py"],
  ["pnpm exec node run.mjs", "run.mjs"],
  ["node run.mjs >log.txt 2>&1", "run.mjs"],
  ["node run.mjs | tee log.txt", "run.mjs"],
  ["bash -c 'node run.mjs'", "run.mjs"],
  ["jest --config build/jest.js && pytest -c build/pytest", "build/jest.js build/pytest"],
  ["awk -f rules.awk out.txt", "rules.awk"],
  ["cd sub && node run.mjs", "sub/run.mjs"],
])("a file that the project's command runs is held: %s", (command, expected) => {
  const there = filesNamed(`${expected} out.txt data.json log.txt other.mjs`);
  expect(held(command, there).join(" ")).toBe(expected);
});

test.each([
  ["sh add.sh 1 2 | grep -qx 3", "add.sh"],
  ['test "$(node src/main.mjs)" = 3', "src/main.mjs"],
  ["node src/main.mjs >out.txt && diff out.txt wanted.txt", "src/main.mjs out.txt wanted.txt"],
  ["node src/server.mjs & curl -f localhost", "src/server.mjs"],
  ["node --check src/main.mjs", "src/main.mjs"],
  ["grep -q node src/main.mjs", "src/main.mjs"],
])("a program whose output is judged is the work: %s", (command, there) => {
  expect(held(command, filesNamed(there))).toEqual([]);
});

test("a module of Python is held with the files that would be found before it", () => {
  const all = [
    "accept.py",
    "accept/__init__.py",
    "accept/run.py",
    "accept/run/__init__.py",
    "accept/run/__main__.py",
  ];
  expect(held("python3 -u -m accept.run", filesNamed("accept/run.py"))).toEqual(all);
  const command = "PYTHONPATH=lib python3 -m accept.run";
  expect(held(command, filesNamed("lib/accept/run.py"))).toEqual(all.map((path) => `lib/${path}`));
  expect(held("python3 -m unittest", filesNamed("src/unittest.txt"))).toEqual([]);
});

test("requested scripts of npm and rules of make are followed to the files they run", () => {
  const scripts = {
    test: "npm run deep && node all.mjs",
    deep: "node deep.mjs",
    start: "node src/main.mjs",
  };
  const files = {
    ...filesNamed("all.mjs deep.mjs src/main.mjs prove.py run.sh"),
    "package.json": JSON.stringify({ scripts }),
    Makefile:
      "PY = python3\nall: check\ncheck: prove ; sh run.sh -v\nprove:\n\t@$(PY) prove.py -v\nstart:\n\tnode src/main.mjs\n",
  };
  expect(held("npm test -s", files)).toEqual(["all.mjs", "deep.mjs"]);
  expect(held("make -s", files)).toEqual(["prove.py", "run.sh"]);
  expect(held("make -j 2 prove", files)).toEqual(["prove.py"]);
  expect(held("npm test | grep -q ok", { ...files, "deep.mjs": "" })).toEqual([]);
});

test("rules in a file of another name are held with the files they run", () => {
  const files = {
    "build/accept.make": "accept: ; node run.mjs\n",
    "run.mjs": "",
    Makefile: "x:\n\tnode other.mjs\n",
    "other.mjs": "",
  };
  expect(held("make -f build/accept.make accept", files)).toEqual(["build/accept.make", "run.mjs"]);
  const inside = { "sub/rules": "accept: ; node run.mjs\n", "sub/run.mjs": "" };
  expect(held("make -C sub --file=rules", inside)).toEqual(["sub/rules", "sub/run.mjs"]);
});

test("rules that run each other are read once", () => {
  const rules = Array.from(
    { length: 60 },
    (_, at) => `r${at}:\n\tmake r${(at + 1) % 60}\n\tmake r${(at + 7) % 60}\n`,
  );
  expect(held("make r0", { Makefile: rules.join("\n") })).toEqual([]);
});

test("a file that a task's own command runs is reported, and held only by its name", () => {
  const files = filesNamed("src/main.mjs check.mjs");
  const { paths, work } = named({ own: ["node src/main.mjs --version", "node check.mjs"] }, files);
  expect([...paths]).toEqual(["check.mjs"]);
  expect([...work]).toEqual(["src/main.mjs", "check.mjs"]);
});
