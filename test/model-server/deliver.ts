// An answer on its way: as a stream of events or in one piece, whole or broken on purpose. Leaves what it says to the dialects.
import type { ServerResponse } from "node:http";
import { never } from "../../src/system/never.js";
import type { Answer, Dialect, Frame, HttpError } from "./dialect.js";
import type { Fault } from "./scenario.js";

export interface Reply {
  response: ServerResponse;
  dialect: Dialect;
  answer: Answer;
  stream: boolean;
}

type Breaking = Extract<Fault, { fault: "mid-stream" }>["how"];

const JSON_TYPE = { "content-type": "application/json" };

export function deliver(reply: Reply): void {
  const { response, dialect, answer, stream } = reply;
  if (!stream) {
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(dialect.whole(answer)));
    return;
  }
  begin(response);
  for (const frame of dialect.frames(answer)) response.write(textOf(frame));
  response.end();
}

export function deliverError(response: ServerResponse, { status, headers, body }: HttpError): void {
  response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
}

export function deliverFault(reply: Reply, fault: Fault): void {
  const { response, dialect } = reply;
  switch (fault.fault) {
    case "refused":
      deliverError(response, dialect.refuse(fault));
      return;
    case "mid-stream":
      if (reply.stream) breakStream(reply, fault.how);
      else breakWhole(reply, fault.how);
      return;
    case "html":
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><h1>Sign in</h1>");
      return;
    case "no-headers":
      return;
    default:
      never(fault);
  }
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
}

function textOf({ event, data }: Frame): string {
  const named = event === undefined ? "" : `event: ${event}\n`;
  return `${named}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** The first half of the frames holds no end in any protocol. */
function breakStream({ response, dialect, answer }: Reply, how: Breaking): void {
  const frames = dialect.frames(answer).map(textOf);
  const half = Math.floor(frames.length / 2);
  begin(response);
  response.write(frames.slice(0, half).join(""));
  switch (how) {
    case "overloaded":
      response.end(textOf(dialect.overloaded(answer)));
      return;
    case "ends":
      response.end();
      return;
    case "disconnects":
      // Only once what was written is out; else nothing of it might arrive.
      response.write("\n", () => response.destroy());
      return;
    case "malformed":
      // One frame stops in the middle of its JSON; the others are whole.
      response.end([halfOf(frames[half] ?? ""), ...frames.slice(half + 1)].join(""));
      return;
    case "stalls":
      return;
    default:
      never(how);
  }
}

function halfOf(frame: string): string {
  const start = frame.indexOf("data: ");
  return `${frame.slice(0, start + Math.ceil((frame.length - start) / 2))}\n\n`;
}

function breakWhole({ response, dialect, answer }: Reply, how: Breaking): void {
  if (how === "overloaded") {
    deliverError(response, dialect.refuse({ problem: "overloaded" }));
    return;
  }
  const body = JSON.stringify(dialect.whole(answer));
  const half = body.slice(0, body.length / 2);
  if (how === "malformed") {
    response.writeHead(200, JSON_TYPE).end(half);
    return;
  }
  response.writeHead(200, { ...JSON_TYPE, "content-length": Buffer.byteLength(body) });
  response.write(half, () => {
    if (how !== "stalls") response.destroy();
  });
}
