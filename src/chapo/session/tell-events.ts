// What a session says, on its way out: without secrets, numbered and dated, in order. Leaves what there is to say to the loop.
import type { Clock } from "../../system/ports.js";
import { redactPieces } from "../../system/text/redact-pieces.js";
import { redactValue, type Redact } from "../../system/text/redact.js";
import { sealEvents, type ChapoEvent, type ChapoNews } from "../engine/events.js";

/** In an event these are never a secret. */
const NAMES = new Set(["type", "timestamp", "session", "callId", "tool", "agent", "status", "child"]);

type Delta = Extract<ChapoNews, { type: "delta" }>;

/** Takes what is said; `write` gets it ready to be told. Text that comes in pieces is told word by word, as a secret may begin in one and end in another. */
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
