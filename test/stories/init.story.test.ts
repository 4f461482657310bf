// `looper init`, as a person types it: what it writes, what it leaves alone, and its three questions on a real terminal.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { InitAnswer } from "../../src/ui/shapes/project.js";
import { mountTmpfs } from "../rig/mounts.js";
import { exhaustively, sample } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";
import { BIN } from "../rig/program.js";

/** Every file of the project with its bytes, git's own and locks left out. */
function snapshot(rig: Rig): Record<string, string> {
  const names = readdirSync(rig.project, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith(".git/") && statSync(path.join(rig.project, name)).isFile())
    .sort();
  return Object.fromEntries(names.map((name) => [name, rig.read(name)]));
}

const WRITTEN = [
  ".gitignore",
  ".looper/config.json",
  ".looper/config.schema.json",
  ".looper/run.schema.json",
];

test(
  "it writes what validate, config and doctor are content with, and what an editor can resolve; twice changes nothing",
  story(async (rig) => {
    rig.clis();
    rig.write(".gitignore", "node_modules");
    rig.gitInit();
    const first = await rig.run(["init"]);
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(/no check was found.*looper config set verify\.commands "COMMAND"\n$/);
    expect(first.stdout).toMatch(
      /^project: .*\nto-do\.json +written: 0 tasks\n[^]*\nadd your first task: looper add ".*"\n$/,
    );
    const made = snapshot(rig);
    expect(Object.keys(made)).toEqual([...WRITTEN, "to-do.json"]);
    expect(made[".gitignore"]).toBe("node_modules\nlooper-logs/\n.looper/lock/\n.looper/*.schema.json\n");
    expect(rig.readBacklog()).toEqual({
      $schema: "./.looper/run.schema.json",
      schema_version: 1,
      source_files: [],
      tasks: [],
    });
    expect(JSON.parse(rig.read(".looper/config.json"))).toEqual({ $schema: "./config.schema.json" });
    const repository = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
    expect(made[".looper/run.schema.json"]).toBe(repository("run.schema.json"));
    expect(made[".looper/config.schema.json"]).toBe(repository("schemas/config.schema.json"));

    const again = await rig.run(["init", "--json"]);
    const answer = InitAnswer.parse(JSON.parse(again.stdout));
    expect([again.code, answer.files.map(({ did }) => did)]).toEqual([
      0,
      Array.from({ length: 5 }, () => "kept"),
    ]);
    expect((await rig.run(["init"])).stdout).toContain("is set up already: nothing was changed");
    expect(snapshot(rig)).toEqual(made);

    expect((await rig.run(["validate"])).code).toBe(0);
    expect((await rig.run(["config"])).code).toBe(0);
    const doctor = await rig.run(["doctor"]);
    expect(doctor.stdout).not.toContain("✗");
    expect(doctor.code).toBe(0);
  }),
);

test(
  "--skip-config writes no settings; .gitignore is made or added to, without git too",
  story(async (rig) => {
    expect(await rig.run(["init", "--skip-config", "-y"])).toMatchObject({ code: 0 });
    expect(Object.keys(snapshot(rig))).toEqual([".gitignore", ".looper/run.schema.json", "to-do.json"]);
    rig.write("plain/.gitignore", "");
    rig.write("plain/to-do.json", " \n");
    expect(await rig.run(["init", "--yes"], { cwd: "plain" })).toMatchObject({ code: 0 });
    expect(rig.read("plain/.gitignore")).toBe("looper-logs/\n.looper/lock/\n.looper/*.schema.json\n");
    expect(await rig.run(["validate"], { cwd: "plain" })).toMatchObject({ code: 0 });
  }),
);

const NPM = '{ "scripts": { "test": "node --test" }, "devDependencies": { "left-pad": "1" } }';
const FOUND: readonly [kind: string, file: string, text: string, command: string, setup?: string][] = [
  ["npm", "package.json", NPM, "npm test", "npm install"],
  ["pytest", "pyproject.toml", '[project]\nname = "shop"\n', "pytest"],
  ["go", "go.mod", "module example.com/shop\n", "go test ./..."],
];

