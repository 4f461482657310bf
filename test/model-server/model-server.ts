// A scripted model on 127.0.0.1 that speaks the providers' protocols: for clients of all kinds, without a key or a network.
// Leaves what is said to scenario.ts, how a protocol says it to its own file, how it arrives to deliver.ts.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { anthropic } from "./anthropic.js";
import { chat } from "./chat.js";
import { ChapoPlayer, type ChapoPlay } from "./chapo-play.js";
import { deliver, deliverError, deliverFault, type Reply } from "./deliver.js";
import type { Answer, Asked, Dialect, DialectName, Move } from "./dialect.js";
import { gemini } from "./gemini.js";
import { responses } from "./responses.js";
import type { Fault, Scenario, Usage } from "./scenario.js";
import { START, takeStep } from "./script.js";
import { moveFor, textOf } from "./tools.js";

/** A request, as it is remembered. */
export interface Seen {
  method: string;
  path: string;
  dialect?: DialectName;
  model?: string;
  stream?: boolean;
  /** Names of the tools it offered. */
  tools: readonly string[];
  /** The end of its last message or tool result. */
  last: string;
  /** The step or the fault it was answered with; `side`, `end of script`, `not for models`, `not understood: …`. */
  answered: string;
  /** Of a script of Chapo's: on whose behalf it was asked, and all that was sent. */
  who?: string;
  body?: unknown;
}

const ROUTES: readonly (readonly [RegExp, Dialect])[] = [
  [/\/v1\/messages$/, anthropic],
  [/\/responses$/, responses],
  [/\/chat\/completions$/, chat],
  [/\/models\/[^/:]+:(streamG|g)enerateContent$/, gemini],
];

const KEPT_REQUESTS = 500;
const KEPT_TEXT = 2000;
const LARGEST_BODY = 32 * 1024 * 1024;
const USAGE: Usage = { input: 100, cached: 0, output: 20, reasoning: 0 };

export class ModelServer {
  /** The last requests, oldest first; how many there were at all is `count`. */
  readonly seen: Seen[] = [];
  count = 0;
  readonly #server: Server;
  readonly #waiting = new Set<(seen: Seen) => void>();
  #scenario: Scenario;
  #place = START;
  #answers = 0;
  #chapo: ChapoPlayer | undefined;
  #faults: Fault[] = [];

  private constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#server = createServer((request, response) => {
      void this.#take(request, response);
    });
  }

  /** Listens on a free port until it is closed. */
  static async start(scenario: Scenario): Promise<ModelServer> {
    const server = new ModelServer(scenario);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  /** `http://127.0.0.1:PORT`, without a path. */
  get origin(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** From now on this one, from its beginning. */
  play(scenario: Scenario): void {
    this.#scenario = scenario;
    this.#place = START;
  }

  /** From now on a script of Chapo's, from its beginning; requests are kept whole. */
  playChapo(play: ChapoPlay): void {
    this.#chapo = new ChapoPlayer(play);
    this.seen.length = 0;
  }

  /** The next requests fail so, one each, whatever is played. */
  failNext(...faults: readonly Fault[]): void {
    this.#faults.push(...faults);
  }

  /** The next request that fits, once its answer has begun. */
  next(fits: (seen: Seen) => boolean): Promise<Seen> {
    return new Promise((resolve) => {
      const look = (seen: Seen) => {
        if (!fits(seen)) return;
        this.#waiting.delete(look);
        resolve(seen);
      };
      this.#waiting.add(look);
    });
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      this.#server.closeAllConnections();
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that goes away in the middle is its own affair.
    response.on("error", () => undefined);
    const body = await bodyOf(request);
    const [path = ""] = (request.url ?? "").split("?");
    const seen = { method: request.method ?? "", path, tools: [], last: "" };
    const dialect = ROUTES.find(([route]) => request.method === "POST" && route.test(path))?.[1];
    if (dialect === undefined) {
      this.#remember({ ...seen, answered: "not for models" });
      deliverError(response, {
        status: 404,
        headers: {},
        body: { error: { message: `nothing at ${path}` } },
      });
      return;
    }
    try {
      const json: unknown = JSON.parse(body);
      const asked = dialect.read(path, json);
      const answered = this.#answer(dialect, asked, response);
      const whole = this.#chapo === undefined ? {} : { body: json };
      this.#remember({ ...seen, ...told(dialect, asked), ...answered, ...whole });
    } catch (error) {
      const why = whyNot(error);
      this.#remember({ ...seen, dialect: dialect.name, answered: `not understood: ${why}` });
      deliverError(response, { status: 400, headers: {}, body: { error: { message: why } } });
    }
  }

  /** Returns what it was answered with. */
  #answer(dialect: Dialect, asked: Asked, response: ServerResponse): Pick<Seen, "answered" | "who"> {
    const give = (answer: Pick<Answer, "moves"> & Partial<Answer>): Reply => ({
      response,
      dialect,
      stream: asked.stream,
      answer: {
        number: this.#answers++,
        model: asked.model,
        usage: this.#scenario.usage ?? USAGE,
        ...answer,
      },
    });
    const reply = (move: Move): Reply => give({ moves: [move] });
    const fault = this.#faults.shift();
    if (fault !== undefined) {
      deliverFault(reply({ say: textOf(fault) }), fault);
      return { answered: nameOf(fault) };
    }
    if (this.#chapo !== undefined) return answerChapo(this.#chapo.next(asked), give);
    if (asked.tools.length === 0) {
      deliver(reply({ say: this.#scenario.side ?? "A task of the backlog" }));
      return { answered: "side" };
    }
    const { step, place } = takeStep(this.#scenario, this.#place, asked.fresh);
    if (step?.do === "fail") {
      this.#place = place;
      deliverFault(reply({ say: textOf(step.how) }), step.how);
      return { answered: nameOf(step.how) };
    }
    const move: Move =
      step === undefined ? { say: "There is nothing left to do." } : moveFor(step, asked.tools);
    this.#place = place;
    deliver(reply(move));
    return { answered: step?.do ?? "end of script" };
  }

  #remember(seen: Seen): void {
    this.count += 1;
    this.seen.push(seen);
    if (this.seen.length > KEPT_REQUESTS) this.seen.shift();
    for (const look of [...this.#waiting]) look(seen);
  }
}

function nameOf(fault: Fault): string {
  return "how" in fault ? fault.how : "problem" in fault ? fault.problem : fault.fault;
}

function answerChapo(
  played: ReturnType<ChapoPlayer["next"]>,
  give: (answer: Pick<Answer, "moves"> & Partial<Answer>) => Reply,
): Pick<Seen, "answered" | "who"> {
  const { who } = played;
  if ("fault" in played) {
    deliverFault(give({ moves: [{ say: textOf(played.fault) }] }), played.fault);
    return { answered: nameOf(played.fault), who };
  }
  const { usage, ...answer } = played.answer;
  const used = usage === undefined ? {} : { usage: { ...USAGE, cached: 0, ...usage } };
  deliver(give({ ...answer, ...used }));
  return { answered: "chapo", who };
}

function whyNot(error: unknown): string {
  const text = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
  return text.replaceAll(/\s+/g, " ").slice(0, 500);
}

function told(dialect: Dialect, { model, stream, tools, last }: Asked) {
  const names = tools.map(({ name }) => name);
  return { dialect: dialect.name, model, stream, tools: names, last: last.slice(-KEPT_TEXT) };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      const bytes = chunk as Buffer;
      size += bytes.length;
      if (size <= LARGEST_BODY) chunks.push(bytes);
    }
  } catch {
    return ""; // it went away
  }
  return Buffer.concat(chunks).toString("utf8");
}
