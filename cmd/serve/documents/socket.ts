// The WebSocket of the documents, `/api/ws/chat`: each message of a client is a request to the endpoints,
// with the key, the role and the limits of one, and their events come back by it. It holds nothing itself.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { z } from "zod";
import { splitLines } from "../../../src/agents/process/lines.js";
import { given } from "../../../src/system/given.js";
import { never } from "../../../src/system/never.js";
import { tryParseJson } from "../../../src/system/text/json.js";
import type { makeApp } from "../app.js";
import { judgeHead } from "../guards.js";
import type { Site } from "../route.js";

const PATH = "/api/ws/chat";
const MOST_MESSAGE = 1 << 20;
const MOST_SOCKETS = 256;
const KEY = /^bearer\.([\w-]{20,200})$/;
/** The codes of a close: against the rules, not a message, too many. */
const CODES = { refused: 1008, malformed: 1007, busy: 1013 };

/** The endpoints check the rest: it is passed on to them. */
const FromClient = z.looseObject({
  type: z.enum(["ping", "hello", "request", "approval", "question", "subscribe"]),
  requestId: z.string().max(200).optional(),
  sessionId: z.string().optional(),
  sinceSeq: z.int().min(0).optional(),
  taskId: z.string().optional(),
  approvalId: z.string().optional(),
  approved: z.boolean().optional(),
  comment: z.string().optional(),
  answer: z.string().optional(),
});
type FromClient = z.infer<typeof FromClient>;

const State = z.looseObject({ status: z.string(), lastSeq: z.int() });
const Pending = z.object({ actions: z.array(z.looseObject({ sessionId: z.string() })) });

export type SocketSite = Pick<Site, "names" | "closing"> & { app: ReturnType<typeof makeApp> };

const server = new WebSocketServer({
  noServer: true,
  maxPayload: MOST_MESSAGE,
  perMessageDeflate: false,
  // A browser takes only a protocol that it named; the key is not repeated where it named another.
  handleProtocols: (named) => [...named].find((one) => !KEY.test(one)) ?? [...named][0] ?? false,
});

