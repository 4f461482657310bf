// A project packed by an attacker, its .looper and logs included. Whatever is in it, no command starts a program of it, hangs,
// crashes, writes outside of it, or prints control sequences to a terminal. The user is not asked and has approved nothing.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../cmd/commands.js";
import { Program, type Ran } from "../rig/program.js";
import { EXHAUSTIVE } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

/** A title of a window, a cleared screen, a colour by one byte, and text that runs backwards. */
const STEERS = "\u001b]0;x\u0007\u001b[2J\u009b31m\u202e";
const RUN = "2026-01-31_08-30-00";
const LOG = `looper-logs/runs/${RUN}/events.jsonl`;

/** Every command, `-- ` before what could be taken for a flag. Those that the help shows and this list does not fail the test. */
const TYPED: readonly string[] = [
  ...["help", "ls", "ls --json", "ls --tag x --ready", "show T1", "show T1 --json", "show -- --force"],
  ...[
    "why T1",
    "serve --port x",
    "why -- --force",
    "why --json -- ../../x",
    "add title --json",
    "set T1 priority=2",
  ],
  ...["set -- --force priority=2", "block T1 why", "todo T1", "done T1", "rm T1", "rm -- --force -rf"],
  ...[
    "questions",
    "questions --json",
    "questions T1",
    "answer T1 approve",
    "approve T1",
    "reject T1 -m no",
    "pause T1",
  ],
  ...["resume T1", "steer T1 text", "complete T1", "todo T1 --restart", "todo T1 --restart --stage x"],
  ...["accept T1", "accept -- --force", "show T1 --explain", "show T1 --explain --json"],
  ...["mcp", "validate", "validate --json", "fmt --check", "fmt --diff", "fmt -w"],
  ...["runs", "runs --json", "status", "status --json", "stop --now", "tail", "tail --raw"],
  ...["logs T1", "logs T1 --json", "fmt --fix", "runs --all", "config unset log_dir"],
  ...[`tail ${RUN}`, "tail ../../x", "tail 2026-01-31_08-30-01", "replay", `replay ${RUN}`],
  ...[`replay ${RUN} --at 1`, "undo T1 --dry-run", "undo T1"],
  ...["undo T2 --dry-run", "undo T2 -y"],
  ...[
    "rescue",
    "rescue show x",
    "rescue restore x",
    "clean --keep 0",
    "clean",
    "init",
    "init -y",
    "init --force",
  ],
  ...["config", "config --json", "config get verify.commands", "config path", "doctor", "doctor --json"],
  ...["doctor --fix", "completion bash", "__complete zsh -- why ", "__complete bash -- run --agent "],
  ...[
    "__complete fish -- tail ",
    "push",
    "push --dry-run",
    "push patch --dry-run --json",
    "run",
    "run --dry-run",
  ],
  ...[
    "chapo hello",
    "chapo --json hello",
    "chapo tools",
    "chapo sessions --json",
    "chapo prompts --json",
    "chapo pending --json",
    "chapo approve last",
    "chapo reject last",
    "chapo steer last x",
    "chapo answer last x",
    "chapo undo last",
  ],
  ...["workflows", "workflows --json", "workflows show tdd", "workflows copy tdd", "workflows check evil"],
  ...["run --workflow evil", "run --workflow evil --dry-run", "__complete bash -- run --workflow "],
  ...["run --dry-run --json", "run --no-review --quiet", "run --git-init", "run --task T1"],
];
/** One line of each command; in make proof all of them. */
const TRIED = TYPED.filter(
  (typed, at) => EXHAUSTIVE || TYPED.findIndex((one) => one.split(" ")[0] === typed.split(" ")[0]) === at,
);
/** Commands that use nothing of the project. */
const ELSEWHERE = ["demo"];

const trap = (rig: Rig, name: string): string => `touch '${rig.root}/sprung/${name}'`;

/** Servers that are started, a script that calls a command, all of it allowed. */
const EVIL_CHAPO = (rig: Rig) => ({
  script: ".looper/evil.json",
  mode: "trusted",
  core_prompt: STEERS,
  mcp: { servers: { evil: { command: "sh", args: ["-c", trap(rig, "mcp")] } } },
});

