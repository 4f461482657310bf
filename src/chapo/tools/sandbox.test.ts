import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { findSandbox } from "../../system/sandbox/bubblewrap.js";
import { createRedact } from "../../system/text/secrets/redact.js";
import { callTool, getText } from "../testing/call-tool.js";
import { findGitFolders, openSandbox, type Sandbox } from "./sandbox.js";
import { openShell, type ShellTools } from "./shell/shell.js";

const ports = nodePorts();
const PATH = process.env["PATH"] ?? "";
const found = await findSandbox(ports.processes, { PATH });
if ("missing" in found) console.warn(`skipped: commands in a sandbox (${found.missing})`);
const real = test.skipIf("missing" in found);

/** The sandbox has a /dev of its own, so nothing there can be the project. */
const TEMP = tmpdir().startsWith("/dev/") ? "/tmp" : tmpdir();

let top = "";
let root = "";
let home = "";
let network = false;
let sandbox: Sandbox | undefined;
let shell: ShellTools | undefined;

beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(TEMP, "looper-sandbox-test-")));
  [home, root] = [path.join(top, "home"), path.join(top, "home", "p")];
  mkdirSync(path.join(home, ".ssh"), { recursive: true });
  mkdirSync(path.join(root, ".looper", "sessions", "s"), { recursive: true });
  writeFileSync(path.join(home, ".ssh", "id_rsa"), "the key");
  writeFileSync(path.join(home, ".netrc"), "the token");
  writeFileSync(path.join(home, "keys.env"), "KEY=of a model");
  writeFileSync(path.join(home, "public"), "for all");
  network = false;
});
afterEach(async () => {
  await shell?.close();
  await sandbox?.close();
  [shell, sandbox] = [undefined, undefined];
  rmSync(top, { recursive: true, force: true });
});

const git = (cwd: string, ...args: string[]): Promise<unknown> =>
  ports.processes.run({ command: "git", args, cwd, env: { PATH, HOME: home } });

async function bash(command: string, more: object = {}): Promise<string> {
  const env = { PATH, HOME: home };
  const sessionsFolder = path.join(root, ".looper", "sessions");
  const keyFiles = [path.join(home, "keys.env")];
  sandbox ??= await openSandbox({ ports, root, home, env, keyFiles, sessionsFolder, network: () => network });
  const folder = path.join(sessionsFolder, "s", "outputs");
  shell ??= openShell({ ports, root, env, folder, redact: createRedact([]), sandbox });
  return getText(await callTool(shell.tools, "bash_execute", { command, ...more }));
}

real("a command writes the project and its own /tmp, and nothing else", async () => {
  expect(await bash(`echo in > in.txt; echo t > /tmp/mine; echo x > ${home}/out.txt; A=1`)).toContain(
    "Read-only file system",
  );
  expect(readFileSync(path.join(root, "in.txt"), "utf8")).toBe("in\n");
  expect(existsSync(path.join(home, "out.txt"))).toBe(false);
  expect(existsSync("/tmp/mine")).toBe(false);
  expect(await bash('cat /tmp/mine; echo "$A"')).toContain("t\n1");
  expect(await bash("echo forged > .looper/sessions/s/session.json")).toContain("Read-only file system");
  expect(await bash("exit 7")).toContain("exit_code: 7");
});

real("keys are hidden, and the rest of the home folder can be read", async () => {
  const said = await bash("cat ~/.ssh/id_rsa ~/.netrc ~/keys.env ~/public; echo x > ~/.ssh/config");
  expect(said).toContain("for all");
  expect(said).not.toMatch(/the key|the token|of a model/);
  expect(existsSync(path.join(home, ".ssh", "config"))).toBe(false);
});

real("a command sees no process of others, and what it started ends with it", async () => {
  expect(await bash("sleep 987.5 & ls /proc | grep -c '^[0-9]'")).not.toMatch(/still running|stdout:\n\d\d/);
  expect(await listProcesses()).not.toMatch(/^sleep 987\.5$/m);
});

/** The arguments of the processes of this machine, one a line. */
async function listProcesses(): Promise<string> {
  const { stdout } = await ports.processes.run({
    command: "ps",
    args: ["axww", "-o", "args="],
    cwd: "/",
    env: {},
  });
  return Buffer.from(stdout).toString();
}

real(
  "a background command is in the sandbox too, and ends when it is killed or the session ends",
  async () => {
    const last = "sleep 986.25 & sleep 986.5";
    const write = `echo x > ${home}/out.txt; cat ~/.ssh/id_rsa; echo in > in.txt; ${last}`;
    expect(await bash(write, { run_in_background: true })).toContain("bash_1");
    await bash("sleep 986.75", { run_in_background: true });
    const call = async (name: string): Promise<string> =>
      getText(await callTool(shell?.tools ?? [], name, { bash_id: "bash_1" }));
    await expect.poll(() => existsSync(path.join(root, "in.txt"))).toBe(true);
    const said = await call("bash_output");
    expect(said).toContain("Read-only file system");
    expect(said).not.toContain("the key");
    expect(existsSync(path.join(home, "out.txt"))).toBe(false);
    expect(await listProcesses()).toMatch(/^sleep 986\.25$/m);
    await call("bash_kill");
    await expect.poll(listProcesses).not.toMatch(/^sleep 986\.(?:25|5)$/m);
    expect(await listProcesses()).toMatch(/^sleep 986\.75$/m);
    await shell?.close();
    await expect.poll(listProcesses).not.toMatch(/^sleep 986/m);
  },
);

real("the network is off, and on where the rules open it", async () => {
  const server = createServer((_request, answer) => answer.end("reached"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const ask = `exec 5<>/dev/tcp/127.0.0.1/${String(port)} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&5 && cat <&5`;
  expect(await bash(ask)).not.toContain("reached");
  network = true;
  expect(await bash(ask)).toContain("reached");
  await new Promise((resolve) => server.close(resolve));
});

real("git works in the project, and in a linked worktree of a repository outside it", async () => {
  const main = path.join(home, "main");
  mkdirSync(main);
  await git(main, "init", "-q");
  for (const [name, value] of Object.entries({ "user.name": "a", "user.email": "a@example.com" }))
    await git(main, "config", name, value);
  await git(main, "commit", "-q", "--allow-empty", "-m", "first");
  rmSync(root, { recursive: true });
  await git(main, "worktree", "add", "-q", root);
  mkdirSync(path.join(root, ".looper", "sessions", "s"), { recursive: true });
  expect(await bash("echo x > x && git add x && git commit -qm second && git log --oneline")).toMatch(
    /second/,
  );
});

test("a .git file that names a repository without this worktree makes nothing writable", async () => {
  const other = path.join(home, "other", ".git", "worktrees", "w");
  mkdirSync(other, { recursive: true });
  writeFileSync(path.join(root, ".git"), `gitdir: ${other}\n`);
  writeFileSync(path.join(other, "gitdir"), path.join(home, "elsewhere", ".git"));
  expect(await findGitFolders(ports.files, root)).toEqual([]);
  writeFileSync(path.join(other, "gitdir"), `${path.join(root, ".git")}\n`);
  expect(await findGitFolders(ports.files, root)).toEqual([path.join(home, "other", ".git")]);
});

test("without bubblewrap it is refused, never silently left out", async () => {
  const place = { ports, root, home, keyFiles: [], sessionsFolder: root, network: () => false };
  await expect(openSandbox({ ...place, env: { PATH: "/nowhere" } })).rejects.toMatchObject({
    kind: "environment",
    message: "sandbox is true, but bubblewrap (bwrap) is not on PATH",
  });
});