/** Answers a request to upgrade; one from elsewhere is refused as every other. */
export function upgrade(site: SocketSite, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { headersDistinct, headers, url = "" } = request;
  const refused = judgeHead(headersDistinct, site.names());
  const status = refused?.status ?? (url.split("?")[0] === PATH ? undefined : 404);
  if (status !== undefined) {
    socket.end(`HTTP/1.1 ${String(status)} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    return;
  }
  server.handleUpgrade(request, socket, head, (client) => {
    const named = (headers["sec-websocket-protocol"] ?? "")
      .split(",")
      .map((one) => KEY.exec(one.trim())?.[1]);
    const key = named.find((one) => one !== undefined) ?? "";
    new Talk(site, request, { client, key }).begin().catch(() => {
      client.terminate();
    });
  });
}

/** The refusal of an endpoint. */
class Refused extends Error {
  constructor(readonly body: object) {
    super("refused");
  }
}

/** One socket and its client. */
class Talk {
  readonly #gone = new AbortController();

  constructor(
    private readonly site: SocketSite,
    private readonly request: IncomingMessage,
    private readonly peer: { client: WebSocket; key: string },
  ) {}

  async begin(): Promise<void> {
    const { client } = this.peer;
    const end = (): void => {
      this.#gone.abort();
    };
    const close = (): void => {
      client.terminate();
    };
    this.site.closing.addEventListener("abort", close, { signal: this.#gone.signal });
    client.on("close", end);
    // A frame that breaks the protocol: the library closes this socket.
    client.on("error", end);
    if (server.clients.size > MOST_SOCKETS)
      return this.#refuse({ error: "too many connections" }, CODES.busy);
    const asked = new URL(this.request.url ?? "", "http://localhost").searchParams.get("sessionId");
    // Messages that come before the key was checked wait for it.
    const known = this.#ask("GET", "/api/sessions");
    client.on("message", (data) => {
      known.then(
        () => this.#take(Buffer.from(data as Buffer)),
        () => undefined,
      );
    });
    try {
      await known;
    } catch (error) {
      return this.#refuse(bodyOf(error), CODES.refused);
    }
    if (asked !== null) await this.#answer({ type: "hello", sessionId: asked });
  }

  async #refuse(body: object, code: number): Promise<void> {
    await this.#send({ type: "error", ...body });
    this.peer.client.close(code);
  }

  async #take(bytes: Buffer): Promise<void> {
    const json = tryParseJson(bytes);
    const read = json.ok ? FromClient.safeParse(json.value) : undefined;
    if (read?.success !== true) return this.#refuse({ error: "Invalid message" }, CODES.malformed);
    return this.#answer(read.data);
  }

  /** Each answer to a message has its `requestId`. */
  async #answer({ requestId, ...message }: FromClient): Promise<void> {
    const tell = (said: object): Promise<void> => this.#send({ ...said, requestId });
    await this.#act(message, tell).catch((error: unknown) => tell({ type: "error", ...bodyOf(error) }));
  }

  async #act(message: FromClient, tell: Tell): Promise<void> {
    const { type, ...body } = message;
    const { sessionId = "", taskId = "", sinceSeq = 0 } = body;
    switch (type) {
      case "ping":
        return tell({ type: "pong" });
      case "hello":
        return this.#hello(sessionId, sinceSeq, tell);
      case "subscribe":
        return this.#subscribe(taskId, tell);
      case "request":
        return this.#stream(tell, "POST", "/api/looper", body);
      case "question":
        return this.#stream(tell, "POST", "/api/looper", { sessionId: body.sessionId, message: body.answer });
      case "approval": {
        const { approvalId: id = "", approved, comment } = body;
        if (approved === undefined) throw new Refused({ error: "approved is missing: true or false" });
        const session = id.split(".")[0] ?? "";
        const before = await this.#state(session).catch(() => ({ lastSeq: 0 }));
        const where = `/api/actions/${encodeURIComponent(id)}/${approved ? "approve" : "reject"}`;
        await this.#ask("POST", where, comment === undefined ? undefined : { comment });
        return this.#follow(session, before.lastSeq, tell);
      }
      default:
        return never(type);
    }
  }

  async #state(session: string) {
    const response = await this.#ask("GET", `/api/looper/status/${encodeURIComponent(session)}`);
    return State.parse(await response.json());
  }

  /** Tells where the session is, then every event after the one that the client saw last. */
  async #hello(sessionId: string, since: number, tell: Tell): Promise<void> {
    const state = await this.#state(sessionId);
    const { actions } = Pending.parse(await (await this.#ask("GET", "/api/actions/pending")).json());
    const pendingActions = actions.filter((one) => one.sessionId === sessionId);
    const waits = state.status === "waiting_for_user" && pendingActions.length === 0;
    await tell({
      ...{ type: "hello_ack", sessionId, currentSeq: state.lastSeq },
      ...{ pendingApprovals: pendingActions, pendingActions },
      pendingQuestions: waits ? [{ sessionId }] : [],
    });
    const messages = await this.#ask("GET", `/api/sessions/${encodeURIComponent(sessionId)}/messages`);
    await tell({ type: "initial_sync", ...state, ...((await messages.json()) as object) });
    return this.#follow(sessionId, since, tell);
  }

  #follow(session: string, after: number, tell: Tell): Promise<void> {
    return this.#stream(tell, "GET", `/api/looper?sessionId=${encodeURIComponent(session)}&after=${after}`);
  }

  /** Tells when an agent begins and ends to work at a task. */
  async #subscribe(taskId: string, tell: Tell): Promise<void> {
    await this.#ask("GET", `/api/tasks/${encodeURIComponent(taskId)}/agent-runs`);
    await tell({ type: "subscribed", taskId });
    let type = "";
    for await (const line of linesOf(await this.#ask("GET", "/api/v1/changes"))) {
      if (line.startsWith("event: ")) type = line.slice("event: ".length);
      if (!line.startsWith("data: ") || !type.startsWith("streaming-")) continue;
      const turn = JSON.parse(line.slice("data: ".length)) as { taskId: string };
      if ([taskId, `T${taskId}`].includes(turn.taskId)) await tell({ type, ...turn });
    }
  }

  /** Tells each line of an answer. */
  async #stream(tell: Tell, ...asked: [method: string, where: string, body?: object]): Promise<void> {
    for await (const line of linesOf(await this.#ask(...asked))) await tell(JSON.parse(line) as object);
  }

  /** The answer of an endpoint; throws what it refused with. */
  async #ask(method: string, where: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.peer.key}`, "content-type": "application/json" };
    const sent = given({ body: body && JSON.stringify(body) });
    const asked = { method, headers, signal: this.#gone.signal, ...sent };
    const response = await this.site.app.request(where, asked, { incoming: this.request });
    if (response.status !== 200) throw new Refused((await response.json()) as object);
    return response;
  }

  /** Resolves once the client's socket has taken it: a slow reader waits for itself alone. */
  #send(message: object): Promise<void> {
    return new Promise((resolve) => {
      this.peer.client.send(JSON.stringify(message), () => {
        resolve();
      });
    });
  }
}

type Tell = (said: object) => Promise<void>;

function bodyOf(error: unknown): object {
  return error instanceof Refused ? error.body : { error: "an internal error" };
}

/** The whole lines of a stream, as they come. */
async function* linesOf({ body }: Response): AsyncGenerator<string, void> {
  const lines = splitLines();
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) yield* lines.push(chunk);
}
