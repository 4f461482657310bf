// Commands in a project's own files need approval before they are used (contract §2, *Trust*); those a person sets do not.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sample } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

const ASKED = expect.stringContaining("have not been approved yet") as string;

function readyRig(rig: Rig, git: "git" | "plain" = "plain"): void {
  rig.clis({ default: [{ summary: { status: "done" } }] });
  rig.writeBacklog([{ id: "T1" }]);
  if (git === "git") rig.gitInit();
  mkdirSync(path.join(rig.root, "elsewhere"));
}

test(
  "a log folder outside the project is asked about, however the settings spell it",
  story(async (rig) => {
    readyRig(rig);
    const elsewhere = path.join(rig.root, "elsewhere");
    symlinkSync(elsewhere, path.join(rig.project, "linked"));
    const spellings = [
      "${OUT}/logs",
      "linked/logs",
      "../elsewhere",
      "$OUT",
      "$OUT/../elsewhere",
      "$PWD/../elsewhere",
    ];
    for (const log_dir of sample(spellings, 2)) {
      rig.write(".looper/config.json", JSON.stringify({ log_dir }));
      const env = { OUT: elsewhere, PWD: rig.project };
      const { code, stderr } = await rig.run(["run", "--no-review"], { env });
      expect([log_dir, code, stderr]).toEqual([log_dir, 3, ASKED]);
      expect(stderr).toContain("log_dir (.looper/config.json:1)");
    }
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(existsSync(path.join(rig.project, "looper-logs"))).toBe(false);
    rig.write(".looper/config.json", JSON.stringify({ log_dir: "../elsewhere" }));
    expect((await rig.run(["run", "--no-review", "--trust"])).code).toBe(0);
    expect(readdirSync(elsewhere)).toContain("runs");
    // Trust is for one run.
    expect((await rig.run(["add", "Two"])).code).toBe(0);
    expect((await rig.run(["run"])).stderr).toEqual(ASKED);
  }),
);

test(
  "a log folder inside .git, or one that holds the project, is a settings error",
  story(async (rig) => {
    readyRig(rig, "git");
    symlinkSync(".git/hooks", path.join(rig.project, "hooks"));
    for (const log_dir of sample(["hooks", ".", ".git", ".git/hooks", "..", "to-do.json"], 2)) {
      rig.write(".looper/config.json", JSON.stringify({ log_dir }));
      const { code, stderr } = await rig.run(["run"]);
      expect([log_dir, code]).toEqual([log_dir, 2]);
      expect(stderr).toMatch(
        /^looper: \.looper\/config\.json:1: cannot use ".*" as log_dir: .*\n {2}name another place.*\n$/,
      );
    }
    expect(existsSync(path.join(rig.project, ".git/runs"))).toBe(false);
  }),
);

test(
  "a template or a task file that is a symlink out of the project is asked about before it is used",
  story(async (rig) => {
    readyRig(rig);
    writeFileSync(path.join(rig.root, "secret"), "the key of the safe");
    symlinkSync("../secret", path.join(rig.project, "prompt.md"));
    rig.write(".looper/config.json", '{"prompts": {"iteration": "prompt.md"}}');
    const asked = await rig.run(["run"]);
    expect([asked.code, asked.stderr]).toEqual([3, ASKED]);
    expect(asked.stderr).toContain(
      `prompts.iteration (.looper/config.json:1): prompt.md → ${rig.root}/secret`,
    );

    rig.write(".looper/config.json", "{}");
    const outside = path.join(rig.root, "elsewhere/to-do.json");
    writeFileSync(outside, rig.read("to-do.json"));
    const before = readFileSync(outside, "utf8");
    rmSync(path.join(rig.project, "to-do.json"));
    symlinkSync(outside, path.join(rig.project, "to-do.json"));
    const written = await rig.run(["run"]);
    expect([written.code, written.stderr]).toEqual([3, ASKED]);
    expect(written.stderr).toContain(`todo_file (a symlink in the project): to-do.json → ${outside}`);
    expect(readFileSync(outside, "utf8")).toBe(before);
    // A file that the user names is the user's.
    expect((await rig.run(["run", outside, "--no-review"])).code).toBe(0);
  }),
);

test(
  "the command line is checked before anything is asked",
  story(async (rig) => {
    readyRig(rig);
    rig.write(".looper/config.json", '{"verify": {"commands": ["true"]}}');
    const slip = await rig.run(["run", "--agent", "codx"]);
    expect([slip.code, slip.stderr]).toEqual([2, expect.stringContaining("did you mean codex?")]);
    expect(slip.stderr).not.toContain("approved");
    const release = await rig.run(["push", "--agent", "codx"]);
    expect([release.code, release.stderr]).toEqual([2, expect.stringContaining("did you mean codex?")]);
    expect((await rig.run(["run"])).code).toBe(3);
  }),
);