function plant(rig: Rig): void {
  const outside = setStage(rig);
  plantPrograms(rig);
  plantSettings(rig);
  symlinkSync(outside, path.join(rig.project, ".looper/sessions"));
  plantBacklog(rig);
  plantLog(rig);
  symlinkSync(outside, path.join(rig.project, "looper-logs/runs/2026-01-31_08-30-01"));
  rig.gitInit();
  plantInGit(rig);
}

/** Under names that something may look for in the project. */
function plantPrograms(rig: Rig): void {
  const js = `require("fs").writeFileSync("${rig.root}/sprung/settings", "")`;
  for (const name of [
    ".config/config.js",
    ".configrc.js",
    "looper.config.js",
    "looper.config.ts",
    ".looper/config.js",
  ])
    rig.write(name, js);
  for (const name of [".configrc", ".looperrc"]) rig.write(name, "schedule: { agent: evil }\n");
  for (const name of ["codex", "claude", "git", "node", "sh", "gh"]) {
    for (const folder of ["", "bin/", "node_modules/.bin/"])
      rig.write(folder + name, `#!/bin/sh\n${trap(rig, name)}\n`);
  }
  rig.write("evil.mjs", js);
  rig.write(".envrc", trap(rig, "envrc"));
  rig.write(
    "package.json",
    JSON.stringify({ name: STEERS, version: "1.0.0", scripts: { test: trap(rig, "npm") } }),
  );
}

function plantSettings(rig: Rig): void {
  const evil = { name: "bash_execute", args: { command: trap(rig, "chapo") } };
  rig.write(".looper/evil.json", JSON.stringify({ turns: [{ call: evil }, { say: STEERS }] }));
  rig.write(
    ".looper/config.json",
    JSON.stringify({
      schedule: { agent: "evil" },
      agents: {
        evil: { kind: "command", binary: "./bin/codex", args: [STEERS] },
        codex: { binary: "./bin/codex" },
        module: { kind: "module", module: "./evil.mjs" },
        chapo: { model: "scripted", chapo: EVIL_CHAPO(rig) },
      },
      verify: { commands: [trap(rig, "verify") + STEERS] },
      hooks: { pre_iteration: [trap(rig, "hook")], on_run_end: [trap(rig, "hook")] },
    }),
  );
}

function plantBacklog(rig: Rig): void {
  const ids = ["T1", "--force", "$(touch\u00a0x)", "../../x", "-rf", "`id`"];
  const more = {
    title: `t ${STEERS} x`,
    details: STEERS,
    tags: [STEERS, "--force"],
    verify: [trap(rig, "task")],
  };
  rig.writeBacklog(
    ids.map((id) => ({ ...more, id })),
    { project: { name: STEERS } },
  );
}

