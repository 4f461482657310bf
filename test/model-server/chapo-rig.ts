// Chapo's models at the model server: opened for one of its formats, led through a script. For the tests beside it.
import { afterEach } from "vitest";
import type { ChatMessage, Model, ModelAnswer, ModelRequest } from "../../src/chapo/model.js";
import { openModel, type ModelSettings } from "../../src/chapo/models/open-model.js";
import type { ChapoScript } from "../../src/chapo/models/scripted.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import type { ChapoPlay } from "./chapo-play.js";
import type { DialectName } from "./dialect.js";
import { ModelServer } from "./model-server.js";

/** A format, a model that is asked in it, and where its paths begin. */
export const FORMATS: readonly (readonly [DialectName, string, string])[] = [
  ["anthropic", "anthropic/claude-sonnet-4-5", "/v1"],
  ["responses", "openai/gpt-5", "/v1"],
  ["chat", "openai-compatible/local/model", "/v1"],
  ["gemini", "gemini/gemini-3-pro-preview", "/v1beta"],
];

const KEYS = {
  ANTHROPIC_API_KEY: "key-of-anthropic",
  OPENAI_API_KEY: "key-of-openai",
  GEMINI_API_KEY: "key-of-google",
  LOOPER_CHAPO_API_KEY: "key-of-local",
};

/** Run at the end of the test. */
export const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

export async function serve(play: ChapoPlay): Promise<ModelServer> {
  const server = await ModelServer.start({ sessions: [] });
  server.playChapo(play);
  cleanups.push(() => server.close());
  return server;
}

interface Options extends Partial<ModelSettings> {
  idleMs?: number;
  env?: Record<string, string>;
}

export function open(server: ModelServer, format: DialectName, options: Options = {}): Promise<Model> {
  const [, model = "", base = ""] = FORMATS.find(([name]) => name === format) ?? [];
  const { idleMs, env = KEYS, ...settings } = options;
  const usual = { model, fallback: [], baseUrl: server.origin + base, stream: true, maxToolRetries: 3 };
  const deps = { ...nodePorts(), env, ...(idleMs === undefined ? {} : { idleMs }) };
  return openModel({ ...usual, ...settings }, deps);
}

const PATH = {
  type: "object",
  properties: { path: { type: "string", description: "of a file" } },
  required: ["path"],
  additionalProperties: false,
};
const TOOLS = ["fs_readFile", "fs_listFiles"].map((name) => ({
  name,
  description: `What ${name} does`,
  parameters: PATH,
}));

export function request(messages: readonly ChatMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  const { signal } = new AbortController();
  const turn = messages.filter(({ role }) => role === "assistant").length;
  return { who: "looper", turn, system: "You are Chapo.", messages, tools: TOOLS, signal, ...more };
}

export const SCRIPT: ChapoScript = {
  turns: [
    {
      say: "I look at two things.",
      call: [
        { name: "fs_readFile", args: { path: "a.txt" } },
        { name: "fs_listFiles", args: { path: "ünï/cödé" } },
      ],
      usage: { input: 50, cached: 7, output: 9 },
    },
    { call: { name: "fs_readFile", args: { path: "b.txt" } } },
    { say: "All is well.\n\n  Two lines." },
    { say: "And then", cut: true },
  ],
};

/** A conversation to the script's end; each call succeeds but the second. */
export async function converse(model: Model, turns: number, more: Partial<ModelRequest> = {}) {
  const messages: ChatMessage[] = [{ role: "user", text: "Begin, please." }];
  const answers: ModelAnswer[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const answer = await model.ask(request(messages, more));
    answers.push(answer);
    if (!("reply" in answer)) break;
    const { text, calls } = answer.reply;
    messages.push({ role: "assistant", text, calls });
    const results = calls.map(({ id, name }, at) => ({
      callId: id,
      name,
      success: at === 0,
      output: at === 0 ? `result of ${name}` : "no such folder",
    }));
    messages.push(calls.length > 0 ? { role: "tool", results } : { role: "user", text: "Go on." });
  }
  return { answers, messages };
}
