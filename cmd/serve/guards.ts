// Judges the head of a request before anything else is read: where it came from, and what form it has. Pure.
import { ApiError } from "./api-error.js";

/** The names under which the server is reached: `127.0.0.1:4747`, and their origins. */
export interface ServerNames {
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
}

/** The names of a server at a port of this machine, and of its public address, e.g. `https://example.org`. */
export function namesOf(
  port: number,
  { host, secure, publicUrl }: { host?: string | undefined; secure: boolean; publicUrl?: string | undefined },
): ServerNames {
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

/** The refusal of a request from elsewhere, or in another form than JSON; `undefined`: it may be read. */
export function judgeHead(headers: NodeJS.Dict<string[]>, names: ServerNames): ApiError | undefined {
  const header = (name: string): string | undefined => headers[name]?.join(", ");
  const [host = "", ...others] = headers["host"] ?? [];
  if (others.length > 0 || !names.hosts.has(host.toLowerCase()))
    return new ApiError(421, "host", "this server is not known by that name");
  const origin = header("origin");
  if (origin !== undefined && !names.origins.has(origin))
    return new ApiError(403, "origin", "requests of other origins are refused");
  if (!["same-origin", "none"].includes(header("sec-fetch-site") ?? "none"))
    return new ApiError(403, "origin", "requests of other sites are refused");
  if ((header("content-encoding") ?? "identity") !== "identity")
    return new ApiError(415, "type", "compressed bodies are not read");
  const hasBody = (header("content-length") ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
  if (hasBody && !/^application\/json(?: *; *charset="?utf-8"?)?$/i.test(header("content-type") ?? ""))
    return new ApiError(415, "type", "a body must be application/json in UTF-8");
  return undefined;
}
