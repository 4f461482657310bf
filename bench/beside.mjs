// Chapo beside other coding agents: ten scripted sessions against one local model that speaks OpenAI's protocol. It answers by the
// results that it sees, in the tools that the client offers. Counts requests and tokens of prompts, and looks whether the work is
// done. Nothing is timed.
//   npm install --prefix DIR @mariozechner/pi-coding-agent opencode-ai
//   node bench/beside.mjs DIR
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ read: string } | { write: string, text: string } | { edit: string, from: string, to: string } | { shell: string }} Op
 * @typedef {{ name: string, files?: Record<string, string>, steps: readonly (readonly Op[])[], done?: Record<string, string> }} Session
 * @typedef {{ type: "function", function: { name: string, parameters: { properties: Record<string, unknown> } } }} Offered
 * @typedef {{ stream?: boolean, tools?: Offered[], messages: { role: string }[] }} Body
 * @typedef {{ name: string, args: Record<string, unknown> }} Call
 * @typedef {{ name: string, run: (place: { root: string, project: string, url: string, modules: string }) => { command: string, args: string[], env: Record<string, string> } }} Client
 */

const ANSWER = "All of it is done.";
const PATIENCE_MS = 120_000;
const own = fileURLToPath(new URL("../dist/looper.js", import.meta.url));
const lines = (/** @type {number} */ count) =>
  Array.from({ length: count }, (_, n) => `line ${String(n + 1)} of a file of usual text\n`).join("");
const SUM = "export const sum = (a, b) => a - b;\n";
const TEST =
  'import test from "node:test";\nimport assert from "node:assert";\nimport { sum } from "./sum.mjs";\ntest("sum", () => assert.equal(sum(1, 2), 3));\n';
const MENDED = SUM.replace("-", "+");

/** @type {readonly Session[]} */
const SESSIONS = [
  { name: "hello", steps: [] },
  { name: "read a file", files: { "a.txt": "alpha\n" }, steps: [[{ read: "a.txt" }]] },
  { name: "write a file", steps: [[{ write: "b.txt", text: "beta\n" }]], done: { "b.txt": "beta\n" } },
  {
    name: "edit a file",
    files: { "a.txt": "alpha\n" },
    steps: [[{ read: "a.txt" }], [{ edit: "a.txt", from: "alpha", to: "beta" }]],
    done: { "a.txt": "beta\n" },
  },
  {
    name: "mend a failing test",
    files: { "sum.mjs": SUM, "sum.test.mjs": TEST },
    steps: [
      [{ shell: "node --test" }],
      [{ read: "sum.mjs" }],
      [{ edit: "sum.mjs", from: "a - b", to: "a + b" }],
      [{ shell: "node --test" }],
    ],
    done: { "sum.mjs": MENDED },
  },
  {
    name: "recover from an edit that finds nothing",
    files: { "sum.mjs": SUM },
    steps: [
      [{ read: "sum.mjs" }],
      [{ edit: "sum.mjs", from: "a * b", to: "a + b" }],
      [{ edit: "sum.mjs", from: "a - b", to: "a + b" }],
    ],
    done: { "sum.mjs": MENDED },
  },
  { name: "a command with 20,000 lines", steps: [[{ shell: "seq 1 20000" }]] },
  {
    name: "three reads in one turn, then a write",
    files: { "a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n" },
    steps: [[{ read: "a.txt" }, { read: "b.txt" }, { read: "c.txt" }], [{ write: "sum.txt", text: "6\n" }]],
    done: { "sum.txt": "6\n" },
  },
  {
    name: "edit a file of 5,000 lines",
    files: { "long.txt": lines(5000) },
    steps: [[{ read: "long.txt" }], [{ edit: "long.txt", from: "line 4321 of", to: "LINE of" }]],
    done: { "long.txt": lines(5000).replace("line 4321 of", "LINE of") },
  },
  {
    name: "twenty reads and commands",
    files: { "a.txt": lines(40) },
    steps: Array.from({ length: 20 }, (_, n) => [
      n % 2 === 0 ? { read: "a.txt" } : { shell: `echo ${String(n)} >> log.txt` },
    ]),
    done: { "log.txt": [1, 3, 5, 7, 9, 11, 13, 15, 17, 19].map((n) => `${String(n)}\n`).join("") },
  },
];

