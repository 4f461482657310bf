// The server's app, made from the table of routes: who may ask, what a request may hold, and what a client is
// told.
import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { compress } from "hono/compress";
import type { z } from "zod";
import { errorMessage } from "../../src/system/errors.js";
import { nearest } from "../../src/system/text/nearest.js";
import { redactorFor } from "../../src/system/text/secrets/redactor.js";
import { redactValue } from "../../src/system/text/secrets/redact.js";
import { ApiError, describeFailure, inDocuments, misshapen } from "./api-error.js";
import { judgeHead } from "./guards.js";
import { Rate, ROLES, type SignedIn } from "./keys.js";
import { isAgentOfRun, isOfThisMachine } from "./peer.js";
import { BASE, type Access, type ApiRoute, type Site } from "./route.js";
import { openApi, ROUTES } from "./routes.js";
import { Stream } from "./streams.js";
import { mustBeSigned } from "./webhook.js";

const MOST_BODY = 1 << 20;
/** Of a body that comes before anybody has signed in. */
const MOST_SIGN_IN = 4 << 10;
const MOST_STREAMS = 256;
const MOST_AT_ONCE = 64;
const MOST_CHANGES = 120;

/** Keys of answers that hold ids and digests, which redaction would spoil. */
const KEPT_KEYS: ReadonlySet<string> = new Set(["run", "id", "shown_sha256", "sha256"]);

const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types looper",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

/** `seen`: what the access log tells of a request. */
type Env = { Bindings: HttpBindings; Variables: { seen: Partial<Pick<Access, "session" | "error">> } };

export function makeApp(site: Site): Hono<Env> {
  const app = new Hono<Env>();
  // Hono's own handler would print the error, with a path that the client chose.
  app.onError((error) => {
    throw error;
  });
  // The page's files alone: a compressed answer would have a weaker tag, and tell more by its length.
  app.use(compress({ contentTypeFilter: /^text\/(?:html|css|javascript);/ }));
  const load = { calls: 0, streams: 0, rate: new Rate(site.context.ports.clock) };
  app.use(async (c, next) => {
    const { clock, random } = site.context.ports;
    const began = clock.monotonic();
    const seen: Env["Variables"]["seen"] = {};
    c.set("seen", seen);
    try {
      const refused = judgeHead(c.env.incoming.headersDistinct, site.names());
      if (refused !== undefined) throw refused;
      await next();
      if (c.error !== undefined) throw c.error;
    } catch (error) {
      const id = random.hex(8);
      const { status, body } = describeFailure(error, id);
      const text = error instanceof Error ? (error.stack ?? error.message) : errorMessage(error);
      if (status === 500) seen.error = { id, text };
      const told = c.req.path.startsWith(`${BASE}/`) ? body : inDocuments(body);
      c.res = Response.json(await redacted(site, told), { status });
    }
    const { headers } = c.res;
    for (const [name, value] of Object.entries(SAFE_HEADERS))
      if (!(name === "cache-control" && headers.has(name))) headers.set(name, value);
    const ms = Math.round(clock.monotonic() - began);
    const { method, path } = c.req;
    site.log({ session: "-", ...seen, method, path, status: c.res.status, ms });
  });
  const { version } = site.context;
  app.get(`${BASE}/health`, (c) => c.json({ ok: true, version }));
  app.get(`${BASE}/openapi.json`, (c) => c.json(openApi(version)));
  app.post(`${BASE}/session`, async (c) => {
    const body = toJson(await readBytes(c, MOST_SIGN_IN));
    const { key, name } = (body ?? {}) as { key?: unknown; name?: unknown };
    if (typeof key !== "string") throw misshapen({ at: "key", message: "expected the key of a link" });
    const label = typeof name === "string" && /^[\w .@-]{1,40}$/.test(name) ? name : undefined;
    const { key: own, session } = await site.keys.signIn(key, label);
    return c.json({ session: own, role: session.role, until: new Date(session.until).toISOString() }, 201);
  });
  for (const one of ROUTES)
    app.on(one.method, one.base + one.path.replaceAll(/\{(\w+)\}/g, ":$1"), (c) =>
      answer(c, one, site, load),
    );
  app.all("*", (c) => {
    const { method, path } = c.req;
    const found = method === "GET" && !/^\/api(?:\/|$)/.test(path) ? site.page(path) : undefined;
    if (found !== undefined) return found;
    throw missing(c);
  });
  return app;
}

