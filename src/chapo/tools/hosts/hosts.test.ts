import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeNetwork } from "../../../system/network.js";
import { nodePorts } from "../../../system/processes/node-ports.js";
import type { ToolResult } from "../../tool.js";
import { readRemote } from "./github.js";
import { createHostTools } from "./hosts.js";
import { callTool, getText } from "../../testing/call-tool.js";

const ports = nodePorts();
let root = "";
let bin = "";
let server: Server | undefined;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "looper-hosts-")));
  bin = path.join(root, "bin");
  mkdirSync(bin);
});
afterEach(() => {
  server?.close();
  server = undefined;
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
      network: nodeNetwork(),
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
    network: nodeNetwork(),
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

interface Heard {
  method: string;
  url: string;
  authorization: string | undefined;
  body: string;
}

/** Creates an API that gives the set answers and records the requests. */
async function fakeApi(
  status: number,
  answer: unknown,
): Promise<{ env: Record<string, string>; heard: Heard[] }> {
  const heard: Heard[] = [];
  const started = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      heard.push({
        method,
        url,
        authorization: headers.authorization,
        body: Buffer.concat(chunks).toString(),
      });
      response.writeHead(status).end(answer === undefined ? undefined : JSON.stringify(answer));
    });
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  const address = started.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { env: { GITHUB_API_URL: `http://127.0.0.1:${port}`, GITHUB_TOKEN: "t0ken" }, heard };
}

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
  id: 7,
  name: "CI",
  status: "completed",
  conclusion: "failure",
  head_branch: "topic",
  html_url: "u",
  x: 1,
};

test("github_triggerWorkflow starts a workflow with its ref and inputs", async () => {
  repository("git@github.com:acme/shop.git");
  const { env, heard } = await fakeApi(204, undefined);
  const args = { workflow: "deploy.yml", inputs: { to: "staging", dry: true } };
  expect(await call("github_triggerWorkflow", args, { env })).toContain("deploy.yml was started on topic");
  await call("github_triggerWorkflow", { workflow: "../../x", ref: "main" }, { env });
  expect(heard.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /repos/acme/shop/actions/workflows/deploy.yml/dispatches",
    "POST /repos/acme/shop/actions/workflows/..%2F..%2Fx/dispatches",
  ]);
  expect(heard[0]?.authorization).toBe("Bearer t0ken");
  expect(JSON.parse(heard[0]?.body ?? "")).toEqual({ ref: "topic", inputs: { to: "staging", dry: "true" } });
});

test("github_getWorkflowRunStatus reports the fields of one run, of a workflow's runs and of all runs", async () => {
  repository("https://github.com/acme/shop");
  const text = "id: 7\nname: CI\nstatus: completed\nconclusion: failure\nbranch: topic\nurl: u";
  const one = await fakeApi(200, aRun);
  expect(await call("github_getWorkflowRunStatus", { run_id: "7" }, one)).toBe(text);
  expect(one.heard[0]?.url).toBe("/repos/acme/shop/actions/runs/7");
  server?.close();
  const more = await fakeApi(200, { workflow_runs: [aRun, aRun] });
  expect(await call("github_getWorkflowRunStatus", { workflow: "ci.yml" }, more)).toBe(`${text}\n\n${text}`);
  expect(more.heard[0]?.url).toBe("/repos/acme/shop/actions/workflows/ci.yml/runs?per_page=5");
});

test("a refusal by GitHub and an invalid answer are failed results", async () => {
  repository("https://github.com/acme/shop");
  const refusing = await fakeApi(422, { message: "no workflow_dispatch" });
  expect(await call("github_triggerWorkflow", { workflow: "x" }, refusing)).toMatch(
    /^GitHub answers 422 .*no workflow/,
  );
  server?.close();
  const odd = await fakeApi(200, ["odd"]);
  expect(await call("github_getWorkflowRunStatus", {}, odd)).toContain("an unexpected form");
});

test("without a token in the environment, that of gh is sent", async () => {
  repository("https://github.com/acme/shop");
  const { env, heard } = await fakeApi(200, aRun);
  const { GITHUB_TOKEN: _own, ...rest } = env;
  stub("gh", "echo 't of gh'");
  expect(await call("github_getWorkflowRunStatus", { run_id: 7 }, { env: rest })).toContain("id: 7");
  expect(words("gh")).toEqual(["auth", "token", "--hostname", "github.com"]);
  expect(heard[0]?.authorization).toBe("Bearer t of gh");
  stub("gh", "exit 1");
  expect(await call("github_getWorkflowRunStatus", {}, { env: rest })).toContain("install gh and sign in");
});

test("a token is never sent to an address in a repository's settings", async () => {
  repository("https://evil.example.org/acme/shop");
  stub("gh");
  expect(await call("github_getWorkflowRunStatus", {}, { env: { GITHUB_TOKEN: "t" } })).toContain(
    "origin is at evil.example.org: set GITHUB_API_URL",
  );
  expect(existsSync(path.join(root, "gh.words"))).toBe(false);
});

test("readRemote reads all forms of a remote's address", () => {
  const shop = { host: "github.com", name: "acme/shop" };
  for (const url of [
    "https://github.com/acme/shop.git",
    "https://user:pw@GitHub.com/acme/shop/",
    "git@github.com:acme/shop.git",
    "ssh://git@github.com:22/acme/shop",
  ])
    expect(readRemote(url)).toEqual(shop);
  for (const url of ["", "/srv/acme/shop", "https://github.com/shop", "git@github.com:../x", "a b:c/d"])
    expect(readRemote(url)).toBeUndefined();
});
