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
import { headOf, judgeHead, type ServerNames } from "../guards.js";

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

export interface SocketSite {
  app: ReturnType<typeof makeApp>;
  names: () => ServerNames;
  closing: AbortSignal;
}

const server = new WebSocketServer({
  noServer: true,
  maxPayload: MOST_MESSAGE,
  perMessageDeflate: false,
  // A browser takes only a protocol that it named; the key is not repeated where it named another.
  handleProtocols: (named) => [...named].find((one) => !KEY.test(one)) ?? [...named][0] ?? false,
});

/** Answers a request to upgrade; one from elsewhere is refused as every other. */
export function upgrade(site: SocketSite, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { headersDistinct, headers, url = "", method = "GET" } = request;
  const refused = judgeHead(
    headOf(method, headersDistinct["host"], (name) => headersDistinct[name]?.[0]),
    site.names(),
  );
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
    let turn = this.#check();
    client.on("message", (data) => {
      turn = turn.then((isKnown) => {
        if (isKnown) void this.#take(Buffer.from(data as Buffer));
        return isKnown;
      });
    });
    if ((await turn) && asked !== null) await this.#hello({ type: "hello", sessionId: asked });
  }

  /** Whether the key is that of a session. */
  async #check(): Promise<boolean> {
    const { status, body } = await this.#ask("GET", "/api/sessions");
    if (status !== 200) await this.#refuse(body, CODES.refused);
    return status === 200;
  }

  async #refuse(body: object, code: number): Promise<void> {
    await this.#send({ type: "error", ...body });
    this.peer.client.close(code);
  }

  async #take(bytes: Buffer): Promise<void> {
    const json = tryParseJson(bytes);
    const read = json.ok ? FromClient.safeParse(json.value) : undefined;
    if (read?.success !== true) return this.#refuse({ error: "Invalid message" }, CODES.malformed);
    await this.#answer(read.data).catch(() => this.#send({ type: "error", error: "an internal error" }));
  }

  async #answer(message: FromClient): Promise<void> {
    const { type, requestId, ...body } = message;
    switch (type) {
      case "ping":
        return this.#send({ type: "pong" });
      case "hello":
        return this.#hello(message);
      case "subscribe":
        return this.#subscribe(message);
      case "request":
        return this.#stream({ requestId }, "POST", "/api/looper", body);
      case "question":
        return this.#stream({ requestId }, "POST", "/api/looper", {
          ...{ sessionId: message.sessionId, message: message.answer },
        });
      case "approval": {
        const { approvalId: id = "", approved, comment } = message;
        if (approved === undefined)
          return this.#send({ type: "error", requestId, error: "approved is missing: true or false" });
        const sessionId = id.split(".")[0] ?? "";
        const { body: before } = await this.#ask(
          "GET",
          `/api/looper/status/${encodeURIComponent(sessionId)}`,
        );
        const where = `/api/actions/${encodeURIComponent(id)}/${approved ? "approve" : "reject"}`;
        const said = await this.#ask("POST", where, comment === undefined ? undefined : { comment });
        if (said.status !== 200) return this.#send({ type: "error", requestId, ...said.body });
        return this.#follow({ requestId }, sessionId, State.parse(before).lastSeq);
      }
      default:
        return never(type);
    }
  }

  /** Tells where the session is, then every event after the one that the client saw last. */
  async #hello({ sessionId = "", sinceSeq = 0, requestId }: FromClient): Promise<void> {
    const id = encodeURIComponent(sessionId);
    const { status, body } = await this.#ask("GET", `/api/looper/status/${id}`);
    if (status !== 200) return this.#send({ type: "error", requestId, ...body });
    const state = State.parse(body);
    const { actions } = Pending.parse((await this.#ask("GET", "/api/actions/pending")).body);
    const pendingActions = actions.filter((one) => one.sessionId === sessionId);
    const waits = state.status === "waiting_for_user" && pendingActions.length === 0;
    await this.#send({
      ...{ type: "hello_ack", requestId, sessionId, currentSeq: state.lastSeq },
      ...{ pendingApprovals: pendingActions, pendingActions },
      pendingQuestions: waits ? [{ sessionId }] : [],
    });
    const { body: messages } = await this.#ask("GET", `/api/sessions/${id}/messages`);
    await this.#send({ type: "initial_sync", ...state, ...messages });
    return this.#follow({ requestId }, sessionId, sinceSeq);
  }

  #follow(how: { requestId: string | undefined }, session: string, after: number): Promise<void> {
    return this.#stream(how, "GET", `/api/looper?sessionId=${encodeURIComponent(session)}&after=${after}`);
  }

  /** Tells when an agent begins and ends to work at a task. */
  async #subscribe({ taskId = "", requestId }: FromClient): Promise<void> {
    const known = await this.#ask("GET", `/api/tasks/${encodeURIComponent(taskId)}/agent-runs`);
    if (known.status !== 200) return this.#send({ type: "error", requestId, ...known.body });
    await this.#send({ type: "subscribed", requestId, taskId });
    let type = "";
    for await (const line of linesOf(await this.#fetch("GET", "/api/v1/changes"))) {
      if (line.startsWith("event: ")) type = line.slice("event: ".length);
      if (!line.startsWith("data: ") || !type.startsWith("streaming-")) continue;
      const turn = JSON.parse(line.slice("data: ".length)) as { taskId: string };
      if ([taskId, `T${taskId}`].includes(turn.taskId)) await this.#send({ type, ...turn });
    }
  }

  /** Sends each line of an answer, with the id of the client's request. */
  async #stream(
    { requestId }: { requestId: string | undefined },
    ...asked: [method: string, where: string, body?: object]
  ): Promise<void> {
    const response = await this.#fetch(...asked);
    if (response.status !== 200) {
      const body = (await response.json()) as object;
      return this.#send({ type: "error", requestId, ...body });
    }
    for await (const line of linesOf(response))
      await this.#send({ ...(JSON.parse(line) as object), requestId });
  }

  async #ask(method: string, where: string, body?: object): Promise<{ status: number; body: object }> {
    const response = await this.#fetch(method, where, body);
    return { status: response.status, body: (await response.json()) as object };
  }

  async #fetch(method: string, where: string, body?: object): Promise<Response> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      ...{ authorization: `Bearer ${this.peer.key}`, "content-type": "application/json" },
      "content-length": String(bytes?.length ?? 0),
    };
    const asked = { method, headers, signal: this.#gone.signal, ...given({ body: bytes }) };
    const request = new Request(new URL(where, "http://localhost"), asked);
    return this.site.app.fetch(request, { incoming: this.request, outgoing: undefined });
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

/** The whole lines of a stream, as they come. */
async function* linesOf({ body }: Response): AsyncGenerator<string, void> {
  const lines = splitLines();
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) yield* lines.push(chunk);
}
