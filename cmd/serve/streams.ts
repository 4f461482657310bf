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
    const encoder = new TextEncoder();
    const { pieces } = this;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const next = await pieces.next().catch((error: unknown) => {
          over();
          throw error;
        });
        if (next.done !== true) {
          controller.enqueue(encoder.encode(clean(next.value)));
          return;
        }
        over();
        controller.close();
      },
      cancel: () => {
        // Its signal wakes a generator that waits.
        over();
        void pieces.return(undefined);
      },
    });
    const type = `${this.type}; charset=utf-8`;
    return new Response(body, { headers: { "content-type": type, "x-accel-buffering": "no" } });
  }
}