/** Every error goes through the first handler. */
function missing(c: Context): ApiError {
  const { method, path } = c.req;
  const others = ROUTES.filter((one) => isAt(one.base + one.path, path)).map((one) => one.method);
  if (others.length > 0)
    return new ApiError(405, "method", `${method} is not answered here`, { allow: others });
  const near = nearest(
    path,
    ROUTES.map((one) => one.base + one.path),
  );
  return new ApiError(404, "no-route", `nothing is at ${path}`, near === undefined ? {} : { near });
}

/** Whether a path fits a route's, part by part. */
function isAt(pattern: string, path: string): boolean {
  const [wanted, parts] = [pattern.split("/"), path.split("/")];
  return (
    wanted.length === parts.length &&
    wanted.every((part, n) => (part.startsWith("{") ? parts[n] !== "" : part === parts[n]))
  );
}

/** Of a route that needs no key. */
const ANYONE: SignedIn = { digest: "", name: "-", role: "read", until: 0 };

interface Load {
  calls: number;
  streams: number;
  /** Of changes, by sessions and by routes that have a limit of their own. */
  rate: Rate;
}

async function answer(c: Context<Env>, one: ApiRoute, site: Site, load: Load): Promise<Response> {
  const isOpen = one.role === "anyone" || one.role === "signed";
  const session = isOpen ? ANYONE : await site.keys.check(c.req.header("authorization"));
  c.get("seen").session = session.name;
  mustMay(session, one, site.readOnly);
  if (one.method !== "GET") await mustNotBeAgent(c, site);
  // Of signed requests only those with a right signature count: a wrong one shuts no other out.
  if (one.role !== "signed") countChange(load.rate, session, one);
  const isStream = one.answer === undefined;
  if (isStream ? load.streams >= MOST_STREAMS : load.calls >= MOST_AT_ONCE)
    throw new ApiError(503, "busy", "too many requests at once", { retry_after: 1 });
  const kind = isStream ? "streams" : "calls";
  load[kind]++;
  let isOver = false;
  const over = (): void => {
    if (!isOver) load[kind]--;
    isOver = true;
  };
  const signal = AbortSignal.any([c.req.raw.signal, site.closing, site.keys.signedOut(session)]);
  try {
    const [query, body] = [queryOf(c, one), await bodyOf(c, one, site)];
    if (one.role === "signed") countChange(load.rate, session, one);
    const params: Record<string, string> = c.req.param();
    const context = { ...site.context, person: { by: session.name, via: "web" as const } };
    const header = (name: string): string | undefined => c.req.header(name);
    const headers = new Headers();
    const said = await one.handle({ site, context, session, params, query, body, header, headers, signal });
    if (said instanceof Stream && c.req.raw.method !== "HEAD") {
      // Of a client that has gone before its first piece, too.
      if (signal.aborted) over();
      signal.addEventListener("abort", over);
      return said.respond(await redactorFor(site.context.ports, site.context.env), over);
    }
    over();
    if (said instanceof Response) return said;
    return Response.json(await redacted(site, said), { status: one.status, headers });
  } catch (error) {
    over();
    throw error;
  }
}

/** Every answer passes the redactor once more, with today's environment. */
async function redacted(site: Site, value: unknown): Promise<unknown> {
  const { ports, env } = site.context;
  const json: unknown = JSON.parse(JSON.stringify(value ?? null));
  return redactValue(await redactorFor(ports, env), json, KEPT_KEYS);
}