test.each(sample(FOUND, 1))(
  "init --yes in a project of %s takes the check that it finds, as the person's own word",
  (_name, ...[file, text, command, setup]) =>
    story(async (rig) => {
      const after = setup === undefined ? "" : ` after "${setup}"`;
      rig.write(file, text);
      const first = await rig.run(["init", "--yes"]);
      expect(first).toMatchObject({
        code: 0,
        stderr: `looper: each task must pass "${command}"${after}, found by ${file}: verify\n`,
      });
      expect(JSON.parse(rig.read(".looper/config.json"))).toMatchObject({
        verify: { commands: [command], ...(setup && { setup: [setup] }) },
      });
      expect((await rig.run(["config", "get", "verify.commands"])).stdout).toContain(command);
      // Approved: a run asks nothing.
      expect((await rig.run(["doctor"])).stdout).not.toContain("not been approved");
      const made = snapshot(rig);
      expect(await rig.run(["init", "--yes"])).toMatchObject({ code: 0, stderr: "" });
      expect(snapshot(rig)).toEqual(made);
      // Settings that are there name the check; without --yes it is only mentioned.
      rig.write("other/.git/HEAD", "");
      rig.write(`other/${file}`, text);
      const asked = await rig.run(["init"], { cwd: "other" });
      expect(asked.stderr).toContain(`verify.commands could be ["${command}"]`);
      expect(rig.read("other/.looper/config.json")).not.toContain("verify");
    })(),
);

test(
  "init keeps existing files; --force replaces them and leaves a copy; an agent may not use it",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.write(".looper/config.json", '{"loop":{"max_attempts":3}}');
    const [tasks, settings] = [rig.read("to-do.json"), rig.read(".looper/config.json")];
    const asAgent = await rig.run(["init", "--force"], { env: { LOOPER_RUN_ID: "r" } });
    expect(asAgent).toMatchObject({ code: 1, stdout: "" });
    expect(await rig.run(["init"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("next: looper run\n") as string,
    });
    expect(Object.keys(snapshot(rig))).toEqual([".gitignore", ".looper/config.json", "to-do.json"]);
    expect([rig.read("to-do.json"), rig.read(".looper/config.json")]).toEqual([tasks, settings]);

    const forced = await rig.run(["init", "--force", "--json"]);
    const { files } = InitAnswer.parse(JSON.parse(forced.stdout));
    expect(files.map(({ did }) => did)).toEqual(["replaced", "replaced", "written", "written", "kept"]);
    const copies = files.slice(0, 2).map(({ copy = "" }) => readFileSync(copy, "utf8"));
    expect(copies).toEqual([tasks, settings]);
    expect(rig.readBacklog().tasks).toEqual([]);
    const once = snapshot(rig);
    expect(await rig.run(["init", "--force"])).toMatchObject({ code: 0 });
    expect(snapshot(rig)).toEqual(once);
  }),
);

exhaustively(
  "broken settings do not stop it, are told and left; a second settings file is never made",
  story(async (rig) => {
    rig.write(".looper/config.json", '{"lop": 1}');
    const broken = await rig.run(["init"]);
    expect(broken.code).toBe(0);
    expect(broken.stderr).toMatch(/^looper: the settings are broken: .*unknown key lop.*\n$/);
    expect(rig.read(".looper/config.json")).toBe('{"lop": 1}');
    expect(rig.readBacklog().tasks).toEqual([]);
    const mended = await rig.run(["init", "--force"]);
    expect([mended.code, mended.stderr]).toEqual([
      0,
      expect.stringMatching(/^looper: no check was found.*\n$/),
    ]);
    expect(await rig.run(["config"])).toMatchObject({ code: 0 });

    for (const [folder, name] of [
      ["y", ".looper/config.yaml"],
      ["m", "package.json"],
    ] as const) {
      const text = name === "package.json" ? '{"looper":{"todo_file":"t.json"}}' : "todo_file: t.json\n";
      rig.write(`${folder}/${name}`, text);
      expect(await rig.run(["init", "--force"], { cwd: folder })).toMatchObject({ code: 0 });
      expect(rig.read(`${folder}/${name}`)).toBe(text);
      expect(await rig.run(["validate"], { cwd: folder })).toMatchObject({
        stdout: "t.json is valid: 0 tasks\n",
      });
    }
    rig.write("b/to-do.json", "{");
    const invalid = await rig.run(["init"], { cwd: "b" });
    expect([invalid.code, rig.read("b/to-do.json")]).toEqual([0, "{"]);
    expect(invalid.stderr).toContain("to-do.json is not a valid backlog");
  }),
);

test(
  "links that a clone brings lead nothing out of the project",
  story(async (rig) => {
    mkdirSync(path.join(rig.root, "elsewhere"));
    symlinkSync(path.join(rig.root, "elsewhere"), path.join(rig.project, ".looper"));
    const refused = await rig.run(["init"]);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringMatching(/\.looper is a link that leads out of the project/) as string,
    ]);
    mkdirSync(path.join(rig.project, "b"));
    writeFileSync(path.join(rig.root, "outside"), "mine\n");
    symlinkSync(path.join(rig.root, "outside"), path.join(rig.project, "b/.gitignore"));
    mkdirSync(path.join(rig.project, "b/.git"));
    const told = await rig.run(["init"], { cwd: "b" });
    expect([told.code, told.stderr]).toEqual([
      0,
      expect.stringMatching(/\.gitignore is not a plain file/) as string,
    ]);
    expect(readFileSync(path.join(rig.root, "outside"), "utf8")).toBe("mine\n");
    expect(readdirSync(path.join(rig.root, "elsewhere"))).toEqual([]);
  }),
);