function plantLog(rig: Rig): void {
  const begun = {
    type: "run_started",
    seq: 1,
    timestamp: "2026-01-31T08:30:00.000Z",
    run: STEERS,
    version: STEERS,
  };
  const lines = [
    begun,
    { ...begun, seq: 2, type: "message", timestamp: STEERS },
    { ...begun, seq: 3, type: STEERS },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  rig.write(LOG, `${text}\n${STEERS}\n${"x".repeat(2_000_000)}\n`);
}

/** Plants programs that git would start. */
function plantInGit(rig: Rig): void {
  for (const [key, name] of [
    ["core.fsmonitor", "fsmonitor"],
    ["core.pager", "pager"],
    ["alias.status", "alias"],
    ["diff.external", "diff"],
    ["gpg.program", "gpg"],
    ["core.sshCommand", "ssh"],
  ] as const)
    rig.git("config", key, `${key.startsWith("alias") ? "!" : ""}${trap(rig, name)}`);
  for (const hook of ["pre-commit", "post-index-change", "reference-transaction"])
    writeFileSync(path.join(rig.project, ".git/hooks", hook), `#!/bin/sh\n${trap(rig, hook)}\n`, {
      mode: 0o755,
    });
}

/** Plants the lock of a run that seems to be running elsewhere; a folder could be written to in its name. */
function plantLock(rig: Rig, facts: Record<string, unknown>): void {
  const owner = {
    token: "a",
    pid: 1,
    started: "x",
    boot: "x",
    host: "elsewhere",
    namespace: "x",
    since: "2026-01-31T08:30:00Z",
  };
  rig.write(".looper/lock/to-do.json.run", JSON.stringify({ ...owner, run: RUN, ...facts }));
}

/** Ended after 20 s: it hung. */
async function runIn(rig: Rig, typed: string): Promise<Ran> {
  const program = new Program(typed.split(" "), { cwd: rig.project, env: rig.env, hangsAfterMs: 20_000 });
  return program.ended;
}

/** Returns a sentence for each thing the command did that no command may do. */
function harms(rig: Rig, typed: string, { code, signal, stdout, stderr }: Ran): string[] {
  // These pass the file on unchanged, into a pipe.
  const passedOn = ["fmt --diff", "tail --raw"];
  const shown = passedOn.includes(typed) ? stderr : stdout + stderr;
  const steers = /.{0,30}[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/.exec(shown)?.[0];
  const [sprung, outside] = ["sprung", "outside"].map((name) => readdirSync(path.join(rig.root, name)));
  return [
    ...(signal === undefined ? [] : [`hung: ${signal}`]),
    ...(code === undefined || [0, 1, 2, 3].includes(code) ? [] : [`exit code ${code}: ${stderr}`]),
    ...(steers === undefined ? [] : [`prints ${JSON.stringify(steers)}`]),
    ...(sprung ?? []).map((name) => `starts ${name}`),
    ...(outside ?? []).filter((name) => name !== "events.jsonl").map((name) => `writes outside: ${name}`),
  ].map((harm) => `${typed}: ${harm}`);
}

/** Two folders beside the project: one where what was started leaves its name, one that is not the project's. */
function setStage(rig: Rig): string {
  mkdirSync(path.join(rig.root, "sprung"));
  const outside = path.join(rig.root, "outside");
  mkdirSync(outside);
  writeFileSync(
    path.join(outside, "events.jsonl"),
    '{"type":"run_started","seq":1,"timestamp":"","run":"x"}\n',
  );
  return outside;
}

test("every command is tried in it", () => {
  const tried = new Set([...TYPED.map((typed) => typed.split(" ")[0]), ...ELSEWHERE]);
  const shown = COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  expect(shown.filter((name) => !tried.has(name))).toEqual([]);
});

test(
  "no command starts, obeys or shows what a hostile project holds",
  story(async (rig) => {
    plant(rig);
    const kept = path.join(rig.root, "kept");
    cpSync(rig.project, kept, { recursive: true, verbatimSymlinks: true });
    const harm: string[] = [];
    for (const typed of TRIED) {
      harm.push(...harms(rig, typed, await runIn(rig, typed)));
      if (
        !/^(?:accept|add|set|block|answer|approve|reject|pause|resume|steer|complete|restart|todo|done|rm|fmt -w|init|clean|run)/.test(
          typed,
        )
      )
        continue;
      rmSync(rig.project, { recursive: true });
      cpSync(kept, rig.project, { recursive: true, verbatimSymlinks: true });
    }
    expect(harm).toEqual([]);
    rmSync(rig.project, { recursive: true });
  }),
);

const PLACES = [
  "to-do.json",
  ".looper",
  ".looper/config.json",
  ".looper/lock",
  ".looper/lock/to-do.json.run",
].concat(["looper-logs", "looper-logs/runs", LOG, "package.json", ".gitignore"]);
const TELLING = ["ls --json", "doctor", "tail", "run --dry-run", "add title", "clean --keep 0", "init -y"];

const WRONG = ["/dev/zero", "pipe", "folder"];

// Each place with one of them and with one command in turn; in make proof with every one of both.
test.each(EXHAUSTIVE ? [0, 1, 2] : [0])(
  "/dev/zero, a pipe or a folder where something else should be breaks and holds up no command (turn %i)",
  (turn) =>
    story(async (rig) => {
      setStage(rig);
      const harm: string[] = [];
      for (const [place, name] of PLACES.entries()) {
        const what = WRONG[(place + turn) % WRONG.length] ?? "";
        rig.writeBacklog([{ id: "T1" }]);
        rig.write(LOG, "{}\n");
        const at = path.join(rig.project, name);
        rmSync(at, { recursive: true, force: true });
        mkdirSync(path.dirname(at), { recursive: true });
        if (what === "folder") mkdirSync(at);
        else if (what === "pipe") execFileSync("mkfifo", [at]);
        else symlinkSync(what, at);
        const tried = EXHAUSTIVE ? TELLING : TELLING.filter((_, at) => at % 7 === place % 7);
        const ran = await Promise.all(tried.map((typed) => runIn(rig, typed)));
        harm.push(...ran.flatMap((one, n) => harms(rig, `${name}: ${tried[n] ?? ""}`, one)));
        rmSync(rig.project, { recursive: true });
        mkdirSync(rig.project);
      }
      expect(harm).toEqual([]);
    })(),
);

test(
  "a lock that came with the project leads nowhere: nothing is written where it points, nor through a link in the logs",
  story(async (rig) => {
    const outside = setStage(rig);
    rig.writeBacklog([{ id: "T1" }]);
    rig.write(LOG, "{}\n");
    const runFolder = path.join(rig.project, "looper-logs/runs", RUN);
    const harm: string[] = [];
    const look = async (...typed: string[]) => {
      for (const one of typed) harm.push(...harms(rig, one, await runIn(rig, one)));
    };
    for (const folder of [outside, "../outside", `looper-logs/runs/${RUN}`]) {
      plantLock(rig, { folder });
      await look("add title", "stop");
    }
    plantLock(rig, { folder: runFolder });
    const control = path.join(runFolder, "control.jsonl");
    symlinkSync(path.join(outside, "new"), control);
    await look("add title", "stop");
    rmSync(control);
    execFileSync("mkfifo", [control]);
    const told = await runIn(rig, "add title");
    expect([told.code, told.stderr]).toEqual([3, expect.stringContaining("control.jsonl: it is not a file")]);
    expect(harm).toEqual([]);
    rmSync(rig.project, { recursive: true });
  }),
);

test(
  "the owner that a dead lock names is not used as a path, and a folder in a lock's place is reported",
  story(async (rig) => {
    setStage(rig);
    rig.writeBacklog([{ id: "T1" }]);
    const lock = path.join(rig.project, ".looper/lock/to-do.json.run");
    for (const name of ["stale-x", "claim-x"]) mkdirSync(`${lock}.${name}`, { recursive: true });
    plantLock(rig, { token: "x/../../../../outside/aside" });
    utimesSync(lock, 1, 1);
    const looked = await runIn(rig, "doctor --fix");
    expect([looked.code, looked.stderr]).toEqual([
      3,
      expect.stringMatching(/claim-x: not a file.*\n +remove it/),
    ]);
    for (const name of ["stale-x", "claim-x"]) rmSync(`${lock}.${name}`, { recursive: true });
    const fixed = await runIn(rig, "doctor --fix");
    expect(harms(rig, "doctor --fix", fixed)).toEqual([]);
    expect(readdirSync(path.dirname(lock)).filter((name) => name.startsWith("to-do.json.run"))).toEqual([]);
  }),
);

test.each([".looper", ".looper/lock"])(
  "%s as a link that leads out of the project is refused, and one that stays in it is not",
  (name) =>
    story(async (rig) => {
      rig.writeBacklog([{ id: "T1" }]);
      const outside = path.join(rig.root, "outside");
      mkdirSync(outside);
      const at = path.join(rig.project, name);
      mkdirSync(path.dirname(at), { recursive: true });
      symlinkSync(outside, at);
      const refused = await rig.run(["add", "a title"]);
      expect(refused).toMatchObject({ code: 3 });
      expect(refused.stderr).toContain(`${name} is a link that leads out of the project: ${outside}`);
      expect(readdirSync(outside)).toEqual([]);
      rmSync(at);
      mkdirSync(path.join(rig.project, "kept"));
      symlinkSync(path.join(rig.project, "kept"), at);
      expect(await rig.run(["add", "a title"])).toMatchObject({ code: 0 });
    })(),
);
