import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { callTool, getText } from "../testing/call-tool.js";
import { openServers, type McpServers } from "./servers.js";

/** A hand-written server whose tools do what their names say. It also prints lines that are not messages. */
const SERVER = `
import { createInterface } from "node:readline";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const object = (properties, more) => ({ type: "object", properties, ...more });
const pages = [
  [
    { name: "echo", description: "Says it again.", inputSchema: object({ text: { type: "string" } }, { required: ["text"] }), annotations: { readOnlyHint: true, openWorldHint: true } },
    { name: "env", inputSchema: object({}) },
    { name: "bad schema", inputSchema: { type: "object", properties: { a: { type: "nothing" } } } },
  ],
  [
    { name: "die", inputSchema: object({}) },
    { name: "fail", inputSchema: object({}) },
    { name: "hang", inputSchema: object({}) },
    { name: "flood", inputSchema: object({}) },
    { name: "p\\u00edcture/../x", inputSchema: object({}) },
    { name: "x".repeat(100), inputSchema: object({}) },
  ],
];
const texts = (text, more) => ({ content: [{ type: "text", text }], ...more });
const calls = {
  echo: ({ text }) => texts(text),
  env: () => texts(JSON.stringify({ key: process.env.ANTHROPIC_API_KEY ?? null, token: process.env.TOKEN ?? null })),
  flood: () => texts("x".repeat(17_000_000)),
  fail: () => texts("no luck", { isError: true }),
  die: () => { console.error("some words\\nout of memory"); process.exit(7); },
  ["p\\u00edcture/../x"]: () => ({ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }),
};
console.log("noise {");
if (process.env.CHILD) {
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  writeFileSync(process.env.CHILD, String(child.pid));
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    if (process.env.MUTE) return;
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
  }
  const page = Number(params?.cursor ?? 0);
  if (method === "tools/list") say({ id, result: { tools: pages[page], ...(page === 0 ? { nextCursor: "1" } : {}) } });
  if (method === "tools/call" && params.name !== "hang") say({ id, result: calls[params.name](params.arguments) });
});
`;

let folder = "";
let warnings: string[] = [];
let open: McpServers[] = [];
const ports = nodePorts();

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "mcp-"));
  writeFileSync(path.join(folder, "server.mjs"), SERVER);
  warnings = [];
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  rmSync(folder, { recursive: true });
});

async function openAll(servers: Parameters<typeof openServers>[0], signal = new AbortController().signal) {
  const opened = openServers(servers, {
    ports,
    root: folder,
    env: { PATH: process.env.PATH ?? "", ANTHROPIC_API_KEY: "secret", MY_TOKEN: "t" },
    onWarning: (text) => {
      // On a slow machine servers take longer than the wait for this line.
      if (!text.startsWith("waiting for")) warnings.push(text);
    },
    signal,
  });
  open.push(opened);
  await opened.ready();
  return opened;
}

const server = { command: process.execPath, args: ["server.mjs"] };

async function say(opened: McpServers, name: string, args: unknown = {}) {
  return getText(await callTool(opened.tools, name, args));
}

test("a server's tools are available by name, with their arguments checked", async () => {
  const opened = await openAll({ my_srv: { ...server, env: { TOKEN: "${MY_TOKEN}!" } } });
  const { tools } = opened;
  expect(tools.map(({ name }) => name)).toEqual([
    "mcp_my_srv_echo",
    "mcp_my_srv_env",
    "mcp_my_srv_die",
    "mcp_my_srv_fail",
    "mcp_my_srv_hang",
    "mcp_my_srv_flood",
    "mcp_my_srv_p_cture____x",
    `mcp_my_srv_${"x".repeat(53)}`,
  ]);
  expect(tools.filter(({ reachesOut }) => reachesOut).map(({ name }) => name)).toEqual(["mcp_my_srv_echo"]);
  expect(tools.map(({ changes }) => changes)).toEqual([false, true, true, true, true, true, true, true]);
  expect(warnings).toEqual([
    expect.stringContaining('its tool "bad schema" has a schema that cannot be used'),
  ]);
  expect(await callTool(tools, "mcp_my_srv_echo", { text: "a\nb" })).toEqual({
    success: true,
    output: "a\nb",
  });
  expect(await say(opened, "mcp_my_srv_echo")).toContain("must have required property 'text'");
  expect(await say(opened, "mcp_my_srv_echo", { text: 1 })).toContain("text: must be string");
  expect(await callTool(tools, "mcp_my_srv_fail", {})).toEqual({ success: false, error: "no luck" });
  expect(await say(opened, "mcp_my_srv_p_cture____x")).toBe("[image image/png; not shown]");
  expect(await say(opened, "mcp_my_srv_env")).toBe('{"key":null,"token":"t!"}');
});

test("only the tools in the access list are available, and a tool the server does not have is reported", async () => {
  const { tools } = await openAll({ s: { ...server, tools: ["e*", "fail", "gone"] } });
  expect(tools.map(({ name }) => name)).toEqual(["mcp_s_echo", "mcp_s_env", "mcp_s_fail"]);
  expect(warnings).toEqual(['MCP server s: it has no tool "gone"']);
});