/** @type {readonly Client[]} */
const CLIENTS = [
  {
    name: "Chapo",
    run: ({ root, url }) => {
      const settings = { agents: { chapo: { model: "openai-compatible/m", chapo: { base_url: url } } } };
      mkdirSync(path.join(root, ".config/looper"), { recursive: true });
      writeFileSync(path.join(root, ".config/looper/config.json"), JSON.stringify(settings));
      const args = [own, "chapo", "--mode", "bypassPermissions"];
      return { command: process.execPath, args, env: {} };
    },
  },
  {
    name: "pi",
    run: ({ root, url, modules }) => {
      const folder = path.join(root, "pi");
      mkdirSync(folder);
      const provider = { baseUrl: url, api: "openai-completions", apiKey: "x", models: [{ id: "m" }] };
      writeFileSync(path.join(folder, "models.json"), JSON.stringify({ providers: { local: provider } }));
      const args = ["--offline", "--provider", "local", "--model", "m", "-p"];
      return {
        command: path.join(modules, ".bin/pi"),
        args,
        env: { PI_CODING_AGENT_DIR: folder, PI_OFFLINE: "1", PI_TELEMETRY: "0" },
      };
    },
  },
  {
    name: "opencode",
    run: ({ root, url, modules }) => {
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: url, apiKey: "x" },
        models: { m: { name: "m", tool_call: true, limit: { context: 128_000, output: 8000 } } },
      };
      const config = { autoupdate: false, share: "disabled", provider: { local: provider } };
      return {
        command: path.join(modules, ".bin/opencode"),
        args: ["run", "--model", "local/m"],
        env: {
          OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
          OPENCODE_DISABLE_MODELS_FETCH: "1",
          OPENCODE_DISABLE_AUTOUPDATE: "1",
          XDG_DATA_HOME: path.join(root, "data"),
        },
      };
    },
  },
];

/** The names that clients give to the tools and to their fields. */
const TOOLS = {
  read: ["fs_readFile", "read"],
  write: ["fs_writeFile", "write"],
  edit: ["fs_edit", "edit"],
  shell: ["bash_execute", "bash"],
};

/** Finds an offered tool. @param {readonly Offered[]} tools @param {keyof typeof TOOLS} kind */
function findTool(tools, kind) {
  const found = tools.find((tool) => TOOLS[kind].includes(tool.function.name));
  if (found === undefined) throw new Error(`no tool to ${kind}`);
  return found.function;
}

/** Makes a call in the words of the client. @param {readonly Offered[]} tools @param {Op} op @param {string} project @returns {Call} */
function toCall(tools, op, project) {
  /** @param {keyof typeof TOOLS} kind @param {Record<string, unknown>} args @param {string} [file] */
  const make = (kind, args, file) => {
    const { name, parameters } = findTool(tools, kind);
    const { properties } = parameters;
    const named =
      file === undefined
        ? {}
        : "filePath" in properties
          ? { filePath: path.join(project, file) }
          : { path: file };
    return {
      name,
      args: {
        ...named,
        ...args,
        ...("description" in properties && kind === "shell" ? { description: "runs it" } : {}),
      },
    };
  };
  if ("read" in op) return make("read", {}, op.read);
  if ("write" in op) return make("write", { content: op.text }, op.write);
  if ("shell" in op) return make("shell", { command: op.shell });
  const { properties } = findTool(tools, "edit").parameters;
  if ("edits" in properties) return make("edit", { edits: [{ oldText: op.from, newText: op.to }] }, op.edit);
  if ("oldString" in properties) return make("edit", { oldString: op.from, newString: op.to }, op.edit);
  if ("oldText" in properties) return make("edit", { oldText: op.from, newText: op.to }, op.edit);
  return make("edit", { old_string: op.from, new_string: op.to }, op.edit);
}

/** The next step of the session, by the number of results; `undefined`: the answer. @param {Session} session @param {Body} body */
function nextStep({ steps }, { messages }) {
  const results = messages.filter(({ role }) => role === "tool").length;
  let before = 0;
  for (const step of steps) {
    if (results === before) return step;
    before += step.length;
  }
  return undefined;
}

/** @param {Session} session @param {Body} body @param {string} project */
function reply(session, body, project) {
  const { tools = [] } = body;
  // A request without tools is the client's own: a title, or Chapo's validation.
  if (tools.length === 0) return { text: '{"isComplete":true,"confidence":1,"issues":[]}', calls: [] };
  const step = nextStep(session, body);
  if (step === undefined) return { text: ANSWER, calls: [] };
  return { text: "", calls: step.map((op) => toCall(tools, op, project)) };
}

