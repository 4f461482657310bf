// A world for the engine's tests: a model that plays a list of replies, a clock that does not wait, and records of all output.
import { z } from "zod";
import { never } from "../../system/never.js";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { Clock } from "../../system/ports.js";
import type { Model, ModelAnswer, ModelCall, ModelFailure, ModelReply, ModelRequest } from "../model.js";
import { defineTool, done, failed, type Tool } from "../tool.js";
import { createConversation, type Conversation } from "../engine/conversation.js";
import type { ChapoNews } from "../engine/events.js";
import { createTypes, listRouted } from "../engine/children/sub-agents.js";
import type { AuditRecord, EngineWorld } from "../engine/world.js";

/** A reply as a test writes it: a text, calls, a failure, or a whole reply. */
export type Played =
  | string
  | { call: string; args?: unknown; id?: string }
  | { calls: readonly { call: string; args?: unknown; id?: string }[]; text?: string }
  | { fail: ModelFailure["reason"] }
  | { reply: Partial<ModelReply> };

/** Creates a model that plays a list of replies for each caller. At its end a list repeats its last reply. */
export function playModel(lists: Readonly<Record<string, readonly Played[]>>): Model & {
  requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  const played = new Map<string, number>();
  return {
    name: "fake/model",
    contextWindow: undefined,
    requests,
    ask: (request) => {
      requests.push({ ...request, messages: structuredClone(request.messages) });
      const list = lists[request.who] ?? [];
      const n = played.get(request.who) ?? 0;
      played.set(request.who, n + 1);
      const entry = list[Math.min(n, list.length - 1)];
      if (entry === undefined)
        return Promise.resolve({
          failure: { reason: "bad-request", message: `no replies for ${request.who}` },
        });
      return Promise.resolve(toAnswer(entry, `${request.who}${n}`));
    },
  };
}

const EMPTY: ModelReply = { text: "", calls: [], finish: "stop", model: "fake/model" };

function toAnswer(entry: Played, id: string): ModelAnswer {
  if (typeof entry === "string") return { reply: { ...EMPTY, text: entry } };
  if ("fail" in entry) return { failure: { reason: entry.fail, message: `fake: ${entry.fail}` } };
  if ("reply" in entry) return { reply: { ...EMPTY, ...entry.reply } };
  const calls = "calls" in entry ? entry.calls : [entry];
  return {
    reply: {
      ...EMPTY,
      text: "text" in entry ? (entry.text ?? "") : "",
      finish: "calls",
      calls: calls.map((call, n): ModelCall => ({
        id: call.id ?? `${id}-${n}`,
        name: call.call,
        args: call.args ?? {},
      })),
    },
  };
}

/** The longest wait that ends at once. Longer waits never end. */
const PASSES_MS = 10_000;

/** Creates a clock whose short waits end at once and whose long waits never end. */
export function createHastyClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  const after = (ms: number, wake: () => void) => {
    let live = true;
    if (ms <= PASSES_MS)
      void settle().then(() => {
        if (!live) return;
        waits.push(ms);
        wake();
      });
    return {
      cancel: () => {
        live = false;
      },
    };
  };
  return {
    waits,
    now: () => Date.UTC(2026, 0, 1),
    monotonic: () => 0,
    at: after,
    after,
    every: after,
    sleep: (ms) =>
      new Promise((resolve) => {
        after(ms, resolve);
      }),
  };
}

/** Lets pending promises settle. */
async function settle(): Promise<void> {
  for (let n = 0; n < 50; n += 1) await Promise.resolve();
}

/** Creates tools without effects, such as `fs_readFile` and `bash_execute`. Each call is recorded in `ran`. */
export function createFakeTools(ran: string[]): Tool[] {
  const tool = (name: string, field: string, changes = false) =>
    defineTool({
      name,
      description: `Does ${name}.`,
      arguments: z.strictObject({ [field]: z.string() }),
      changes,
      run: (args) => {
        const said = args[field] ?? "";
        ran.push(`${name} ${said}`);
        return Promise.resolve(said === "bad" ? failed("it went bad") : done(`${name} of ${said}`));
      },
    });
  return [
    tool("fs_readFile", "path"),
    tool("fs_writeFile", "path", true),
    tool("bash_execute", "command", true),
    tool("web_search", "query"),
    tool("memory_search", "query"),
    tool("todo_read", "what"),
  ];
}