function mustMay(session: SignedIn, one: ApiRoute, readOnly: boolean): void {
  const has = readOnly ? "read" : session.role;
  if (readOnly && one.role === "signed") throw new ApiError(403, "read-only", "nothing is changed here");
  const ranks: readonly string[] = ROLES;
  if (ranks.indexOf(has) >= ranks.indexOf(one.role)) return;
  const code = has === "read" ? "read-only" : "role";
  throw new ApiError(403, code, `this needs the role ${one.role}; yours is ${has}`);
}

function countChange(rate: Rate, { digest }: SignedIn, { method, path, perMinute }: ApiRoute): void {
  if (method === "GET") return;
  const own = [`${digest} ${path}`, perMinute ?? MOST_CHANGES] as const;
  for (const [of, most] of [[digest, MOST_CHANGES] as const, own])
    if (!rate.take(of, most))
      throw new ApiError(429, "rate", `at most ${most} of these a minute`, { retry_after: 10 });
}

async function mustNotBeAgent(c: Context<Env>, site: Site): Promise<void> {
  const { remotePort: theirs, localPort: ours, remoteAddress = "", localAddress } = c.env.incoming.socket;
  if (theirs === undefined || ours === undefined)
    throw new ApiError(403, "inside-a-run", "the client has gone before it was known");
  if (!isOfThisMachine(remoteAddress, localAddress)) return;
  if (await isAgentOfRun(site.context.ports, await site.project(), { theirs, ours }))
    throw new ApiError(403, "inside-a-run", "an agent of a run may not change anything here");
}

/** Bytes beyond the limit are not read. */
async function readBytes(c: Context, most = MOST_BODY): Promise<Uint8Array> {
  const tooLarge = new ApiError(413, "size", `a body is at most ${most} bytes`);
  if (Number(c.req.header("content-length") ?? 0) > most) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > most) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The value of the body; `undefined` without one. */
function toJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return JSON.parse(text, text.includes(String.raw`\u0000`) ? withoutNull : undefined) as unknown;
  } catch (error) {
    throw misshapen({ message: `the body cannot be read as JSON: ${errorMessage(error)}` });
  }
}

function withoutNull(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || !value.includes("\0")) return value;
  throw new Error("a text has the character U+0000, which no file name and no command can hold");
}

async function bodyOf(c: Context, one: ApiRoute, site: Site): Promise<unknown> {
  const bytes = await readBytes(c);
  if (one.role === "signed") {
    const [timestamp, signature] = [c.req.header("x-looper-timestamp"), c.req.header("x-looper-signature")];
    await mustBeSigned(site, { timestamp, signature, bytes });
  }
  const body = toJson(bytes);
  if (one.body !== undefined) return parsed(one.body, body);
  if (body !== undefined) throw misshapen({ message: "this takes no body" });
  return undefined;
}

function queryOf(c: Context, one: ApiRoute): unknown {
  const asked = Object.entries(c.req.queries());
  for (const [name, { length }] of asked)
    if (length > 1) throw misshapen({ at: name, message: "given twice" });
  return parsed(one.query, Object.fromEntries(asked.map(([name, [value]]) => [name, value])));
}

type Issue = z.core.$ZodIssue;

/** Where an issue is; of the shapes of a union that one counts which fits furthest. */
function detailsOf(issue: Issue, before: Issue["path"] = []): { at: string; message: string }[] {
  const place = [...before, ...issue.path];
  const branches = issue.code === "invalid_union" ? issue.errors.filter((one) => one.length > 0) : [];
  const depthOf = ([first]: readonly Issue[]): number => first?.path.length ?? 0;
  const [closest] = branches.toSorted((a, b) => depthOf(b) - depthOf(a));
  if (closest === undefined) return [{ at: place.map(String).join("."), message: issue.message }];
  return closest.flatMap((one) => detailsOf(one, place));
}

function parsed(shape: z.ZodType, value: unknown): unknown {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  throw misshapen(...read.error.issues.flatMap((issue) => detailsOf(issue)));
}
