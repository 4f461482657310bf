import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { createRedact } from "../../../system/text/secrets/redact.js";
import { openShell, type ShellTools } from "./shell.js";
import { callTool, getText } from "../../testing/call-tool.js";

const ports = nodePorts();
let root = "";
let folder = "";
let shell: ShellTools;
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nowhere",
  OPENAI_API_KEY: "sk-secret",
  OTHER: "there",
  MY_TOKEN: "t0ken-value-0123",
};
const redact = createRedact([env.MY_TOKEN]);

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "looper-shell-test-")));
  folder = path.join(root, ".looper", "s1");
  mkdirSync(path.join(root, "sub"));
  shell = openShell({ ports, root, env, folder, redact });
});
afterEach(async () => {
  await shell.close();
  rmSync(root, { recursive: true, force: true });
});

const call = async (name: string, args: unknown): Promise<string> =>
  getText(await callTool(shell.tools, name, args));
const bash = (command: string, more: object = {}): Promise<string> =>
  call("bash_execute", { command, ...more });

/** Finds the processes whose command line contains the text. */
async function living(text: string): Promise<number> {
  const result = await ports.processes.run({ command: "ps", args: ["axww", "-o", "args="], cwd: "/", env });
  return Buffer.from(result.stdout)
    .toString()
    .split("\n")
    .filter((line) => line.startsWith(text)).length;
}

/** Calls the tool until its answer matches; only the test's timeout limits it. */
async function until(ask: () => Promise<string>, right: RegExp): Promise<string> {
  let all = "";
  for (;;) {
    const said = await ask();
    all += `${said}\n`;
    if (right.test(said)) return all;
    await ports.clock.sleep(20);
  }
}

test("bash_execute carries folder, variables, functions, aliases and options over", async () => {
  await bash(`cd sub && export X=1 Y='a "b"
c' && f(){ echo hi; }; Z=(1 "2 3"); alias g='echo alias'; set -o pipefail; umask 027; IFS=:; readonly R=5`);
  expect(await bash("pwd; echo $X; f")).toBe(`exit_code: 0\nstdout:\n${root}/sub\n1\nhi`);
  expect(await bash('echo "$Y"; echo "${#Z[@]} ${Z[1]} $R"; printf %q "$IFS"; umask')).toContain(
    'stdout:\na "b"\nc\n2 2 3 5\n:0027',
  );
  expect(await bash("g; false | true; echo $?")).toContain("stdout:\nalias\n1");
  // The command has its own mark and the session's, and none of earlier commands.
  expect(await bash("declare -F; compgen -v | grep -c LOOPER_MARK_")).toContain("\ndeclare -f f\n2");
});

test("the state survives functions named like builtins and traps", async () => {
  await bash("cd() { builtin cd sub; }; printf() { echo no; }; cd; A=1");
  expect(await bash("pwd; echo $A")).toContain(`${root}/sub\n1`);
  expect(await bash("trap 'echo bye' EXIT; A=2")).toContain("bye");
  expect(await bash("echo $A")).toBe("exit_code: 0\nstdout:\n2");
});

test("bash_execute reports stdout, stderr and exit code separately", async () => {
  const result = await callTool(shell.tools, "bash_execute", { command: "echo o; echo e >&2; (exit 3)" });
  expect(result).toEqual({ success: true, output: "exit_code: 3\nstdout:\no\nstderr:\ne" });
  expect(await bash("true")).toBe("exit_code: 0\n(no output)");
  expect(await bash("cat; tty")).toContain("exit_code: 1\nstdout:\nnot a tty");
});

test("an error message of bash counts the lines of the command", async () => {
  await bash("cd sub");
  expect(await bash("true\nno_such_command")).toBe(
    "exit_code: 127\nstderr:\nbash: line 2: no_such_command: command not found",
  );
});

test("the session survives exit, set -e and a syntax error", async () => {
  expect(await bash("cd sub; A=1; exit 7")).toContain("exit_code: 7");
  expect(await bash("set -eu; pwd; echo $A")).toContain(`${root}/sub\n1`);
  expect(await bash("B=2; false; echo not here")).toBe("exit_code: 1\n(no output)");
  expect(await bash("set +e; echo $B; if")).toMatch(/exit_code: [12]\n(stdout:\n2\n)?stderr/);
  expect(await bash("echo $A$B; echo ${no_such}")).toMatch(/stdout:\n12\nstderr:\n.*unbound/);
  expect(await bash("A=9; exec true")).toContain("as before this command");
  expect(await bash("A=9; kill -9 $$")).toContain("ended by SIGKILL");
  expect(await bash("echo $A; pwd")).toContain(`1\n${root}/sub`);
});

test("the shell returns to the root and says so when its folder was removed", async () => {
  await bash("mkdir gone && cd gone");
  rmSync(path.join(root, "gone"), { recursive: true });
  expect(await bash("pwd")).toMatch(new RegExp(`stdout:\n${root}\nstderr:\nthe folder .* is gone`));
});

