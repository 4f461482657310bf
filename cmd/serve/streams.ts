// Streams of text: a piece is made when the client's socket takes one, so a slow reader holds up no other.

/** One Server-Sent Event; JSON has no line ends of its own, so its data cannot forge another. */
export function frame({ event, data }: { event: string; data: unknown }): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** An answer that comes in pieces, each of whole lines. */
export class Stream {
  constructor(
    readonly type: "text/event-stream" | "application/x-ndjson",
    readonly pieces: AsyncGenerator<string, void>,
  ) {}

  /** `clean`: takes secrets out. `over`: called when it has ended, or its client has gone. */
  respond(clean: (text: string) => string, over: () => void): Response {
    const { pieces, type } = this;
    const bytes = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for await (const text of pieces) yield Buffer.from(clean(text));
      } finally {
        over();
      }
    };
    const headers = { "content-type": `${type}; charset=utf-8`, "x-accel-buffering": "no" };
    return new Response(ReadableStream.from(bytes()), { headers });
  }
}