test("a read-only folder exits with 3, in two lines; a project that is set up already needs no writing", async (context) => {
  await story(async (rig) => {
    const folder = path.join(rig.project, "still");
    const mount = mountTmpfs(folder, 512);
    if (typeof mount === "string") return context.skip(mount);
    try {
      mkdirSync(path.join(folder, "new"));
      mkdirSync(path.join(folder, "old"));
      expect(await rig.run(["init"], { cwd: "still/old" })).toMatchObject({ code: 0 });
      mount.makeReadOnly();
      const refused = await rig.run(["init"], { cwd: "still/new" });
      expect([refused.code, refused.stdout]).toEqual([3, ""]);
      expect(refused.stderr).toMatch(/^looper: cannot write in .*\n {2}make it writable.*\n$/);
      expect(await rig.run(["init"], { cwd: "still/old" })).toMatchObject({ code: 0 });
    } finally {
      mount.unmount();
    }
  })();
});

/** The program on a terminal of its own, with what it showed so far. */
class Terminal {
  shown = "";
  readonly code: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(rig: Rig, words: string) {
    this.#child = spawn(
      "script",
      ["-qec", `stty cols 80 rows 24; '${process.execPath}' '${BIN}' ${words}`, "/dev/null"],
      {
        cwd: rig.project,
        env: { ...rig.env, TERM: "xterm" },
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.shown += text));
    this.code = new Promise((resolve) => this.#child.once("close", resolve));
  }

  async answer(question: string, keys: string): Promise<void> {
    await expect.poll(() => this.shown).toContain(question);
    this.#child.stdin?.write(keys);
  }
}

const noTerminal = spawnSync("script", ["--version"]).error !== undefined;
const DOWN = "\u001b[B";

test.skipIf(noTerminal)(
  "on a terminal it asks three questions; what was answered is what is written, and trusted",
  story(async (rig) => {
    rig.clis();
    rig.write("package.json", '{"scripts":{"test":"node --test"}}');
    rig.gitInit();
    const terminal = new Terminal(rig, "init");
    await terminal.answer("Which agent is to work?", `${DOWN}\r`);
    await terminal.answer("Where do the tasks come from?", `${DOWN}\r`);
    await terminal.answer("What proves a task done?", "\r");
    expect(await terminal.code).toBe(0);
    expect(terminal.shown).toContain('next: looper run --prompt "what to build"');
    expect(JSON.parse(rig.read(".looper/config.json"))).toEqual({
      $schema: "./config.schema.json",
      schedule: { agent: "claude" },
      verify: { commands: ["npm test"] },
    });
    rig.writeBacklog([{ id: "T1" }]);
    expect((await rig.run(["doctor"])).stdout).not.toContain("not been approved");
    rig.writeBacklog([{ id: "T2", verify: ["true"] }]);
    expect((await rig.run(["run"])).stderr).toContain("have not been approved yet");
    const again = new Terminal(rig, "init");
    expect(await again.code).toBe(0);
    expect(again.shown).not.toContain("?  ");
    expect(again.shown).toContain("is set up already");
  }),
);

test.skipIf(noTerminal)(
  "commands that were there before are not vouched for by what was answered",
  story(async (rig) => {
    rig.clis();
    rig.writeBacklog([{ id: "T1", verify: ["true"] }]);
    const terminal = new Terminal(rig, "init");
    await terminal.answer("Which agent is to work?", "\r");
    await terminal.answer("What proves a task done?", "make check\r");
    expect(await terminal.code).toBe(0);
    expect(rig.read(".looper/config.json")).toContain("make check");
    const run = await rig.run(["run"]);
    expect([run.code, run.stderr]).toEqual([
      3,
      expect.stringContaining("have not been approved yet") as string,
    ]);
  }),
);

test.skipIf(noTerminal)(
  "Enter at the first question keeps the agent of the user's own settings",
  story(async (rig) => {
    rig.clis();
    writeFileSync(path.join(rig.root, "config/looper/config.json"), '{"schedule": {"agent": "claude"}}');
    const terminal = new Terminal(rig, "init");
    for (const question of [
      "Which agent is to work?",
      "Where do the tasks come from?",
      "What proves a task done?",
    ])
      await terminal.answer(question, "\r");
    expect(await terminal.code).toBe(0);
    expect(JSON.parse(rig.read(".looper/config.json"))).toEqual({ $schema: "./config.schema.json" });
  }),
);

