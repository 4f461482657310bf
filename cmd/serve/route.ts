// A row of the table of routes, which makes the router, the OpenAPI document and docs/serve.md.
import { z } from "zod";
import type { Project } from "../../src/config/project/open-project.js";
import type { CommandContext } from "../context/command-context.js";
import type { Changes } from "./changes.js";
import type { ChapoTurns } from "./documents/turns.js";
import type { ServerNames } from "./guards.js";
import type { Keys, Role, SignedIn } from "./keys.js";
import type { LogFollowers } from "./follow.js";

/** A line of the access log. */
export interface Access {
  session: string;
  method: string;
  /** Without its query. */
  path: string;
  status: number;
  ms: number;
  /** Of an unexpected failure. */
  error?: { id: string; text: string };
}

/** The file of the page at a path. */
export type PageFiles = (path: string) => Response | undefined;

/** The parts of a server that all its requests share. */
export interface Site {
  /** Of the server; a request's own context names its person. */
  context: CommandContext;
  /** The project, read anew where its files changed. */
  project: () => Promise<Project>;
  followers: LogFollowers;
  changes: Changes;
  turns: ChapoTurns;
  keys: Keys;
  startOnAnswer: boolean;
  readOnly: boolean;
  names: () => ServerNames;
  /** Aborted when the server ends: streams end with it. */
  closing: AbortSignal;
  log: (line: Access) => void;
  page: PageFiles;
}

/** A request that passed every check. */
export interface ApiCall<Query = unknown, Body = unknown> {
  site: Site;
  context: CommandContext;
  session: SignedIn;
  /** By the names in the route's path. */
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  /** The headers that a route may read: `accept`, `if-match`, `last-event-id`, `range`. */
  header: (name: string) => string | undefined;
  /** Those of the answer. */
  headers: Headers;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** The start of every path but those of the documents, which are whole. */
export const BASE = "/api/v1";
const WHOLE = ["/api/", "/coding/"];

export interface ApiRoute {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/api/v1`; empty for the endpoints of the documents, whose errors are `{error: "text", …}`. */
  base: string;
  /** Below the base; `{id}` is a parameter. */
  path: string;
  /** The least role that may call it; `anyone` needs no key, `signed` a signature instead (webhook.ts). */
  role: Role | "anyone" | "signed";
  /** A sentence for the documents. */
  does: string;
  query: z.ZodObject;
  body: z.ZodType | undefined;
  /** The shape of its answer; `undefined`: no JSON, see `does`. */
  answer: z.ZodType | undefined;
  status: 200 | 201 | 202 | 204;
  /** How often one session may call it; absent: as often as all changes together. */
  perMinute?: number;
  /** The errors beside those that every route has. */
  errors: readonly number[];
  handle: (call: ApiCall) => Promise<unknown>;
}

const NO_QUERY = z.strictObject({});

interface Described<Query extends z.ZodObject, Body extends z.ZodType> extends Partial<
  Pick<ApiRoute, "role" | "answer" | "status" | "errors" | "perMinute">
> {
  does: string;
  query?: Query;
  body?: Body;
  /** Returns the answer, a `Stream`, or a `Response` without secrets. */
  handle: (call: ApiCall<z.infer<Query>, z.infer<Body>>) => Promise<unknown>;
}

/** A row of the table; `GET` needs the role `read`, everything else `admin`, unless it says otherwise. */
export function route<Query extends z.ZodObject = typeof NO_QUERY, Body extends z.ZodType = z.ZodUndefined>(
  method: ApiRoute["method"],
  path: string,
  { role, query, body, answer, status = 200, errors = [], handle, ...rest }: Described<Query, Body>,
): ApiRoute {
  return {
    ...rest,
    ...{ method, path, body, answer, status, errors },
    base: WHOLE.some((start) => path.startsWith(start)) ? "" : BASE,
    role: role ?? (method === "GET" ? "read" : "admin"),
    query: query ?? NO_QUERY,
    // The app has parsed both with these shapes.
    handle: handle as ApiRoute["handle"],
  };
}

/** A text with more than white space. */
export function someText(most: number) {
  return z.string().max(most).regex(/\S/u, "must not be empty");
}

/** A number in a query, which is text. */
export function count(most: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, "expected a whole number")
    .transform(Number)
    .pipe(z.number().max(most));
}