test("a timeout ends the process group and the shell keeps its state", async () => {
  await bash("X=1");
  const said = await bash(
    "cd sub; echo first; trap '' TERM; sleep 6001.5 & setsid sleep 6001.5 & sleep 6001.5",
    {
      timeout: 3_000,
    },
  );
  expect(said).toMatch(/^timed out after 3000 ms.*\nstdout:\nfirst/);
  expect(await living("sleep 6001.5")).toBe(0);
  expect(await bash("echo $X")).toContain("stdout:\n1");
});

test("a timeout keeps the state of a command that ends on SIGTERM", async () => {
  expect(await bash("cd sub; sleep 62.5", { timeout: 1_000 })).toContain("timed out");
  expect(await bash("pwd")).toContain(`${root}/sub`);
  expect(await bash("while :; do :; done", { timeout: 1_000 })).toContain("timed out");
  expect(await bash("pwd")).toContain(`${root}/sub`);
});

test("an aborted call ends its command", async () => {
  const abort = new AbortController();
  const called = callTool(shell.tools, "bash_execute", { command: "sleep 63.5" }, abort.signal);
  abort.abort();
  // Bash may lose a signal that comes while it starts a program (1 of 400 calls); SIGKILL follows after a second.
  expect(getText(await called)).toMatch(/^ended by SIG(TERM|KILL)\. /);
  expect(await living("sleep 63.5")).toBe(0);
});

test("an output of 20 MB is reported with its beginning, its end and the path of its file", async () => {
  const said = await bash("echo begin; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end; echo e >&2");
  expect(said.length).toBeLessThan(30_000);
  expect(said).toContain("begin\nxxx");
  expect(said).toContain("xxx\nend\nstderr:\ne");
  const [, cut = "", size = "", file = ""] =
    /\[… (\d+) of (\d+) bytes were cut here; all of them are in (\S+) …\]/.exec(said) ?? [];
  expect(Number(size)).toBe(20_000_011);
  expect(Number(cut)).toBeGreaterThan(19_960_000);
  expect(statSync(file).size).toBe(20_000_011);
  expect(readFileSync(file, "utf8").slice(-8)).toBe("xxx\nend\n");
});

test("truncating output splits no character, and short output leaves no file", async () => {
  const said = await bash("printf 'a%.0s' 1; for i in $(seq 20000); do printf 'äöü'; done");
  expect(said).not.toContain("\u{fffd}");
  const before = readdirSync(folder).length;
  await bash("echo short");
  expect(readdirSync(folder)).toHaveLength(before);
});

test("a command gets the environment without the keys of model providers", async () => {
  expect(await bash("echo [$OPENAI_API_KEY] $OTHER")).toContain("[] there");
  expect(await call("run_command", { command: "echo [$OPENAI_API_KEY] $OTHER" })).toContain("[] there");
});

/** Finds the folder of the shell's states, which the saving function names. */
const STATES = `dirname "$(declare -f __looper_save | grep -o '/[^ ]*[.]state' | head -1)"`;

test("no file that stays holds a secret, and no state; a command still gets the secrets", async () => {
  const states = /stdout:\n(.*)/.exec(await bash(`${STATES}; export X=1`))?.[1] ?? "";
  const holding = async (): Promise<string> => {
    const args = ["-rlaF", env.MY_TOKEN, folder, states];
    const { stdout } = await ports.processes.run({ command: "grep", args, cwd: "/", env });
    return Buffer.from(stdout).toString();
  };
  const said = await bash('echo "$MY_TOKEN"; head -c 50000 /dev/zero | tr "\\0" x');
  expect(said).toContain(env.MY_TOKEN);
  expect(readdirSync(states)).toHaveLength(3);
  expect(await holding()).toBe("");
  expect(await bash('echo "$X $MY_TOKEN"')).toContain(`1 ${env.MY_TOKEN}`);
  await bash('echo "$MY_TOKEN"; exec sleep 69.5', { background: true });
  await until(() => call("bash_output", {}), /t0ken/);
  await shell.close();
  expect(readdirSync(folder)).toHaveLength(4);
  expect(await holding()).toBe("");
});

test("a command starts in a fresh shell after the folder of states was removed", async () => {
  await bash("cd sub; export X=1");
  expect(await bash(`rm -rf "$(${STATES})"`)).toContain("are as before this command");
  expect(await bash("pwd; echo [$X]")).toBe(`exit_code: 0\nstdout:\n${root}\n[]`);
});

test("run_command starts a fresh shell each time and leaves no processes", async () => {
  await call("run_command", { command: "cd sub && export X=1" });
  await bash("cd sub; X=2");
  expect(await call("run_command", { command: "pwd; echo [$X]" })).toBe(`exit_code: 0\nstdout:\n${root}\n[]`);
  await call("run_command", { command: "sleep 64.5 &" });
  expect(await living("sleep 64.5")).toBe(0);
});

test("a process left in the background keeps running and its output stays readable", async () => {
  const said = await bash("(sleep 0.3; echo later; exec sleep 65.5) & echo now");
  expect(said).toContain("stdout:\nnow");
  const file = /their output goes to (\S+)/.exec(said)?.[1] ?? "";
  await until(() => bash(`cat ${file}`), /later/);
  await shell.close();
  expect(await living("sleep 65.5")).toBe(0);
});

