// The requests of Chapo to a model: tokens of a "hello", of a session of 40 calls and of its resume, and how much of each request
// repeats the one before (which providers bill as cached). The model is a local server; nothing is timed.
//   node bench/chapo-tokens.mjs [LOOPER.js…]    each program is measured; the last is compared with the first
import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const CALLS = 40;
const own = fileURLToPath(new URL("../dist/looper.js", import.meta.url));

/**
 * @typedef {{ tools?: unknown[], messages: unknown[] }} Body
 * @typedef {{ requests: number, tokens: number, least: number | null, repeated: number | null }} Summary
 */

/** Estimates tokens as four characters each. @param {string} text */
const tokens = (text) => Math.ceil(text.length / 4);

/** Spells a request in the order in which providers read it: tools, system prompt, messages. @param {Body} body */
function spell({ tools = [], messages }) {
  return [...tools, ...messages].map((part) => JSON.stringify(part)).join("\n");
}

/** Counts the characters at which two texts begin alike. @param {string} one @param {string} other */
function countShared(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Starts a server of OpenAI's protocol. It asks for `calls` calls of a tool, then answers. */
async function startModel() {
  /** @type {Body[]} */
  const requests = [];
  let calls = 0;
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (/** @type {string} */ chunk) => (text += chunk));
    request.on("end", () => {
      /** @type {unknown} */
      const read = JSON.parse(text);
      const body = /** @type {Body} */ (read);
      requests.push(body);
      const wantsCall = body.tools !== undefined && calls > 0;
      if (wantsCall) calls -= 1;
      const call = { id: `c${calls}`, type: "function" };
      const named = { ...call, function: { name: "fs_readFile", arguments: '{"path":"a.txt"}' } };
      const message = wantsCall
        ? { role: "assistant", content: null, tool_calls: [named] }
        : {
            role: "assistant",
            content: body.tools === undefined ? '{"isComplete":true,"confidence":1,"issues":[]}' : "Hello.",
          };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          ...{ id: "x", object: "chat.completion", created: 1, model: "m" },
          choices: [{ index: 0, message, finish_reason: wantsCall ? "tool_calls" : "stop" }],
        }),
      );
    });
  });
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve(undefined);
    });
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** @param {number} ask */
    take: (ask) => {
      calls = ask;
      return () => requests.splice(0);
    },
    close: () => server.close(),
  };
}

/** @param {string} program @param {string} root @param {readonly string[]} args */
async function runLooper(program, root, args) {
  const child = spawn(process.execPath, [program, "chapo", "--json", ...args], {
    cwd: path.join(root, "project"),
    env: { PATH: process.env.PATH, HOME: root },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await new Promise((resolve) => child.on("close", resolve));
}

/** @param {readonly Body[]} requests @returns {Summary} */
function summarise(requests) {
  const texts = requests.map(spell);
  const own = requests.filter(({ tools }) => tools !== undefined).map(spell);
  const shares = own.slice(1).map((text, at) => countShared(text, own[at] ?? "") / text.length);
  const later = texts.slice(1);
  const repeated = later.reduce((sum, text, at) => {
    return sum + Math.max(...texts.slice(0, at + 1).map((before) => countShared(text, before)));
  }, 0);
  return {
    requests: requests.length,
    tokens: texts.reduce((sum, text) => sum + tokens(text), 0),
    least: shares.length === 0 ? null : Math.min(...shares),
    repeated: later.length === 0 ? null : repeated / later.reduce((sum, text) => sum + text.length, 0),
  };
}

/** Measures a program: `hello`, `session` and `resume`. */
export async function measureTokens(program = own) {
  const root = mkdtempSync(path.join(tmpdir(), "chapo-tokens-"));
  const model = await startModel();
  try {
    mkdirSync(path.join(root, "project", ".git"), { recursive: true });
    writeFileSync(path.join(root, "project", ".git", "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(
      path.join(root, "project", "package.json"),
      '{"name":"shop","scripts":{"test":"node --test"}}',
    );
    writeFileSync(path.join(root, "project", "a.txt"), "A line of text that is read.\n".repeat(40));
    mkdirSync(path.join(root, ".config", "looper"), { recursive: true });
    const chapo = { base_url: model.url, stream: false, max_iterations: CALLS + 10 };
    const agents = { chapo: { model: "openai-compatible/m", chapo } };
    writeFileSync(path.join(root, ".config", "looper", "config.json"), JSON.stringify({ agents }));
    /** @param {number} calls @param {readonly string[]} args */
    const ask = async (calls, args) => {
      const taken = model.take(calls);
      await runLooper(program, root, args);
      return taken();
    };
    const measured = {
      hello: await ask(0, ["hello"]),
      session: await ask(CALLS, ["Read a.txt often."]),
      resume: await ask(1, ["--session", "last", "And once more."]),
    };
    // The first request of the resume follows the last of the session.
    const last = measured.session.filter(({ tools }) => tools !== undefined).at(-1) ?? { messages: [] };
    const resume = summarise([last, ...measured.resume]);
    return {
      hello: summarise(measured.hello),
      session: summarise(measured.session),
      resume: { ...resume, requests: resume.requests - 1, tokens: resume.tokens - tokens(spell(last)) },
    };
  } finally {
    model.close();
    rmSync(root, { recursive: true });
  }
}

/** @param {number | null} share */
const percent = (share) => (share === null ? "-" : `${(share * 100).toFixed(1)} %`);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const programs = process.argv.length > 2 ? process.argv.slice(2) : [own];
  const all = [];
  for (const program of programs) all.push(await measureTokens(path.resolve(program)));
  for (const name of /** @type {const} */ (["hello", "session", "resume"])) {
    const [first, last] = [all[0]?.[name], all.at(-1)?.[name]];
    if (first === undefined || last === undefined) continue;
    const ratio = all.length > 1 ? `, ${(last.tokens / first.tokens).toFixed(2)} of the first program's` : "";
    console.log(
      `${name}: ${last.requests} requests, ${last.tokens} tokens${ratio}; a request repeats at least ${percent(last.least)} of itself, all after the first ${percent(last.repeated)}`,
    );
  }
}