test("the tools of a server that dies fail, and those of other servers work", async () => {
  const opened = await openAll({ a: server, b: server });
  expect(await say(opened, "mcp_a_die")).toContain(
    "MCP server a has ended (it ended with exit code 7: out of memory); its tools can no longer be used",
  );
  expect(await say(opened, "mcp_a_echo", { text: "x" })).toContain("has ended");
  expect(await say(opened, "mcp_b_echo", { text: "x" })).toBe("x");
});

test("an answer that is too long fails its call with that reason, and the server can still be used", async () => {
  const opened = await openAll({ a: server });
  expect(await say(opened, "mcp_a_flood")).toContain("its answer is longer than 16777216 bytes");
  expect(await say(opened, "mcp_a_echo", { text: "x" })).toBe("x");
});

test("servers start in the background, and a line names those that are waited for", async () => {
  const waits: (() => void)[] = [];
  const clock = {
    ...ports.clock,
    after: (ms: number, wake: () => void) => {
      if (ms === 1000) waits.push(wake);
      return { cancel: () => undefined };
    },
  };
  const opened = openServers(
    { mute: { ...server, env: { MUTE: "1" } }, none: { command: "/no/such/program" } },
    {
      ...{ ports: { ...ports, clock }, root: folder, env: { PATH: process.env.PATH ?? "" } },
      onWarning: (text) => warnings.push(text),
      signal: new AbortController().signal,
    },
  );
  expect(opened.tools).toEqual([]);
  const ready = opened.ready();
  waits[0]?.();
  expect(warnings).toEqual(["waiting for MCP servers: mute, none"]);
  await opened.close();
  await ready;
});

test("an aborted call ends, and the server continues to work", async () => {
  const opened = await openAll({ s: server });
  const abort = new AbortController();
  const hanging = callTool(opened.tools, "mcp_s_hang", {}, abort.signal);
  abort.abort();
  expect(await hanging).toHaveProperty("success", false);
  expect(await say(opened, "mcp_s_echo", { text: "x" })).toBe("x");
});

test("a server that cannot be used is a warning, and the others work", async () => {
  writeFileSync(path.join(folder, "broken.mjs"), "console.error('no config'); process.exit(3)");
  const { tools } = await openAll({
    none: { command: "/no/such/program" },
    broken: { command: process.execPath, args: ["broken.mjs"] },
    far: { url: "http://127.0.0.1:1/mcp" },
    odd: { url: "file:///etc/passwd" },
    keyless: { ...server, env: { TOKEN: "${NO_SUCH}${ANTHROPIC_API_KEY}" } },
    fine: { ...server, tools: ["echo"] },
  });
  expect(tools.map(({ name }) => name)).toEqual(["mcp_fine_echo"]);
  expect(warnings).toEqual([
    expect.stringContaining("none: cannot start /no/such/program: program not found"),
    expect.stringContaining("broken: it ended with exit code 3: no config"),
    expect.stringContaining("far: fetch failed"),
    expect.stringContaining("odd: file:///etc/passwd is not an http or https address"),
    expect.stringContaining("keyless: not set in the environment: NO_SUCH, ANTHROPIC_API_KEY"),
  ]);
});

test("a closed server, and one that never answers the handshake, leave no processes", async () => {
  const child = path.join(folder, "child");
  const opened = await openAll({ s: { ...server, tools: [], env: { CHILD: child } } });
  const pid = Number(readFileSync(child, "utf8"));
  await opened.close();
  // In a namespace of its own the process has another id here, so the command line is compared as well.
  expect(isAlive(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("1000")).toBe(false);
  const { tools } = await openAll({ mute: { ...server, env: { MUTE: "1" } } }, AbortSignal.abort());
  expect(tools).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("mute")]);
  const left = await ports.processes.run({
    command: "ps",
    args: ["-eo", "args"],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
  });
  expect(new TextDecoder().decode(left.stdout)).not.toContain(`${folder}/`);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

let http: Server | undefined;
afterEach(() => {
  http?.closeAllConnections();
  http?.close();
  http = undefined;
});

test("a server over HTTP gets the headers and a request to end the session", async () => {
  const seen: string[] = [];
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "s1" });
  const mcp = new McpServer({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  mcp.server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "add", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
  }));
  mcp.server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [],
    structuredContent: { sum: params.arguments },
  }));
  await mcp.connect(transport);
  http = createServer((request, response) => {
    seen.push(`${request.method ?? ""} ${request.headers.authorization ?? ""}`);
    void transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http?.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const opened = await openAll({
    web: { url: `http://127.0.0.1:${port}/mcp`, headers: { authorization: "Bearer ${MY_TOKEN}" } },
  });
  expect(opened.tools.map(({ name }) => name)).toEqual(["mcp_web_add"]);
  expect(await say(opened, "mcp_web_add", { a: 1 })).toBe('{"sum":{"a":1}}');
  await opened.close();
  expect(seen.at(-1)).toBe("DELETE Bearer t");
  expect(await say(opened, "mcp_web_add", { a: 1 })).toContain("MCP server web");
});