test("a background command returns an id at once, then new output, status and exit code", async () => {
  await bash("cd sub; N=3");
  const said = await bash("for i in 1 2 $N; do echo line $i; sleep 0.1; done; pwd; echo e >&2; exit 4", {
    background: true,
  });
  expect(said).toMatch(/^id: bash_1\nstatus: running/);
  const all = await until(() => call("bash_output", { id: "bash_1" }), /status: failed\nexit_code: 4/);
  for (const line of ["line 1", "line 2", "line 3", `${root}/sub`, "e"])
    expect(all.split("\n").filter((one) => one === line)).toHaveLength(1);
  expect(all).toContain("status: running");
  expect(await call("bash_output", {})).toBe("id: bash_1\nstatus: failed\nexit_code: 4\n(nothing new)");
  expect(await call("bash_output", { id: "bash_9" })).toContain("available: bash_1");
});

test("a long background output is returned completely in parts", async () => {
  await bash("seq 1 20000", { background: true });
  let all = "";
  await until(async () => {
    const said = await call("bash_output", {});
    expect(said.length).toBeLessThan(30_000);
    all += said
      .replace(/^id.*\nstatus.*\n(exit_code.*\n)?(stdout:\n|\(nothing new\))/, "")
      .replace(/\[\d+ more bytes.*/, "");
    return said;
  }, /exit_code: 0\n\(nothing new\)/);
  expect(all.replaceAll("\n", "")).toBe(Array.from({ length: 20_000 }, (_, at) => at + 1).join(""));
});

test("a filter drops lines, and an invalid or endless filter loses no output", async () => {
  // One write by cat, because lines that arrive before the endless one would be reported, and dropped, first; bash writes each
  // line by itself.
  writeFileSync(path.join(root, "lines"), `an error\nfine\nError 2\n${"a".repeat(60)}!\n`);
  await bash("cat lines", { background: true });
  await until(() => call("bash_output", { filter: "(" }), /exit_code|filter: /);
  await until(() => call("bash_output", { filter: "^(a+)+$" }), /takes too long/);
  const said = await until(() => call("bash_output", { filter: "[Ee]rror" }), /completed/);
  expect(said).toContain("an error\nError 2\n[2 lines dropped by the filter]");
  expect(said).not.toContain("fine");
});

test("bash_kill ends the process group, sets the status and fails the second time", async () => {
  await bash("sleep 66.5 & setsid sleep 66.5 & sleep 66.5", { background: true });
  expect(await call("bash_kill", { id: "bash_1" })).toContain("bash_1 and its processes were killed");
  expect(await living("sleep 66.5")).toBe(0);
  const again = await callTool(shell.tools, "bash_kill", { id: "bash_1" });
  expect(again.success).toBe(false);
  expect(await call("bash_output", { id: "bash_1" })).toContain("status: killed");
});

test("bash_kill without an id ends the shell and its processes; the next command starts a fresh one", async () => {
  expect((await callTool(shell.tools, "bash_kill", {})).success).toBe(false);
  await bash("cd sub; sleep 67.5 &");
  await bash("sleep 67.5", { background: true });
  expect((await callTool(shell.tools, "bash_kill", {})).success).toBe(true);
  expect((await callTool(shell.tools, "bash_kill", {})).success).toBe(false);
  expect(await living("sleep 67.5")).toBe(0);
  expect(await call("bash_output", {})).toContain("status: killed");
  expect(await bash("pwd")).toContain(`stdout:\n${root}`);
});

test("close leaves no processes and no state", async () => {
  await bash("sleep 68.5 & setsid sleep 68.5 &");
  await bash("exec sleep 68.5", { background: true });
  await shell.close();
  expect(await living("sleep 68.5")).toBe(0);
});

test("invalid arguments are problems that name the field", async () => {
  expect(await call("bash_execute", {})).toContain("command: missing");
  expect(await call("bash_execute", { command: "x", timeout: 700_000 })).toContain("timeout");
  expect(await call("bash_execute", { command: "a\0b" })).toContain("command: it contains a NUL");
});

test("the shell falls back to sh, and reports when neither bash nor sh exists", async () => {
  const bin = path.join(root, "bin");
  mkdirSync(bin);
  const only = openShell({ ports, root, env: { PATH: bin }, folder, redact });
  expect(getText(await callTool(only.tools, "bash_execute", { command: "true" }))).toContain(
    "neither bash nor sh",
  );
  for (const name of ["sh", "cat", "rm"]) {
    const found = await ports.processes.which(name, env.PATH, "/");
    await ports.files.symlink(found ?? "", path.join(bin, name));
  }
  const said = async (command: string): Promise<string> =>
    getText(await callTool(only.tools, "bash_execute", { command }));
  await said("cd sub; export X=1; Y='a b'");
  expect(await said('pwd; echo $X "$Y"; exit 3')).toBe(`exit_code: 3\nstdout:\n${root}/sub\n1 a b`);
  expect(await said("pwd")).toContain(`${root}/sub`);
  await only.close();
});
