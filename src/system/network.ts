// Sends one request to a server: no redirects, no cookies, no proxy, no retry. Leaves what may be requested, and the meaning
// of the answer, to the caller.
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { errorMessage } from "./errors.js";

export interface NetworkRequest {
  /** http or https, absolute. */
  url: URL;
  method: "GET" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Aborted to end it at once. */
  signal: AbortSignal;
  /** Of the answer's body, unpacked; the rest is not read. */
  maxBytes: number;
  /** Asked of every address the name stands for, in text; one that may not is the end of it. */
  mayConnect: (address: string) => boolean;
}

export type NetworkAnswer =
  | {
      status: number;
      /** Names in lower case. */
      headers: ReadonlyMap<string, string>;
      body: Uint8Array;
      /** There was more of it. */
      cut: boolean;
    }
  /** `address`: one it must not connect to; `unknown-host`: the name stands for nothing; `network`: anything else that went wrong. */
  | { failed: "address" | "unknown-host" | "network" | "aborted"; message: string };

/** Contract: `request` never throws and never rejects. */
export interface Network {
  request(request: NetworkRequest): Promise<NetworkAnswer>;
}

/** The real network. `lookUp`: what a name stands for, all of it. */
export function nodeNetwork(lookUp: LookUp = (host) => lookup(host, { all: true })): Network {
  return {
    request: async (request) => {
      try {
        const addresses = await resolve(request, lookUp);
        if ("failed" in addresses) return addresses;
        return await ask(request, addresses);
      } catch (error) {
        if (request.signal.aborted) return { failed: "aborted", message: "ended before an answer came" };
        return { failed: "network", message: `${request.url.host}: ${errorMessage(error)}` };
      }
    },
  };
}

interface Address {
  address: string;
  family: number;
}

type LookUp = (host: string) => Promise<Address[]>;

type Failed = Extract<NetworkAnswer, { failed: string }>;

/** Every address of the host, once all of them may be connected to. */
async function resolve(
  { url, signal, mayConnect }: NetworkRequest,
  lookUp: LookUp,
): Promise<Address[] | Failed> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(host);
  let found: Address[];
  try {
    found = family === 0 ? await until(signal, lookUp(host)) : [{ address: host, family }];
  } catch (error) {
    if (signal.aborted) throw error;
    return { failed: "unknown-host", message: `${host}: ${errorMessage(error)}` };
  }
  const refused = found.find(({ address }) => !mayConnect(address));
  if (refused === undefined) return found;
  const which = refused.address === host ? host : `${host} is ${refused.address}, which`;
  return { failed: "address", message: `${which} must not be connected to` };
}

/** Waits for a promise, or rejects once the signal is aborted: a name lookup cannot be cancelled. */
async function until<T>(signal: AbortSignal, coming: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = once(signal, "abort", { signal: over.signal }).then(() => {
    throw new Error("aborted");
  });
  try {
    return await Promise.race([coming, aborted]);
  } finally {
    over.abort();
  }
}

/** Connects to the addresses that were looked at, not to what the name may stand for a moment later. */
async function ask(request: NetworkRequest, addresses: readonly Address[]): Promise<NetworkAnswer> {
  const { url, method, headers, body, signal, maxBytes } = request;
  const known: LookupFunction = (_host, options, answer) => {
    const [first] = addresses;
    if (options.all === true) answer(null, [...addresses]);
    else answer(null, first?.address ?? "", first?.family);
  };
  const start = url.protocol === "https:" ? https.request : http.request;
  const asked = start(url, {
    method,
    signal,
    lookup: known,
    agent: false,
    headers: { "accept-encoding": "gzip, deflate, br", ...headers },
  });
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    asked.once("response", resolve);
    asked.on("error", reject);
    asked.end(body);
  });
  try {
    const read = await readBody(response, maxBytes);
    return { status: response.statusCode ?? 0, headers: headersOf(response), ...read };
  } finally {
    asked.destroy();
  }
}

async function readBody(
  response: http.IncomingMessage,
  maxBytes: number,
): Promise<{ body: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of unpacked(response)) {
    if (!(chunk instanceof Uint8Array)) continue;
    chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks), cut: size > maxBytes };
}

function unpacked(response: http.IncomingMessage): Readable {
  const unpack = unpackerOf(response.headers["content-encoding"]);
  if (unpack === undefined) return response;
  // An error of either ends both; it comes out where the body is read.
  return pipeline(response, unpack, () => undefined);
}

function unpackerOf(encoding: string | undefined) {
  switch (encoding?.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

function headersOf(response: http.IncomingMessage): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(response.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    ),
  );
}
