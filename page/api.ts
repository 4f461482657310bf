// Requests to the server of this page: the key of the session, answers as JSON, streams as lines.

/** The server's refusal, said instead of an answer. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  get hint(): string | undefined {
    const { hint } = this.body;
    return typeof hint === "string" ? hint : undefined;
  }
}

const PLACE = "looper.session";
const listeners = new Set<() => void>();

export function isSignedIn(): boolean {
  return localStorage.getItem(PLACE) !== null;
}

/** Calls back when there is a session, or the server no longer knows it. */
export function onSession(listener: () => void): void {
  listeners.add(listener);
}

function keep(session?: string): void {
  if (session === undefined) localStorage.removeItem(PLACE);
  else localStorage.setItem(PLACE, session);
  for (const listener of listeners) listener();
}

/** Trades the key of a link, which is the address's fragment, for a session; the fragment goes. */
export async function signInByLink(link: string): Promise<void> {
  const key = /#key=([\w-]{8,200})/.exec(link)?.[1];
  if (key === undefined) return;
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  const { session } = await ask<{ session: string }>("POST", "/session", { key });
  keep(session);
}

export async function signOut(): Promise<void> {
  await ask("DELETE", "/session").catch(() => undefined);
  keep();
}

function headers(more: Readonly<Record<string, string>>): Record<string, string> {
  const key = localStorage.getItem(PLACE);
  return { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...more };
}

/** The address of an endpoint; those of the documents begin with /api themselves. */
function place(path: string): string {
  return path.startsWith("/api/") ? path : `/api/v1${path}`;
}

async function refusal(response: Response): Promise<Refused> {
  const body = (await response.json().catch(() => ({}))) as { error?: unknown };
  const { error } = body;
  // A link that was used before says nothing of the session.
  if (response.status === 401 && !response.url.endsWith("/session")) keep();
  if (typeof error === "string") return new Refused(response.status, "", error, body);
  const { code = "", message, ...rest } = (error ?? {}) as { code?: string; message?: string };
  return new Refused(response.status, code, message ?? `the server answered ${response.status}`, rest);
}

export interface Wish {
  signal?: AbortSignal;
  headers?: Readonly<Record<string, string>>;
}

/** Sends a request; throws `Refused`, or what fetch throws when there is no server. */
export async function send(
  method: string,
  path: string,
  body?: unknown,
  { signal, headers: more = {} }: Wish = {},
): Promise<Response> {
  const response = await fetch(place(path), {
    method,
    headers: headers(body === undefined ? more : { "content-type": "application/json", ...more }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw await refusal(response);
  return response;
}

export async function ask<Answer>(
  method: string,
  path: string,
  body?: unknown,
  wish?: Wish,
): Promise<Answer> {
  const response = await send(method, path, body, wish);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

export function get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return ask<Answer>("GET", path, undefined, signal === undefined ? {} : { signal });
}

/** The lines of a stream as they come. */
export async function* linesOf(response: Response): AsyncGenerator<string, void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      if (!value.includes("\n")) {
        rest += value;
        continue;
      }
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

export interface Frame {
  event: string;
  id: string;
  data: unknown;
}

/** The value of a frame. A torn line of a log stays torn, so the stream continues after it. */
function read(data: string): { data: unknown; event?: string } {
  try {
    return { data: JSON.parse(data) as unknown };
  } catch {
    return { event: "broken", data: null };
  }
}

/** The frames of Server-Sent Events. */
async function* framesOf(response: Response): AsyncGenerator<Frame, void> {
  let frame = { event: "message", id: "", data: "" };
  for await (const line of linesOf(response)) {
    if (line === "") {
      if (frame.data !== "") yield { ...frame, ...read(frame.data) };
      frame = { event: "message", id: "", data: "" };
    } else if (line.startsWith("event: ")) frame.event = line.slice(7);
    else if (line.startsWith("id: ")) frame.id = line.slice(4);
    else if (line.startsWith("data: ")) frame.data += line.slice(6);
  }
}

/** Where a stream is: `live`, or since when it is not (epoch ms). */
export type Connection = { kind: "live" } | { kind: "lost"; since: number };

const SILENCE_MS = 25_000;
const MOST_WAIT_MS = 15_000;

interface Following {
  signal: AbortSignal;
  heard: (frame: Frame) => void;
  connection?: (connection: Connection) => void;
}

/**
 * Follows a stream of events until its end or the signal: opened again after the last id when it breaks or falls silent, later
 * and later, and at once when the page is looked at again. A hidden page holds no stream, since a browser has six to a server.
 */
export async function follow(path: string, { signal, heard, connection }: Following): Promise<void> {
  let last = "";
  let wait = 500;
  let since = 0;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    if (document.hidden) await until(document, "visibilitychange", signal);
    if (isOver()) return;
    const attempt = new AbortController();
    const stop = (): void => {
      attempt.abort();
    };
    const onHide = (): void => {
      if (document.hidden) attempt.abort();
    };
    document.addEventListener("visibilitychange", onHide);
    let timer = setTimeout(stop, SILENCE_MS);
    try {
      const response = await send("GET", path, undefined, {
        signal: AbortSignal.any([signal, attempt.signal]),
        headers: last === "" ? {} : { "last-event-id": last },
      });
      connection?.({ kind: "live" });
      since = 0;
      for await (const frame of framesOf(response)) {
        wait = 500;
        clearTimeout(timer);
        timer = setTimeout(stop, SILENCE_MS);
        if (frame.id !== "") last = frame.id;
        heard(frame);
        if (frame.event === "end" || frame.event === "gone") return;
      }
    } catch (error) {
      if (error instanceof Refused && error.status < 500 && error.status !== 429) return;
    } finally {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onHide);
    }
    if (isOver()) return;
    if (document.hidden) continue;
    since = since === 0 ? Date.now() : since;
    connection?.({ kind: "lost", since });
    const over = new AbortController();
    const online = until(window, "online", AbortSignal.any([signal, over.signal]));
    const later = wait * (0.75 + Math.random() / 2);
    await Promise.race([new Promise((resolve) => setTimeout(resolve, later)), online]);
    over.abort();
    wait = Math.min(MOST_WAIT_MS, wait * 2);
  }
}

function until(target: EventTarget, name: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      target.removeEventListener(name, done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    target.addEventListener(name, done);
    signal.addEventListener("abort", done);
  });
}
