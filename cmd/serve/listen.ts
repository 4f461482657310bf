// The server's sockets.
import { once } from "node:events";
import type { Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createAdaptorServer } from "@hono/node-server";
import { environmentError, errorCode, errorMessage, usageError } from "../../src/system/errors.js";
import type { makeApp } from "./app.js";

export const PORT = 4747;
/** How many ports after the usual one are tried. */
const MORE_PORTS = 20;

/** Heads of at most 16 kB, and half a minute to send one. */
const BOUNDS = { maxHeaderSize: 16_384, requestTimeout: 120_000, headersTimeout: 30_000 };
/** Far above the streams and calls that are answered; further ones are closed at once. */
const MOST_CONNECTIONS = 1_000;

/** A server that answers by the app; with a certificate one of TLS. */
export function makeServer(
  { fetch }: ReturnType<typeof makeApp>,
  tls: { cert: Buffer; key: Buffer } | undefined,
): Server {
  const secure = tls && { createServer: createSecureServer, serverOptions: { ...BOUNDS, ...tls } };
  const shared = { fetch, overrideGlobalObjects: false };
  const server = createAdaptorServer({ ...shared, ...(secure ?? { serverOptions: BOUNDS }) }) as Server;
  server.maxConnections = MOST_CONNECTIONS;
  return server;
}

/** Listens, and returns the port: the one that was asked for, or the first free one from the usual one on. */
export async function listen(server: Server, host: string, asked: string | undefined): Promise<number> {
  if (asked !== undefined && !(/^\d{1,5}$/.test(asked) && Number(asked) < 65_536))
    throw usageError(`--port ${asked}: expected a number up to 65535`, "looper serve --port 4747");
  const first = asked === undefined ? PORT : Number(asked);
  const last = asked === undefined ? PORT + MORE_PORTS : first;
  for (let port = first; ; port++) {
    try {
      server.listen(port, host);
      await once(server, "listening");
      const address = server.address();
      return typeof address === "object" && address !== null ? address.port : port;
    } catch (error) {
      if (errorCode(error) === "EADDRINUSE" && port < last) continue;
      throw environmentError(
        `cannot listen on ${host}:${port}: ${errorMessage(error)}`,
        asked === undefined ? "name a free port: --port" : "leave --port out, and the next free one is taken",
      );
    }
  }
}
