import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { nodeNetwork, type NetworkRequest } from "./network.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

/** A server's port on this machine. */
async function serve(listener: RequestListener, host = "127.0.0.1"): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

function ask(url: string, more: Partial<NetworkRequest> = {}) {
  const usual = { method: "GET", headers: {}, maxBytes: 1_000_000, mayConnect: () => true } as const;
  return nodeNetwork().request({
    ...usual,
    signal: new AbortController().signal,
    ...more,
    url: new URL(url),
  });
}
const textOf = (answer: Awaited<ReturnType<typeof ask>>) =>
  "body" in answer ? new TextDecoder().decode(answer.body) : answer.message;

test("asks with its headers and body, and hands back status, headers and body", async () => {
  const port = await serve((request, response) => {
    request.on("data", (chunk: Buffer) => {
      response.writeHead(201, { "X-Seen": request.headers["x-key"], "content-type": "text/plain" });
      response.end(
        `${request.method ?? ""} ${request.url ?? ""} ${request.headers.host ?? ""} ${chunk.toString()}`,
      );
    });
  });
  const answer = await ask(`http://127.0.0.1:${port}/a?b=c#d`, {
    method: "POST",
    headers: { "x-key": "k" },
    body: "körper",
  });
  expect(answer).toMatchObject({ status: 201, cut: false });
  expect(textOf(answer)).toBe(`POST /a?b=c 127.0.0.1:${port} körper`);
  expect("headers" in answer && answer.headers.get("x-seen")).toBe("k");
});

test("an address that may not be connected to is not", async () => {
  let asked = 0;
  const port = await serve((_request, response) => {
    asked++;
    response.end("x");
  });
  const seen: string[] = [];
  const mayConnect = (address: string) => {
    seen.push(address);
    return false;
  };
  expect(await ask(`http://localhost:${port}/`, { mayConnect })).toMatchObject({ failed: "address" });
  expect(await ask(`http://0x7f.1:${port}/`, { mayConnect })).toEqual({
    failed: "address",
    message: "127.0.0.1 must not be connected to",
  });
  expect(await ask(`http://[::1]:${port}/`, { mayConnect })).toMatchObject({ failed: "address" });
  expect(seen.every((address) => ["127.0.0.1", "::1"].includes(address))).toBe(true);
  expect(asked).toBe(0);
  expect(textOf(await ask(`http://localhost:${port}/`))).toBe("x");
});

test("what is connected to is what was looked at: a name is asked for once", async () => {
  const port = await serve((request, response) => response.end(request.headers.host));
  const asked: string[] = [];
  const network = nodeNetwork((host) => {
    asked.push(host);
    return Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
  });
  const answer = await network.request({
    ...{ url: new URL(`http://rebound.invalid:${port}/`), method: "GET", headers: {}, maxBytes: 100 },
    ...{ signal: new AbortController().signal, mayConnect: () => true },
  });
  expect(textOf(answer)).toBe(`rebound.invalid:${port}`);
  expect(asked).toEqual(["rebound.invalid"]);
});

test("a redirect is handed back, not followed", async () => {
  const port = await serve((_request, response) => {
    response.writeHead(302, { location: "http://169.254.169.254/" }).end();
  });
  const answer = await ask(`http://127.0.0.1:${port}/`);
  expect(answer).toMatchObject({ status: 302 });
  expect("headers" in answer && answer.headers.get("location")).toBe("http://169.254.169.254/");
});

test("what is packed is unpacked, and bounded by what comes out", async () => {
  const text = "x".repeat(3_000_000);
  const packed = new Map([
    ["/gzip", gzipSync(text)],
    ["/deflate", deflateSync(text)],
    ["/br", brotliCompressSync(text)],
  ]);
  const port = await serve((request, response) => {
    const name = request.url ?? "";
    response.setHeader("content-encoding", name.slice(1));
    response.end(packed.get(name) ?? "no gzip");
  });
  for (const name of packed.keys()) {
    expect(textOf(await ask(`http://127.0.0.1:${port}${name}`, { maxBytes: 3_000_000 }))).toBe(text);
    const answer = await ask(`http://127.0.0.1:${port}${name}`);
    expect("body" in answer && [answer.body.length, answer.cut]).toEqual([1_000_000, true]);
  }
  const broken = await serve((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip");
  });
  expect(await ask(`http://127.0.0.1:${broken}/`)).toMatchObject({ failed: "network" });
});

test("a body without end is cut, one that never comes is aborted, one that breaks off is an error", async () => {
  const port = await serve((request, response) => {
    response.writeHead(200);
    if (request.url === "/endless") {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", more);
      more();
    } else if (request.url === "/torn") {
      response.write("half");
      response.flushHeaders();
      response.socket?.end();
    } else response.write("first");
  });
  expect(await ask(`http://127.0.0.1:${port}/endless`)).toMatchObject({ status: 200, cut: true });
  expect(await ask(`http://127.0.0.1:${port}/torn`)).toMatchObject({ failed: "network" });
  const stop = new AbortController();
  const hanging = ask(`http://127.0.0.1:${port}/hangs`, { signal: stop.signal });
  stop.abort();
  expect(await hanging).toMatchObject({ failed: "aborted" });
});

test("a host without a server is an error like any other", async () => {
  const port = await serve(() => undefined);
  const [server] = servers;
  await new Promise((resolve) => server?.close(resolve));
  expect(await ask(`http://127.0.0.1:${port}/`)).toMatchObject({ failed: "network" });
  expect(await ask("http://nobody.invalid/")).toMatchObject({ failed: "unknown-host" });
});