test.skipIf(noTerminal)(
  "the tasks of a file, asked for on the terminal; a file that is not there ends it, with nothing written",
  story(async (rig) => {
    for (const [file, code] of [
      ["none.md", 2],
      ["TODO.md", 0],
    ] as const) {
      expect(Object.keys(snapshot(rig))).toEqual(code === 0 ? ["TODO.md"] : []);
      const terminal = new Terminal(rig, "init --skip-config");
      await terminal.answer("Where do the tasks come from?", `${DOWN}${DOWN}\r`);
      await terminal.answer("Which file?", `${file}\r`);
      expect(await terminal.code).toBe(code);
      rig.write("TODO.md", "- [ ] one\n");
    }
    expect(rig.statuses()).toEqual({ T1: "todo" });
  }),
);

test.skipIf(noTerminal)(
  "Ctrl-C and Ctrl-D at any question: 130, nothing is written, the terminal is as it was",
  story(async (rig) => {
    const questions = ["Which agent", "Where do", "What proves"];
    for (const [key, last] of [
      ["\u0003", 0],
      ["\u0004", 1],
      ["\u0004", 2],
    ] as const) {
      const terminal = new Terminal(rig, "init; e=$?; stty -a; exit $e");
      for (const [at, question] of questions.slice(0, last + 1).entries())
        await terminal.answer(question, at === last ? key : "\r");
      expect(await terminal.code, `${JSON.stringify(key)} at ${questions[last] ?? ""}`).toBe(130);
      expect(terminal.shown).toMatch(/ icanon .* echo /s);
      expect(terminal.shown.lastIndexOf("\u001b[?25h")).toBeGreaterThan(
        terminal.shown.lastIndexOf("\u001b[?25l"),
      );
      expect(snapshot(rig)).toEqual({});
    }
  }),
);

test(
  "--verify sets the check of new settings, and approves it; of settings that are there it is set by config",
  story(async (rig) => {
    rig.gitInit();
    const made = await rig.run(["init", "--verify", "true", "--verify", "test -d ."]);
    expect([made.code, made.stderr]).toEqual([0, ""]);
    const settings = (): unknown => JSON.parse(rig.read(".looper/config.json"));
    expect(settings()).toEqual({
      $schema: "./config.schema.json",
      verify: { commands: ["true", "test -d ."] },
    });
    rig.write(".looper/config.json", '{"loop": {"max_attempts": 3}}\n');
    const again = await rig.run(["init", "--verify", "test -e to-do.json"]);
    expect([again.code, settings()]).toEqual([2, { loop: { max_attempts: 3 } }]);
    expect(again.stderr).toContain("looper config set verify.commands");
    expect((await rig.run(["config", "set", "verify.commands", "test -e to-do.json"])).code).toBe(0);
    expect((await rig.run(["init", "--verify", " "])).code).toBe(2);
    expect((await rig.run(["init", "--verify", "true", "--skip-config"])).code).toBe(2);
    const doctor = await rig.run(["doctor"]);
    expect(doctor.stdout).not.toContain("not been approved");
    rig.write(".looper/config.json", rig.read(".looper/config.json").replace("test -e", "test -f"));
    expect((await rig.run(["doctor"])).stdout).toContain("not been approved");
  }),
);

test(
  "--here sets up a folder below the root of a repository; without it the root is named, and a repository without a commit",
  story(async (rig) => {
    rig.git("init", "-q");
    rig.write("packages/a/package.json", '{"scripts": {"test": "node --test"}}');
    const root = await rig.run(["init"], { cwd: "packages/a" });
    expect([root.code, root.stdout]).toEqual([0, expect.stringMatching(`^project: ${rig.project}\n`)]);
    expect(root.stderr).toContain("no commit yet");
    const here = await rig.run(["init", "--here"], { cwd: "packages/a" });
    expect([here.code, here.stdout]).toEqual([
      0,
      expect.stringMatching(`^project: ${rig.project}/packages/a\n`),
    ]);
    expect((await rig.run(["add", "One"], { cwd: "packages/a" })).code).toBe(0);
    expect(rig.read("packages/a/to-do.json")).toContain("One");
    expect(rig.read("to-do.json")).not.toContain("One");
    expect((await rig.run(["init", "--here"], { cwd: "packages/a" })).stdout).toContain(
      "nothing was changed",
    );
  }),
);

exhaustively(
  "copies of the schemas are ignored by git, and written again by init",
  story(async (rig) => {
    rig.clis();
    rig.gitInit();
    expect((await rig.run(["init"])).code).toBe(0);
    expect(rig.git("status", "--porcelain", "--untracked-files=all")).not.toContain("schema");
    const copies = [".looper/config.schema.json", ".looper/run.schema.json"];
    const texts = copies.map((name) => rig.read(name));
    for (const name of copies) rmSync(path.join(rig.project, name));
    expect((await rig.run(["init"])).code).toBe(0);
    expect(copies.map((name) => rig.read(name))).toEqual(texts);
  }),
);
