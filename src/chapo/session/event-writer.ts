// Writes a session's events: redacted, numbered and timestamped, in order.
import type { Clock } from "../../system/ports.js";
import { redactPieces } from "../../system/text/secrets/redact-pieces.js";
import { redactValue, type Redact } from "../../system/text/secrets/redact.js";
import { sealEvents, type ChapoEvent, type ChapoNews } from "../engine/events.js";

/** Fields of an event that are never redacted. */
const NAMES = new Set(["type", "timestamp", "session", "callId", "tool", "agent", "status", "child"]);

type Piece = Extract<ChapoNews, { type: "delta" | "thought" }>;

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
  let last: Piece | undefined;
  const tellText = (piece: Piece, text: string): void => {
    if (text !== "") seal({ ...piece, data: { ...piece.data, text } });
  };
  const end = (): void => {
    if (last !== undefined) tellText(last, pieces.end());
    last = undefined;
    pieces = redactPieces(redact);
  };
  return (news) => {
    if (news.type === "delta" || news.type === "thought") {
      if (last !== undefined && last.type !== news.type) end();
      last = news;
      tellText(news, pieces.take(news.data.text));
      return;
    }
    end();
    seal(news);
  };
}
