import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import type { ToolResult } from "../../tool.js";
import { createHostTools } from "./hosts.js";
import { callTool, getText } from "../../testing/call-tool.js";

const ports = nodePorts();
let root = "";
let bin = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "looper-hosts-")));
  bin = path.join(root, "bin");
  mkdirSync(bin);
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const sshHosts = {
  staging: { host: "staging.example.org", user: "deploy", port: 2222, identity: "/keys/id" },
  plain: { host: "10.0.0.1" },
  option: { host: "-oProxyCommand=touch pwned" },
  expression: { host: "x", user: "$(touch pwned)" },
};

interface More {
  env?: Record<string, string>;
  stagingLog?: string;
}

const run = (name: string, args: unknown = {}, { env = {}, stagingLog }: More = {}): Promise<ToolResult> =>
  callTool(
    createHostTools({
      ports,
      root,
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}`, GIT_CONFIG_GLOBAL: "/dev/null", ...env },
      sshHosts,
      stagingLog,
    }),
    name,
    args,
  );
const call = async (name: string, args: unknown = {}, more: More = {}): Promise<string> =>
  getText(await run(name, args, more));

/** Creates a program that records its arguments, one per line, and then runs the given script. */
function stub(name: string, then = ""): void {
  const file = path.join(bin, name);
  writeFileSync(
    file,
    `#!/bin/sh\npwd >'${root}/${name}.cwd'\nprintf '%s\\n' "$@" >>'${root}/${name}.words'\n${then}\n`,
  );
  chmodSync(file, 0o755);
}
const words = (name: string): string[] =>
  readFileSync(path.join(root, `${name}.words`), "utf8")
    .trim()
    .split("\n");

test("ssh_execute resolves an alias, passes the command as one argument and refuses other hosts", async () => {
  stub("ssh", "echo out; echo err >&2; exit 3");
  const said = await call("ssh_execute", { host: "staging", command: "echo 'a b'; rm -rf \"$X\" $(date)" });
  expect(said).toBe("exit_code: 3\nstdout:\nout\nstderr:\nerr");
  expect(words("ssh")).toEqual([
    ...["-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-p", "2222"],
    ...["-i", "/keys/id", "-o", "IdentitiesOnly=yes", "-l", "deploy"],
    ...["--", "staging.example.org", "echo 'a b'; rm -rf \"$X\" $(date)"],
  ]);
  rmSync(path.join(root, "ssh.words"));
  for (const host of [
    "staging.example.org",
    "-oProxyCommand=x",
    "__proto__",
    "constructor",
    "option",
    "expression",
  ])
    expect((await run("ssh_execute", { host, command: "true" })).success).toBe(false);
  expect(existsSync(path.join(root, "ssh.words"))).toBe(false);
});

test("a failure of ssh itself is a failed result", async () => {
  stub("ssh", "echo 'Permission denied' >&2; exit 255");
  expect(await call("ssh_execute", { host: "plain", command: "true" })).toBe(
    "ssh to plain failed: Permission denied",
  );
});

test("pm2_status omits the environments in pm2's list", async () => {
  const list = [
    {
      name: "api",
      pm_id: 0,
      pid: 42,
      monit: { memory: 52_428_800, cpu: 1.5 },
      pm2_env: { status: "online", restart_time: 2, SECRET: "hidden" },
    },
    { name: "job", pm_id: 1, pm2_env: { status: "stopped" } },
  ];
  stub("pm2", `echo 'In-memory PM2 is out-of-date'; echo '${JSON.stringify(list)}'`);
  expect(await call("pm2_status")).toBe(
    "api (0): online, pid 42, restarts 2, memory 50 MiB, cpu 1.5 %\njob (1): stopped, pid 0, restarts 0",
  );
  expect(await call("pm2_status", { name: "job" })).toBe("job (1): stopped, pid 0, restarts 0");
  expect(await call("pm2_status", { name: "none" })).toContain("no such process");
  stub("pm2", "echo nonsense");
  expect(await call("pm2_status")).toContain("cannot read the answer of pm2 jlist: nonsense");
});

test("each pm2 tool starts pm2 with its arguments", async () => {
  stub("pm2");
  for (const [tool, args, expected] of [
    ["pm2_restart", { name: "api" }, ["restart", "api"]],
    ["pm2_stop", { name: "all" }, ["stop", "all"]],
    ["pm2_start", { name: "server.js" }, ["start", "server.js"]],
    ["pm2_logs", { name: "api", lines: 7 }, ["logs", "api", "--lines", "7", "--nostream"]],
    ["pm2_reloadAll", {}, ["reload", "all"]],
    ["pm2_save", {}, ["save"]],
  ] as const) {
    rmSync(path.join(root, "pm2.words"), { force: true });
    await call(tool, args);
    expect(words("pm2")).toEqual(expected);
  }
  expect(await call("pm2_stop")).toContain("name: missing");
  expect(await call("pm2_stop", { name: "--force" })).toContain("must not begin with -");
  stub("pm2", "echo no such process >&2; exit 1");
  expect(await call("pm2_restart", { name: "x" })).toBe(
    "pm2 restart failed with exit code 1\nstderr:\nno such process",
  );
});

test("a program that is not installed gives a failed result", async () => {
  const env = { PATH: bin };
  expect(await call("pm2_status", {}, { env })).toContain("cannot start pm2 jlist");
  expect(await call("ssh_execute", { host: "plain", command: "x" }, { env })).toContain("cannot start ssh");
});

