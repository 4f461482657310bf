// Writes a session's events: redacted, numbered and timestamped, in order.
import type { Clock } from "../../system/ports.js";
import { redactPieces } from "../../system/text/secrets/redact-pieces.js";
import { redactValue, type Redact } from "../../system/text/secrets/redact.js";
import { sealEvents, type ChapoEvent, type ChapoNews } from "../engine/events.js";

/** Fields of an event that are never redacted. */
const NAMES = new Set(["type", "timestamp", "session", "callId", "tool", "agent", "status", "child"]);

type Delta = Extract<ChapoNews, { type: "delta" }>;

/**
 * Returns a function that passes each event to `write`, redacted. Streamed text is held back until a word ends, because a
 * secret may span two pieces.
 */
export function createEventWriter(
  clock: Clock,
  redact: Redact,
  write: (event: ChapoEvent) => void,
): (news: ChapoNews) => void {
  const seal = sealEvents(clock, (event) => {
    write(redactValue(redact, event, NAMES));
  });
  let pieces = redactPieces(redact);
  let last: Delta | undefined;
  const tellText = (delta: Delta, text: string): void => {
    if (text !== "") seal({ ...delta, data: { ...delta.data, text } });
  };
  return (news) => {
    if (news.type === "delta") {
      last = news;
      tellText(news, pieces.take(news.data.text));
      return;
    }
    if (last !== undefined) tellText(last, pieces.end());
    last = undefined;
    pieces = redactPieces(redact);
    seal(news);
  };
}
