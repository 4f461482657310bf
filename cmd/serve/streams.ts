// Streams of text: a piece is made when the client's socket takes one, so a slow reader holds up no other.

/** One Server-Sent Event without an id; JSON has no line ends of its own, so its data cannot forge another. */
export function frame({ event, data }: { event: string; data: unknown }): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Tells that the stream is alive, as an event that scripts can see. */
export function beat(data: { seq?: number; now: number }): string {
  return frame({ event: "beat", data });
}

export function eventStream(pieces: AsyncGenerator<string, void>): Response {
  return streamOf("text/event-stream", pieces);
}

export function streamOf(type: string, pieces: AsyncGenerator<string, void>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    // Its signal wakes a generator that waits.
    cancel: () => {
      void pieces.return(undefined);
    },
  });
  return new Response(body, {
    headers: { "content-type": `${type}; charset=utf-8`, "x-accel-buffering": "no" },
  });
}
