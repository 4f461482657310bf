// Judges the head of a request before anything else is read: where it came from, and what form it has. Pure.

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

/** The names under which the server is reached: `127.0.0.1:4747`, and their origins. */
export interface ServerNames {
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
}

export interface Refused {
  status: 403 | 415 | 421;
  code: string;
  message: string;
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

export interface Place {
  /** An address other than loopback that it listens on. */
  host: string | undefined;
  secure: boolean;
  publicUrl: string | undefined;
}

/** The refusal of a request from elsewhere, or in another form than JSON; `undefined`: it may be read. */
export function judgeHead(head: RequestHead, names: ServerNames): Refused | undefined {
  const [host = "", ...others] = head.hosts;
  if (others.length > 0 || !names.hosts.has(host.toLowerCase()))
    return { status: 421, code: "host", message: "this server is not known by that name" };
  if (head.origin !== undefined && !names.origins.has(head.origin))
    return { status: 403, code: "origin", message: "requests of other origins are refused" };
  if (head.site !== undefined && head.site !== "same-origin" && head.site !== "none")
    return { status: 403, code: "origin", message: "requests of other sites are refused" };
  if (head.encoding !== undefined && head.encoding !== "identity")
    return { status: 415, code: "type", message: "compressed bodies are not read" };
  if (head.hasBody && !/^application\/json(?: *; *charset="?utf-8"?)?$/i.test(head.type ?? ""))
    return { status: 415, code: "type", message: "a body must be application/json in UTF-8" };
  return undefined;
}