test(
  "commands that a person sets through the program are approved, and nothing else is",
  story(async (rig) => {
    readyRig(rig);
    expect((await rig.run(["set", "T1", "verify+=test -e README.md || true"])).code).toBe(0);
    expect((await rig.run(["add", "Two", "--verify", "true"])).code).toBe(0);
    const run = await rig.run(["run", "--no-review"]);
    expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining("approved")]);

    // A command that came with the project is asked about, also beside approved ones.
    expect((await rig.run(["add", "Three", "--verify", "true"])).code).toBe(0);
    rig.write(
      "to-do.json",
      rig.read("to-do.json").replace('"title": "Three",', '"title": "Three", "files": [],'),
    );
    const { tasks } = rig.readBacklog();
    rig.writeBacklog([...tasks, { id: "T4", verify: ["make evil"] }]);
    const asked = await rig.run(["run", "--no-review"]);
    expect([asked.code, asked.stderr]).toEqual([3, ASKED]);
    expect(asked.stderr).toContain("verify of T4");
    expect(asked.stderr).toContain("--trust");
    expect(asked.stderr).toContain("terminal");
    // The same task, the same command, and one beside it that was there before.
    expect((await rig.run(["set", "T4", "verify+=true"])).code).toBe(0);
    expect((await rig.run(["run", "--no-review"])).stderr).toContain("make evil");
  }),
);

test(
  "beside a run, and from a process of one, a command is not approved",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const puppet = await rig.agent();
    puppet.play(async (turn) => {
      expect((await rig.run(["add", "Later", "--verify", "true"])).code).toBe(0);
      await turn.report();
    });
    await rig.run(["run", "--no-review", "--max-iterations", "1"]);
    expect((await rig.run(["run", "--no-review"])).stderr).toContain("verify of T2");
    const add = ["add", "Marked", "--verify", "true"];
    const ofARun = { LOOPER_MARK_2026_11_20_21_46_01_0123456789abcdef: "1" };
    expect((await rig.run(add, { env: ofARun })).code).toBe(1);
    const ofASession = { LOOPER_MARK_2026_11_20_21_46_01_a1b2c3_0123456789abcdef: "1" };
    expect((await rig.run(add, { env: ofASession })).code).toBe(0);
    expect((await rig.run(["run", "--no-review"])).stderr).toContain("verify of T3");
  }),
);

test(
  "config set and unset change one setting of the file there is, refuse what load would refuse, and approve the command",
  story(async (rig) => {
    readyRig(rig);
    const text = '{\n\t"loop": { "max_attempts": 3 },\n\t"verify": { "strict": true }\n}\n';
    rig.write(".looper/config.json", text);
    const set = await rig.run(["config", "set", "verify.commands", "true", "test -e to-do.json, || true"]);
    expect(set).toMatchObject({
      code: 0,
      stdout: "verify.commands: set in .looper/config.json\n",
      stderr: "",
    });
    const written = rig.read(".looper/config.json");
    expect(written).toContain('"loop": { "max_attempts": 3 },\n');
    expect(JSON.parse(written)).toMatchObject({
      verify: { strict: true, commands: ["true", "test -e to-do.json, || true"] },
    });
    expect((await rig.run(["run", "--no-review"])).code).toBe(0);

    const refusals: [string[], number, RegExp][] = [
      [
        ["set", "loop.max_attempts", "many"],
        2,
        /config\.json:2: loop\.max_attempts is "many"; allowed: a whole number/,
      ],
      [["set", "loop.max_attemps", "3"], 2, /did you mean loop\.max_attempts/],
      [["set", "log_dir", ".git/hooks"], 2, /inside \.git/],
      [["set", "verify.commands"], 2, /no value is given/],
      [["set"], 2, /no setting is named/],
      [["unset", "git.init"], 1, /git\.init is not set in \.looper\/config\.json/],
    ];
    for (const [args, code, says] of sample(refusals, 3)) {
      const refused = await rig.run(["config", ...args]);
      expect([refused.code, refused.stdout, rig.read(".looper/config.json")]).toEqual([code, "", written]);
      expect(refused.stderr).toMatch(says);
    }
    const inARun = await rig.run(["config", "unset", "verify"], { env: { LOOPER_RUN_ID: "r" } });
    expect([inARun.code, rig.read(".looper/config.json")]).toEqual([1, written]);

    expect((await rig.run(["config", "unset", "verify"])).code).toBe(0);
    expect(rig.read(".looper/config.json")).toBe('{\n\t"loop": { "max_attempts": 3 }\n}\n');
    expect((await rig.run(["config", "set", "--user", "loop.review", "off"])).code).toBe(0);
    expect((await rig.run(["config", "get", "loop.review"])).stdout).toBe("false\n");
    // The first setting makes the file, below a package.json too.
    rig.write("sub/package.json", '{"name": "x"}');
    rig.write("sub/to-do.json", "");
    expect((await rig.run(["config", "set", "loop.max_attempts", "4"], { cwd: "sub" })).code).toBe(0);
    expect(JSON.parse(rig.read("sub/.looper/config.json"))).toEqual({ loop: { max_attempts: 4 } });
  }),
);
