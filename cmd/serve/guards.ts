// Judges the head of a request before anything else is read: where it came from, and what form it has. Pure.
import { ApiError } from "./api-error.js";

/** The facts of a request's head; names of headers are in lower case. */
export interface RequestHead {
  method: string;
  /** Every `Host` header. */
  hosts: readonly string[];
  origin: string | undefined;
  /** `Sec-Fetch-Site`. */
  site: string | undefined;
  type: string | undefined;
  encoding: string | undefined;
  /** Whether it announces a body. */
  hasBody: boolean;
}

/** `hosts`: every `Host` header; `header`: one of the others. */
export function headOf(
  method: string,
  hosts: readonly string[] = [],
  header: (name: string) => string | undefined,
): RequestHead {
  const length = header("content-length");
  return {
    ...{ method, hosts, origin: header("origin"), site: header("sec-fetch-site") },
    ...{ type: header("content-type"), encoding: header("content-encoding") },
    hasBody: (length !== undefined && length !== "0") || header("transfer-encoding") !== undefined,
  };
}

/** The names under which the server is reached: `127.0.0.1:4747`, and their origins. */
export interface ServerNames {
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
}

/** The names of a server at a port of this machine, and of its public address, e.g. `https://example.org`. */
export function namesOf(port: number, { host, secure, publicUrl }: Place): ServerNames {
  const local = ["127.0.0.1", "localhost", "[::1]", ...(host === undefined ? [] : [inUrl(host)])];
  const hosts = local.map((name) => `${name}:${port}`);
  const scheme = secure ? "https" : "http";
  const origins = hosts.map((name) => `${scheme}://${name}`);
  const open = publicUrl === undefined ? undefined : new URL(publicUrl);
  return {
    hosts: new Set([...hosts, ...(open === undefined ? [] : [open.host])]),
    origins: new Set([...origins, ...(open === undefined ? [] : [open.origin])]),
  };
}

/** An address as URLs have it. */
export function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host.toLowerCase();
}

interface Place {
  /** An address other than loopback that it listens on. */
  host: string | undefined;
  secure: boolean;
  publicUrl: string | undefined;
}

/** The refusal of a request from elsewhere, or in another form than JSON; `undefined`: it may be read. */
export function judgeHead(head: RequestHead, names: ServerNames): ApiError | undefined {
  const [host = "", ...others] = head.hosts;
  if (others.length > 0 || !names.hosts.has(host.toLowerCase()))
    return new ApiError(421, "host", "this server is not known by that name");
  if (head.origin !== undefined && !names.origins.has(head.origin))
    return new ApiError(403, "origin", "requests of other origins are refused");
  if (head.site !== undefined && head.site !== "same-origin" && head.site !== "none")
    return new ApiError(403, "origin", "requests of other sites are refused");
  if (head.encoding !== undefined && head.encoding !== "identity")
    return new ApiError(415, "type", "compressed bodies are not read");
  if (head.hasBody && !/^application\/json(?: *; *charset="?utf-8"?)?$/i.test(head.type ?? ""))
    return new ApiError(415, "type", "a body must be application/json in UTF-8");
  return undefined;
}