/** The settings that the engine reads. */
export const USUAL_SETTINGS = {
  maxConversationTokens: 120_000,
  maxToolRetries: 3,
  minValidationConfidence: 0.7,
  selfValidationEnabled: true,
  compactAt: 0.92,
  budgets: { tools: {} },
  maxRequests: Infinity,
  maxTokens: Infinity,
  maxCostUsd: Infinity,
  stream: false,
} as ChapoSettings;

/** A world that records everything. */
export interface TestWorld extends EngineWorld {
  clock: ReturnType<typeof createHastyClock>;
  news: ChapoNews[];
  saved: Conversation[];
  audited: AuditRecord[];
  kept: string[];
  remembered: string[];
  ran: string[];
}

/** A gate that lets every call through, and records outputs and audits. */
function createOpenGate(kept: string[], audited: AuditRecord[]): EngineWorld["gate"] {
  return {
    checkSubjects: () => Promise.resolve(undefined),
    permit: () => Promise.resolve({ allowed: true }),
    remember: () => undefined,
    canStore: () => true,
    screen: (_tool, text) => Promise.resolve(text),
    keepOutput: (callId, text) => {
      kept.push(text);
      return Promise.resolve(`/kept/${callId}.txt`);
    },
    audit: (record) => {
      audited.push(record);
      return Promise.resolve();
    },
  };
}

/** Creates a world around a model; `changes` override its defaults. */
export function createTestWorld(model: Model, changes: Partial<EngineWorld> = {}): TestWorld {
  const news: ChapoNews[] = [];
  const saved: Conversation[] = [];
  const audited: AuditRecord[] = [];
  const kept: string[] = [];
  const remembered: string[] = [];
  const ran: string[] = [];
  const tools = createFakeTools(ran);
  return {
    random: { hex: (bytes) => "80".repeat(bytes) },
    settings: USUAL_SETTINGS,
    model,
    who: "looper",
    spent: { sent: 0, requests: 0, tokens: 0, costUsd: 0, calls: {} },
    inboxes: [],
    takeMessages: () => [],
    system: "You are Chapo.",
    prompts: {
      "looper.validation": "Validate.",
      "looper.summary": "Sum up.",
      "looper.compaction": "Compact.",
    },
    tools: () => tools,
    offer: (offered) =>
      offered.map(({ name, description, parameters }) => ({ name, description, parameters })),
    canonical: (name, args) => ({ name: name.replace(".", "_"), args }),
    agents: listRouted(createTypes()),
    gate: createOpenGate(kept, audited),
    mayWait: true,
    emit: (one) => {
      news.push(one);
    },
    save: (conversation) => {
      saved.push(structuredClone(conversation));
      return Promise.resolve();
    },
    load: (id) => Promise.resolve(saved.findLast((one) => one.id === id)),
    remember: (summary) => {
      remembered.push(summary);
      return Promise.resolve();
    },
    signal: new AbortController().signal,
    ...changes,
    clock: createHastyClock(),
    news,
    saved,
    audited,
    kept,
    remembered,
    ran,
  };
}

/** Creates a conversation without messages. */
export function createTestConversation(): Conversation {
  return createConversation({ id: "s1", agent: "looper", created: "2026-01-01T00:00:00.000Z" });
}

/** Returns all texts of a request, including the system prompt; "" without a request. */
export function getSentText(request: ModelRequest | undefined): string {
  if (request === undefined) return "";
  const { system, messages } = request;
  const texts = messages.flatMap((message) => {
    switch (message.role) {
      case "user":
        return [message.text];
      case "assistant":
        return [message.text, ...message.calls.map((call) => JSON.stringify(call))];
      case "tool":
        return message.results.map(({ output }) => output);
      default:
        return never(message);
    }
  });
  return [system, ...texts].join("\n");
}

/** Returns the data of all events of one type, in order. */
export function getNews<T extends ChapoNews["type"]>({ news }: TestWorld, type: T): DataOf[T][] {
  // The compiler cannot relate the data to a type that is itself a parameter.
  return news.filter((one) => one.type === type).map(({ data }) => data as DataOf[T]);
}

type DataOf = { [News in ChapoNews as News["type"]]: News["data"] };
