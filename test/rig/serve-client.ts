// A server that was started, and a client that is signed in.
import { expect } from "vitest";
import { WebSocket } from "ws";
import { isRecord } from "../../src/system/text/json.js";
import type { Program } from "./program.js";
import type { Rig } from "./rig.js";

export interface Said {
  status: number;
  body: unknown;
}

/** An event of a stream. */
export interface StreamLine {
  seq: number;
  type: string;
  data: Record<string, unknown>;
}

/** A value inside an answer. */
export function at({ body }: Said, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isRecord(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined),
    body,
  );
}

export class ServeClient {
  constructor(
    readonly base: string,
    readonly key: string,
    readonly program: Program,
  ) {}

  async ask(method: string, path: string, body?: unknown): Promise<Said> {
    const response = await this.fetch(method, path, body);
    const text = await response.text();
    const read: unknown = text === "" ? undefined : JSON.parse(text);
    return { status: response.status, body: read };
  }

  fetch(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(this.base + path, {
      method,
      headers: {
        ...(this.key === "" ? {} : { authorization: `Bearer ${this.key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** The events of a stream to its end, or until one fits. */
  async lines(
    method: string,
    path: string,
    body?: unknown,
    until: (line: StreamLine) => boolean = () => false,
  ): Promise<StreamLine[]> {
    const response = await this.fetch(method, path, body);
    if (response.status !== 200) throw new Error(await response.text());
    expect(response.headers.get("content-type")).toContain("application/x-ndjson");
    const seen: StreamLine[] = [];
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = JSON.parse(line) as StreamLine;
        seen.push(event);
        if (until(event)) return seen;
      }
    }
    return seen;
  }

  /** The same server with another person's key. */
  as(key: string): ServeClient {
    return new ServeClient(this.base, key, this.program);
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    this.program.signal(signal);
    await this.program.ended;
  }
}

/** Starts a server at any port: its address, the key of its link, and its program. */
export async function startUnsigned(
  rig: Rig,
  words: readonly string[] = [],
): Promise<{ base: string; key: string; program: Program }> {
  const program = rig.start(["serve", "--port", "0", ...words]);
  const [, base = "", key = ""] = await program.says(/(http:\/\/127\.0\.0\.1:\d+)\/#key=(\S+)/);
  return { base, key, program };
}

/** Starts a server at any port, and signs in. */
export async function startServer(rig: Rig, words: readonly string[] = []): Promise<ServeClient> {
  const { base, key, program } = await startUnsigned(rig, words);
  return new ServeClient(base, await signIn(base, key), program);
}

export async function signIn(base: string, key: string, name?: string): Promise<string> {
  const client = new ServeClient(base, "", undefined as unknown as Program);
  const said = await client.ask("POST", "/api/v1/session", {
    key,
    ...(name === undefined ? {} : { name }),
  });
  expect(said.status).toBe(201);
  return String(at(said, "session"));
}

export type Sent = Record<string, unknown> & { type: string };

/** A client of the WebSocket; `code`: of its close, or the status where it was refused. */
export function connect(
  client: ServeClient,
  { key = client.key, query = "", headers = {} }: { key?: string; query?: string; headers?: object } = {},
) {
  const address = `${client.base.replace("http", "ws")}/api/ws/chat${query}`;
  const socket = new WebSocket(address, [`bearer.${key}`], { headers: { ...headers } });
  const seen: Sent[] = [];
  let wake = (): void => undefined;
  socket.on("message", (data: Buffer) => {
    seen.push(JSON.parse(data.toString()) as Sent);
    wake();
  });
  const code = new Promise<number>((resolve) => {
    socket.on("close", resolve);
    socket.on("unexpected-response", (_request, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on("error", () => undefined);
  });
  /** Everything up to the first message that fits, from the last one that was waited for. */
  const until = async (fits: (one: Sent) => boolean): Promise<Sent[]> => {
    for (;;) {
      const at = seen.findIndex(fits);
      if (at !== -1) return seen.splice(0, at + 1);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const open = new Promise<void>((resolve) => socket.once("open", resolve));
  const send = async (message: object | string): Promise<void> => {
    await open;
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
  };
  return { socket, code, until, send };
}