/** Starts the model. @param {Session} session @param {string} project */
async function startModel(session, project) {
  /** @type {Body[]} */
  const requests = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (/** @type {string} */ chunk) => (text += chunk));
    request.on("end", () => {
      if (request.method !== "POST") {
        response.setHeader("content-type", "application/json");
        response.end('{"object":"list","data":[{"id":"m","object":"model"}]}');
        return;
      }
      /** @type {unknown} */
      const read = JSON.parse(text);
      const body = /** @type {Body} */ (read);
      requests.push(body);
      send(response, body, reply(session, body, project));
    });
  });
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve(undefined);
    });
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${String(port)}/v1`, requests, close: () => server.close() };
}

let calls = 0;

/** @param {import("node:http").ServerResponse} response @param {Body} body @param {{ text: string, calls: readonly Call[] }} said */
function send(response, body, { text, calls: made }) {
  const toolCalls = made.map(({ name, args }, index) => {
    calls += 1;
    return {
      index,
      id: `call_${String(calls)}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    };
  });
  const message = { role: "assistant", content: text, ...(made.length > 0 ? { tool_calls: toolCalls } : {}) };
  const end = made.length > 0 ? "tool_calls" : "stop";
  const head = { id: "x", created: 1, model: "m" };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  if (body.stream !== true) {
    response.setHeader("content-type", "application/json");
    const choices = [{ index: 0, message, finish_reason: end }];
    response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const piece = { ...head, object: "chat.completion.chunk" };
  for (const choices of [
    [{ index: 0, delta: message, finish_reason: null }],
    [{ index: 0, delta: {}, finish_reason: end }],
  ])
    response.write(`data: ${JSON.stringify({ ...piece, choices })}\n\n`);
  response.write(`data: ${JSON.stringify({ ...piece, choices: [], usage })}\n\n`);
  response.end("data: [DONE]\n\n");
}

/** Runs a client to its end; returns what it printed. @param {ReturnType<Client["run"]>} line @param {string} root @param {string} project */
async function runClient({ command, args, env }, root, project) {
  const child = spawn(command, [...args, "Do what is needed."], {
    cwd: project,
    env: { PATH: process.env["PATH"] ?? "", HOME: root, TERM: "dumb", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE_MS,
  });
  let shown = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => (shown += text));
  /** @type {number | null} */
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { shown, code };
}

/** @param {Session} session @param {string} project @param {string} shown */
function judge({ done = {} }, project, shown) {
  const wrong = Object.entries(done).filter(([file, text]) => {
    try {
      return readFileSync(path.join(project, file), "utf8") !== text;
    } catch {
      return true;
    }
  });
  if (wrong.length > 0) return `${wrong.map(([file]) => file).join(", ")} is not as it should be`;
  return shown.includes(ANSWER) ? "done" : "no answer";
}

/** Estimates tokens as four characters each, for all clients alike. @param {Body} body */
const tokens = ({ tools = [], messages }) => Math.ceil(JSON.stringify({ tools, messages }).length / 4);

/** @param {Client} client @param {Session} session @param {string} modules */
async function measure(client, session, modules) {
  const root = mkdtempSync(path.join(tmpdir(), "chapo-beside-"));
  const project = path.join(root, "project");
  mkdirSync(path.join(project, ".git"), { recursive: true });
  for (const name of ["objects", "refs"]) mkdirSync(path.join(project, ".git", name));
  writeFileSync(path.join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  for (const [file, text] of Object.entries(session.files ?? {}))
    writeFileSync(path.join(project, file), text);
  const model = await startModel(session, project);
  try {
    const line = client.run({ root, project, url: model.url, modules });
    const { shown, code } = await runClient(line, root, project);
    const outcome = judge(session, project, shown);
    if (outcome !== "done")
      console.error(`${client.name}, ${session.name}: exit ${String(code)}\n${shown.slice(-2000)}`);
    return {
      requests: model.requests.length,
      tokens: model.requests.reduce((sum, body) => sum + tokens(body), 0),
      outcome,
    };
  } finally {
    model.close();
    rmSync(root, { recursive: true, force: true });
  }
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder with node_modules: node bench/beside.mjs DIR");
const modules = path.join(path.resolve(folder), "node_modules");
const head = ["session", ...CLIENTS.map(({ name }) => name)];
const rows = [head, head.map(() => "---")];
const sums = CLIENTS.map(() => ({ requests: 0, tokens: 0, done: 0 }));
for (const session of SESSIONS) {
  const cells = [];
  for (const [at, client] of CLIENTS.entries()) {
    const { requests, tokens: sent, outcome } = await measure(client, session, modules);
    const sum = sums[at];
    if (sum !== undefined) {
      sum.requests += requests;
      sum.tokens += sent;
      sum.done += outcome === "done" ? 1 : 0;
    }
    cells.push(
      `${String(requests)} / ${sent.toLocaleString("en")}${outcome === "done" ? "" : ` / ${outcome}`}`,
    );
  }
  rows.push([session.name, ...cells]);
  console.error(rows.at(-1)?.join(" | "));
}
rows.push([
  "all",
  ...sums.map(
    ({ requests, tokens: sent, done }) =>
      `${String(requests)} / ${sent.toLocaleString("en")}, ${String(done)} of ${String(SESSIONS.length)} done`,
  ),
]);
for (const row of rows) console.log(`| ${row.join(" | ")} |`);
