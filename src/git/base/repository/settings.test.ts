// Git's own settings, attributes, excludes and hooks: what an attempt does to them goes back, and starts nothing.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { checkpoint, type Checkpoint } from "../../checkpoint/checkpoint.js";
import { undoGateChanges, restoreTo } from "../../restore/restore.js";
import type { Repository } from "./repository.js";
import { runAs, test, type Scratch } from "../../testing/scratch.js";
import { stateOf } from "../../testing/scratch-state.js";
import { attempt, finish } from "../../testing/scratch-task.js";
import { snapshot } from "../../attempt/snapshot.js";

const T1 = { id: "T1", run: "run-1", reuse: false };
const LABEL = { run: "run-1", label: "T1-1" };

function inGit(scratch: Scratch, path: string): string {
  return join(scratch.top, ".git", path);
}

function read(scratch: Scratch, path: string): string {
  return readFileSync(inGit(scratch, path), "utf8");
}

async function begin(scratch: Scratch): Promise<{ repo: Repository; taken: Checkpoint }> {
  const repo = await scratch.open();
  return { repo, taken: await checkpoint(repo, T1) };
}

/** All that could be seen of them. */
function seenOf(scratch: Scratch): string[] {
  const paths = [
    "config",
    ...["info", "hooks"].flatMap((folder) =>
      readdirSync(inGit(scratch, folder), { encoding: "utf8" }).map((name) => `${folder}/${name}`),
    ),
  ];
  return paths.map(
    (path) => `${path} ${statSync(inGit(scratch, path)).mode.toString(8)} ${read(scratch, path)}`,
  );
}

/** A program that leaves a trace where it is started, and swallows what it is given. */
function evil(scratch: Scratch): { program: string; trace: string } {
  const program = join(scratch.top, "..", "evil.sh");
  const trace = join(scratch.top, "..", "evil.ran");
  writeFileSync(program, `#!/bin/sh\necho "$0" >> '${trace}'\n`);
  chmodSync(program, 0o755);
  return { program, trace };
}

test("an abandoned task's changed settings are restored byte for byte and mode for mode, and its versions are kept", async ({
  scratch,
}) => {
  await scratch.git("config", "core.autocrlf", "input");
  writeFileSync(join(scratch.top, "crlf"), "one\r\n");
  await scratch.git("add", "crlf");
  await scratch.git("commit", "-qm", "crlf");
  writeFileSync(inGit(scratch, "hooks/pre-push"), "#!/bin/sh\n");
  symlinkSync("../../dir/hook", inGit(scratch, "hooks/linked"));
  writeFileSync(join(scratch.top, "dir", "hook"), "in the tree\n");
  const [before, state] = [seenOf(scratch), await stateOf(scratch)];
  const { repo, taken } = await begin(scratch);
  await scratch.git("config", "core.autocrlf", "false");
  chmodSync(inGit(scratch, "config"), 0o666);
  appendFileSync(inGit(scratch, "info/exclude"), "*.log\n");
  writeFileSync(inGit(scratch, "info/attributes"), "* text\n");
  chmodSync(inGit(scratch, "hooks/pre-push"), 0o755);
  writeFileSync(inGit(scratch, "hooks/post-commit"), "#!/bin/sh\nboom\n");
  unlinkSync(inGit(scratch, "hooks/linked"));
  writeFileSync(inGit(scratch, "hooks/linked"), "no link\n");
  writeFileSync(join(scratch.top, "dir", "hook"), "by the agent\n");
  writeFileSync(join(scratch.top, "x.log"), "hidden\n");
  const { warnings, paths } = await restoreTo(repo, { checkpoint: taken, ...LABEL });
  expect(seenOf(scratch)).toEqual(before);
  expect(await stateOf(scratch)).toEqual(state);
  expect([...paths].sort()).toEqual(["dir/hook", "x.log"]);
  expect(warnings).toHaveLength(6);
  expect(warnings.join("\n")).toContain(`${inGit(scratch, "hooks/post-commit")} was made during the attempt`);
  const aside = "looper-put-aside/run-1/T1-1";
  expect(read(scratch, `${aside}/config`)).toContain("autocrlf = false");
  expect(read(scratch, `${aside}/hooks/post-commit`)).toContain("boom");
  expect(read(scratch, `${aside}/hooks/linked`)).toBe("no link\n");
});

test("settings that were removed or replaced by a pipe come back, and no read waits for the pipe", async ({
  scratch,
}) => {
  const before = seenOf(scratch);
  const { repo, taken } = await begin(scratch);
  rmSync(inGit(scratch, "config"));
  execFileSync("mkfifo", [inGit(scratch, "config")]);
  rmSync(inGit(scratch, "info"), { recursive: true });
  const seen = await snapshot(repo, { checkpoint: taken, ...LABEL, policy: "runner" });
  expect(seen.warnings.map((warning) => warning.replace(/^.*\.git\/(.*?) during.*$/, "$1")).sort()).toEqual([
    "config was changed",
    "info/exclude was removed",
  ]);
  expect(seenOf(scratch)).toEqual(before);
});

test("a program that an agent configures in git is not started, and the commit equals the tree", async ({
  scratch,
}) => {
  const { program, trace } = evil(scratch);
  const repo = await scratch.open();
  const prepared = await attempt(repo, async () => {
    for (const name of [
      "core.fsmonitor",
      "diff.external",
      "filter.x.clean",
      "filter.x.smudge",
      "gpg.program",
      "diff.x.textconv",
    ])
      await scratch.git("config", name, program);
    writeFileSync(inGit(scratch, "info/attributes"), "* filter=x diff=x\n");
    writeFileSync(join(scratch.top, "new"), "content\n");
  });
  const commit = await finish(scratch, repo, prepared);
  expect(await scratch.git("show", `${commit}:new`)).toBe("content");
  expect(existsSync(trace)).toBe(false);
  expect(await scratch.git("status", "--porcelain")).toBe("");
});