test("npm runs in the root for at most ten minutes and leaves no processes behind", async () => {
  stub("npm", 'case "$1" in run) echo ran [$OPENAI_API_KEY]; sleep 71.5 & exit 2;; esac');
  const env = { OPENAI_API_KEY: "sk-secret" };
  expect(await call("npm_install", { packages: ["left-pad@1", "@a/b"] })).toBe("exit_code: 0\n(no output)");
  expect(words("npm")).toEqual(["install", "--no-fund", "--no-audit", "--", "left-pad@1", "@a/b"]);
  rmSync(path.join(root, "npm.words"));
  expect(await call("npm_run", { script: "test", args: ["--watch=false"] }, { env })).toBe(
    "exit_code: 2\nstdout:\nran []",
  );
  expect(words("npm")).toEqual(["run", "test", "--", "--watch=false"]);
  expect(readFileSync(path.join(root, "npm.cwd"), "utf8").trim()).toBe(root);
  const { stdout } = await ports.processes.run({
    command: "ps",
    args: ["axww", "-o", "args="],
    cwd: "/",
    env: process.env as Record<string, string>,
  });
  expect(Buffer.from(stdout).toString().split("\n")).not.toContain("sleep 71.5");
  expect(await call("npm_run", { script: "-g" })).toContain("must not begin with -");
  const tools = createHostTools({
    ports,
    root,
    env,
    sshHosts,
    stagingLog: undefined,
  });
  const prepared = tools.find((tool) => tool.name === "npm_run")?.prepare({ script: "x" });
  expect(prepared).toMatchObject({ timeoutMs: 620_000 });
});

test("logs_getStagingLogs returns the last lines of a log of any length", async () => {
  const stagingLog = path.join(root, "staging.log");
  expect(await call("logs_getStagingLogs")).toContain("no staging log is configured");
  expect(await call("logs_getStagingLogs", {}, { stagingLog })).toContain("no such file");
  writeFileSync(stagingLog, "");
  expect(await call("logs_getStagingLogs", {}, { stagingLog })).toBe("(the log is empty)");
  writeFileSync(stagingLog, Array.from({ length: 200_000 }, (_, at) => `line ${at + 1}\n`).join(""));
  expect(await call("logs_getStagingLogs", { lines: 2 }, { stagingLog })).toBe("line 199999\nline 200000");
  expect((await call("logs_getStagingLogs", {}, { stagingLog })).split("\n")).toHaveLength(100);
  const many = await call("logs_getStagingLogs", { lines: 5000 }, { stagingLog });
  expect(many).toMatch(/^\[the last \d+ lines; more do not fit into a result\]\nline \d+\n/);
  expect(many.length).toBeLessThan(30_000);
  expect(await call("logs_getStagingLogs", {}, { stagingLog: root })).toContain("cannot read");
});

function repository(remote: string): void {
  for (const args of [
    ["init", "-q", "-b", "topic"],
    ["remote", "add", "origin", remote],
  ])
    execFileSync("git", args, {
      cwd: root,
      env: { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null" },
    });
}

const aRun = {
  databaseId: 7,
  name: "CI",
  status: "completed",
  conclusion: "failure",
  headBranch: "topic",
  event: "",
  url: "u",
};
const fields = "databaseId,name,status,conclusion,headBranch,headSha,event,createdAt,url";

test("github_triggerWorkflow starts a workflow with its ref and inputs", async () => {
  repository("https://me:t0ken@github.com/acme/shop.git");
  stub("gh");
  const args = { workflow: "deploy.yml", inputs: { to: "staging", dry: true } };
  expect(await call("github_triggerWorkflow", args)).toContain("deploy.yml was started on topic");
  expect(words("gh")).toEqual([
    ...["workflow", "run", "deploy.yml", "--ref", "topic"],
    ...["--raw-field", "to=staging", "--raw-field", "dry=true", "--repo=https://github.com/acme/shop.git"],
  ]);
  expect(await call("github_triggerWorkflow", { workflow: "--web" })).toContain("must not begin with -");
});

test("github_getWorkflowRunStatus reports the fields of one run, of a workflow's runs and of all runs", async () => {
  repository("git@github.com:acme/shop");
  const text = "id: 7\nname: CI\nstatus: completed\nconclusion: failure\nbranch: topic\nurl: u";
  stub("gh", `echo '${JSON.stringify(aRun)}'`);
  expect(await call("github_getWorkflowRunStatus", { run_id: "7" })).toBe(text);
  expect(words("gh")).toEqual(["run", "view", "7", "--json", fields, "--repo=git@github.com:acme/shop"]);
  rmSync(path.join(root, "gh.words"));
  stub("gh", `echo '${JSON.stringify([aRun, aRun])}'`);
  expect(await call("github_getWorkflowRunStatus", { workflow: "ci.yml" })).toBe(`${text}\n\n${text}`);
  expect(words("gh").slice(0, 6)).toEqual(["run", "list", "--limit", "5", "--workflow", "ci.yml"]);
  stub("gh", "echo '[]'");
  expect(await call("github_getWorkflowRunStatus")).toBe("no runs found");
});

test("a refusal by GitHub, an invalid answer, a missing gh and a missing remote are failed results", async () => {
  expect(await call("github_getWorkflowRunStatus")).toBe("the remote origin is not set");
  repository("https://github.com/acme/shop");
  stub("gh", "echo 'no workflow_dispatch' >&2; exit 1");
  expect(await call("github_triggerWorkflow", { workflow: "x" })).toBe(
    "gh workflow run failed with exit code 1\nstderr:\nno workflow_dispatch",
  );
  stub("gh", "echo odd");
  expect(await call("github_getWorkflowRunStatus")).toContain("cannot read the answer of gh: odd");
  rmSync(path.join(bin, "gh"));
  symlinkSync(execFileSync("which", ["git"]).toString().trim(), path.join(bin, "git"));
  expect(await call("github_getWorkflowRunStatus", {}, { env: { PATH: bin } })).toContain(
    "install gh and sign in",
  );
});
