// When a limit is over, read from how clients write it: "resets 1pm (Asia/Seoul)", "try again in 35.883s", "|1760000000".
// Pure. Leaves dates and times of day to reset-day.ts, and whether there is a limit at all to limits.ts.
import { readDayTime } from "./reset-day.js";
import type { ZonedClock } from "./reset-zone.js";

/** Weekly limits are the longest: a later day is ignored. */
const MOST_MS = 8 * 86_400_000;
const MOST_TEXT = 8 * 1024;

/** Words that introduce a time. The text after "after", "in", "at" or a colon is read below. */
const ANCHORS = new RegExp(
  [
    String.raw`\bresets?(?:[_ ]?(?:time|at|on|in|after|by))?`,
    String.raw`\bretry[-_ ]?(?:delay|after)(?:[-_ ]?ms)?`,
    String.raw`\b(?:try|retry(?:ing)?|available|back)\b(?: again)?(?: at| in| after| on)?`,
    String.raw`\bwait(?:ing)?(?: for| until)?`,
    String.raw`\buntil`,
    String.raw`\|`,
  ].join("|"),
  "gi",
);
/** Between an anchor and its time; `"retryDelay": "43s"` may have gone through JSON more than once. */
const GAP = /^[\\"']*\s*[:=]?\s*[\\"']*(?:(?:about|approximately|around|another)\s+)?/;
const MOST_AFTER = 160;

/** Epoch ms of the first time a text gives for the end of a limit: never before now; `undefined` for none, or none but absurd ones. */
export function readResetTime(text: string, clock: ZonedClock): number | undefined {
  const read = text.slice(0, MOST_TEXT);
  for (const { 0: anchor, index } of read.matchAll(ANCHORS)) {
    const from = index + anchor.length;
    const at = readTimeAfter(anchor, read.slice(from, from + MOST_AFTER).replace(GAP, ""), clock);
    const bound = at === undefined ? undefined : boundReset(at, clock.now);
    if (bound !== undefined) return bound;
  }
  return undefined;
}

function readTimeAfter(anchor: string, text: string, clock: ZonedClock): number | undefined {
  const stamp = /^(\d{10}|\d{13})(?![\d.])/.exec(text)?.[1];
  if (stamp !== undefined) return toEpochMs(Number(stamp));
  if (anchor === "|") return undefined;
  // As protobuf prints it: `retry_delay {\n  seconds: 41\n}`.
  const seconds = /^\{\s*seconds:\s*(\d{1,7})\b/.exec(text)?.[1];
  if (seconds !== undefined) return clock.now + Number(seconds) * 1000;
  const delay = readDuration(text) ?? readBareDelay(anchor, text);
  return delay === undefined ? readDayTime(withDigits(text), clock) : clock.now + delay;
}

/** "seven pm" as "7 pm", "seven o'clock" as "7:00". */
function withDigits(text: string): string {
  return text
    .replace(HOUR, (_, hour: string) => String(SPELLED[hour.toLowerCase()] ?? hour))
    .replace(/(\d{1,2})\s*o['’]?clock/i, "$1:00");
}

/** A reset that is over is now; one that is more than 8 days off, either way, is none. */
export function boundReset(at: number, now: number): number | undefined {
  if (!(Math.abs(at - now) <= MOST_MS)) return undefined;
  return Math.max(Math.ceil(at), now);
}

/** Epoch ms from a number that may be epoch seconds or milliseconds; `undefined` for a number too small for either. */
export function toEpochMs(stamp: number): number | undefined {
  if (stamp >= 1e11) return stamp;
  return stamp >= 1e9 ? stamp * 1000 : undefined;
}

const UNIT_MS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|millis(?:econds?)?)$/i, 1],
  [/^s(?:ecs?|econds?)?$/i, 1000],
  [/^m(?:ins?|inutes?)?$/i, 60_000],
  [/^h(?:rs?|ours?)?$/i, 3_600_000],
  [/^d(?:ays?)?$/i, 86_400_000],
  [/^w(?:ks?|eeks?)?$/i, 7 * 86_400_000],
];
/** Numbers that are spelled out, by their value; "half" stands before "an hour". */
const SPELLED: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  "forty-five": 45,
  fifty: 50,
  sixty: 60,
  ninety: 90,
  half: 0.5,
};
const WORDS = Object.keys(SPELLED).toSorted((a, b) => b.length - a.length);
/** An hour of the clock that is spelled out. */
const HOUR = new RegExp(
  String.raw`\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?=\s*(?:[ap]\.?m\b|o['’]?clock))`,
  "i",
);
const AMOUNT = new RegExp(
  String.raw`^,?\s*(?:and\s+)?(\d{1,15}(?:\.\d{1,12})?|(?:${WORDS.join("|")})(?=[\s-]))[\s-]*(?:(?<=half\s)an?\s+)?([a-z]+)`,
  "i",
);

/** Milliseconds in "8h44m7s", "2 hours 13 minutes", "35.883s"; `undefined` when the text does not begin so. */
export function readDuration(text: string): number | undefined {
  let total: number | undefined;
  for (let rest = text; ;) {
    const [read = "", amount = "", unit = ""] = AMOUNT.exec(rest) ?? [];
    const each = UNIT_MS.find(([name]) => name.test(unit))?.[1];
    if (each === undefined) return total;
    total = (total ?? 0) + (SPELLED[amount.toLowerCase()] ?? Number(amount)) * each;
    rest = rest.slice(read.length);
  }
}

/** Milliseconds of a bare number, as the header has it; `undefined` behind any other word. */
function readBareDelay(anchor: string, text: string): number | undefined {
  const header = /^retry[-_]?after([-_]?ms)?$/i.exec(anchor);
  const amount = /^\d{1,9}(?![\w:.-])/.exec(text)?.[0];
  if (header === null || amount === undefined) return undefined;
  return Number(amount) * (header[1] === undefined ? 1000 : 1);
}