test("settings that the gate changed are restored too, and a second copy does not replace the first", async ({
  scratch,
}) => {
  const { repo, taken } = await begin(scratch);
  const config = read(scratch, "config");
  for (const name of ["one", "two"]) {
    await scratch.git("config", "user.name", name);
    const { warnings } = await undoGateChanges(repo, { checkpoint: taken, changes: [], ...LABEL });
    expect(warnings).toHaveLength(1);
    expect(read(scratch, "config")).toBe(config);
  }
  const aside = "looper-put-aside/run-1/T1-1";
  expect([read(scratch, `${aside}/config`), read(scratch, `${aside}/config-2`)]).toEqual([
    expect.stringContaining("one"),
    expect.stringContaining("two"),
  ]);
});

test("notes of git and editors about a branch stay without a warning, and its push destination is restored", async ({
  scratch,
}) => {
  const { repo, taken } = await begin(scratch);
  await scratch.git("config", "branch.main.vscode-merge-base", "origin/main");
  await scratch.git("config", "branch.other.remote", "origin");
  await scratch.git("config", "branch.other.merge", "refs/heads/other");
  const config = read(scratch, "config");
  const order = { checkpoint: taken, ...LABEL, policy: "runner" as const };
  expect((await snapshot(repo, order)).warnings).toEqual([]);
  expect(read(scratch, "config")).toBe(config);
  for (const [name, value] of [
    ["branch.main.remote", "https://example.org/x"],
    ["branch.main.pushRemote", "other"],
    ["remote.origin.url", "https://example.org/x"],
  ] as const) {
    await scratch.git("config", name, value);
    expect((await snapshot(repo, order)).warnings).toHaveLength(1);
    expect(read(scratch, "config")).not.toContain(value);
  }
});

test("settings changed by an unknown process before a kill stay, with a warning", async ({ scratch }) => {
  const { repo } = await begin(scratch);
  const again = { ...T1, reuse: true };
  expect((await checkpoint(repo, again)).warnings).toEqual([]);
  await scratch.git("config", "user.name", "Somebody");
  const taken = await checkpoint(repo, again);
  expect(taken.warnings).toEqual([
    expect.stringContaining(`${inGit(scratch, "config")} has changed since T1 began`),
  ]);
  expect((await restoreTo(repo, { checkpoint: taken, ...LABEL })).warnings).toEqual([]);
  expect(await scratch.git("config", "user.name")).toBe("Somebody");
});

test("settings of a submodule and of another working tree are restored", async ({ scratch }) => {
  const origin = join(scratch.top, "..", "origin");
  mkdirSync(origin);
  await runAs(scratch.ports, { cwd: origin, env: scratch.env }, ["init", "-q"]);
  writeFileSync(join(origin, "in.txt"), "one\n");
  for (const args of [
    ["add", "-A"],
    ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "in"],
  ])
    await runAs(scratch.ports, { cwd: origin, env: scratch.env }, args);
  await scratch.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", origin, "libs/sub");
  await scratch.commitAll("sub");
  const linked = join(scratch.top, "..", "linked");
  await scratch.git("worktree", "add", "-q", linked);
  await scratch.git("config", "extensions.worktreeConfig", "true");
  const repo = await scratch.open({ projectDir: linked, todoFile: join(linked, "to-do.json") });
  const taken = await checkpoint(repo, T1);
  const config = read(scratch, "modules/libs/sub/config");
  appendFileSync(inGit(scratch, "modules/libs/sub/config"), "[core]\n\tfsmonitor = boom\n");
  writeFileSync(inGit(scratch, "worktrees/linked/config.worktree"), "[core]\n\tfsmonitor = boom\n");
  const { warnings } = await restoreTo(repo, { checkpoint: taken, ...LABEL });
  expect(warnings).toHaveLength(2);
  expect(read(scratch, "modules/libs/sub/config")).toBe(config);
  expect(existsSync(inGit(scratch, "worktrees/linked/config.worktree"))).toBe(false);
});

test("filters configured before keep working in both directions", async ({ scratch }) => {
  await scratch.git("config", "filter.caps.clean", "tr a-z A-Z");
  await scratch.git("config", "filter.caps.smudge", "tr A-Z a-z");
  writeFileSync(join(scratch.top, ".gitattributes"), "*.low filter=caps\n");
  writeFileSync(join(scratch.top, "x.low"), "small\n");
  await scratch.commitAll("filtered");
  const before = await stateOf(scratch);
  const { repo, taken } = await begin(scratch);
  writeFileSync(join(scratch.top, "x.low"), "agent\n");
  writeFileSync(join(scratch.top, "new.low"), "agent\n");
  await restoreTo(repo, { checkpoint: taken, ...LABEL });
  expect(await stateOf(scratch)).toEqual(before);
  expect(await scratch.git("show", "refs/looper/rescue/run-1/T1-1:x.low")).toBe("AGENT");
  const prepared = await attempt(repo, () => {
    writeFileSync(join(scratch.top, "new.low"), "agent\n");
  });
  const commit = await finish(scratch, repo, prepared);
  expect(await scratch.git("show", `${commit}:new.low`)).toBe("AGENT");
  expect(await scratch.git("status", "--porcelain")).toBe("");
});
