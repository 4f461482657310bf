// When a limit is over, read from how clients write it: "resets 1pm (Asia/Seoul)", "try again in 35.883s", "|1760000000".
// Pure. Leaves whether there is a limit at all to explain-failure.ts, and zones to reset-zone.ts.
import {
  findInstants,
  readZone,
  toWallTime,
  type ZonedClock,
  type WallTime,
  type Zone,
} from "./reset-zone.js";
import { never } from "../../../system/never.js";

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
    .replace(HOUR, (_, hour: string) => String(SPELLED.get(hour.toLowerCase()) ?? hour))
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
const TO_TWELVE = "one two three four five six seven eight nine ten eleven twelve".split(" ");
/** Numbers that are spelled out, by their value; "half" stands before "an hour". */
const SPELLED = new Map<string, number>([
  ...TO_TWELVE.map((word, at) => [word, at + 1] as const),
  ...Object.entries({ a: 1, an: 1, half: 0.5, fifteen: 15, twenty: 20, thirty: 30 }),
  ...Object.entries({ forty: 40, "forty-five": 45, fifty: 50, sixty: 60, ninety: 90 }),
]);
const WORDS = [...SPELLED.keys()].toSorted((a, b) => b.length - a.length);
/** An hour of the clock that is spelled out. */
const HOUR = new RegExp(String.raw`\b(${TO_TWELVE.join("|")})(?=\s*(?:[ap]\.?m\b|o['’]?clock))`, "i");
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
    total = (total ?? 0) + (SPELLED.get(amount.toLowerCase()) ?? Number(amount)) * each;
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

/** A time of day that passed this recently is meant: an agent takes a moment to end, and servers round. */
const JUST_PASSED_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

type Day =
  | { by: "date"; year?: number; month: number; day: number }
  | { by: "distance"; days: number }
  /** 0 is Sunday. */
  | { by: "weekday"; weekday: number };
type TimeOfDay = Pick<WallTime, "hour" | "minute" | "second">;

interface Read<T> {
  value: T;
  rest: string;
}

interface Place {
  now: number;
  zone: Zone;
}

/** Epoch ms of the day or time a text begins with, as next meant; `undefined` when it begins with none, or in an unknown zone. */
export function readDayTime(text: string, { now, zone: own }: ZonedClock): number | undefined {
  const start = text.replace(/^(?:at|on|the)\s+/i, "");
  const early = readDay(start);
  const time = readTime(
    early === undefined ? start : early.rest.replace(/^(?:T(?=\d)|,?\s+(?:at\s+)?)/i, ""),
  );
  if (early === undefined && time === undefined) return undefined;
  const { zone, rest } = readZoneAfter(time?.rest ?? early?.rest ?? "", own);
  if (zone === undefined) return undefined;
  const day = early ?? readDay(rest.replace(/^,?\s+(?:on\s+)?/i, ""));
  return resolve(day?.value, time?.value, { now, zone });
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const DAY_OF_MONTH = "(\\d{1,2})(?:st|nd|rd|th)?(?![\\w:])";
const YEAR = "(?:,?\\s+(20\\d\\d)\\b(?!:))?";
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const WEEKDAY = /^(sun|mon|tue|wed|thu|fri|sat)(?:(?:s|nes|rs?|ur)?day|s|rs?)?\b\.?/i;
const MONTH_DAY = new RegExp(`^${MONTH}\\s+${DAY_OF_MONTH}${YEAR}`, "i");
const DAY_MONTH = new RegExp(`^${DAY_OF_MONTH}\\s+${MONTH}\\b${YEAR}`, "i");

function readDay(text: string): Read<Day> | undefined {
  const weekday = WEEKDAY.exec(text);
  if (weekday !== null) {
    const rest = text.slice(weekday[0].length);
    const date = readDate(rest.replace(/^,?\s+/, ""));
    return (
      date ?? { value: { by: "weekday", weekday: WEEKDAYS.indexOf((weekday[1] ?? "").toLowerCase()) }, rest }
    );
  }
  const near = /^(today|tomorrow)\b/i.exec(text);
  if (near !== null) {
    const days = near[0].toLowerCase() === "today" ? 0 : 1;
    return { value: { by: "distance", days }, rest: text.slice(near[0].length) };
  }
  return readDate(text);
}

function readDate(text: string): Read<Day> | undefined {
  const iso = /^(20\d\d)-(\d\d)-(\d\d)(?!\d)/.exec(text);
  const found = iso ?? MONTH_DAY.exec(text) ?? DAY_MONTH.exec(text);
  if (found === null) return undefined;
  const rest = text.slice(found[0].length);
  const [first = "", second = "", third] = found.slice(1);
  if (iso !== null) return { value: dateOf(Number(second), third ?? "", first), rest };
  const monthFirst = /^\D/.test(first);
  const [month, day] = monthFirst ? [first, second] : [second, first];
  return { value: dateOf(MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1, day, third), rest };
}

function dateOf(month: number, day: string, year: string | undefined): Day {
  return { by: "date", month, day: Number(day), ...(year === undefined ? {} : { year: Number(year) }) };
}

function readTime(text: string): Read<TimeOfDay> | undefined {
  const word = /^(noon|midnight)\b/i.exec(text);
  if (word !== null) {
    const hour = word[0].toLowerCase() === "noon" ? 12 : 0;
    return { value: { hour, minute: 0, second: 0 }, rest: text.slice(word[0].length) };
  }
  const halved = /^(\d{1,2})(?::([0-5]\d)(?::([0-5]\d))?)?\s*([ap])\.?m\b\.?/i.exec(text);
  const found = halved ?? /^(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?![\d:])/.exec(text);
  if (found === null) return undefined;
  const shown = Number(found[1]);
  if (halved === null ? shown > 23 : shown < 1 || shown > 12) return undefined;
  const hour = halved === null ? shown : (shown % 12) + (/p/i.test(halved[4] ?? "") ? 12 : 0);
  const value = { hour, minute: Number(found[2] ?? 0), second: Number(found[3] ?? 0) };
  return { value, rest: text.slice(found[0].length) };
}

const BARE_ZONE =
  /^ ?((?:UTC|GMT)?[+-]\d{1,2}(?::?[0-5]\d)?\b|(?:UTC|GMT|Z|[ECMP]T|[A-Z]{2,3}T)\b|[A-Z][A-Za-z_]+\/[A-Za-z_/]+)/;

/** The zone a text begins with, else the clock's own; `undefined` for one that is named and unknown. */
function readZoneAfter(text: string, own: string): { zone: Zone | undefined; rest: string } {
  const bracketed = /^\s*\(([^()]{1,40})\)/.exec(text);
  const name = bracketed?.[1]?.trim().replaceAll(" ", "_");
  if (bracketed !== null && name !== undefined) {
    const rest = text.slice(bracketed[0].length);
    const zone = readZone(name);
    // Other text in brackets is a remark.
    if (zone !== undefined || /^[A-Z][\w+-]*(?:\/[\w+-]+)+$|^[A-Z]{2,5}$/.test(name)) return { zone, rest };
    return { zone: readZone(own), rest };
  }
  const bare = BARE_ZONE.exec(text);
  if (bare === null) return { zone: readZone(own), rest: text };
  return { zone: readZone(bare[1] ?? ""), rest: text.slice(bare[0].length) };
}

const MIDNIGHT: TimeOfDay = { hour: 0, minute: 0, second: 0 };

function resolve(day: Day | undefined, time: TimeOfDay | undefined, place: Place): number | undefined {
  const on = (days: number): number[] => instantsOn(dayFrom(place, days), time ?? MIDNIGHT, place.zone);
  if (day === undefined) return next([-1, 0, 1, 2].flatMap(on), place);
  switch (day.by) {
    case "distance":
      return next(on(day.days), place) ?? on(day.days).at(-1);
    case "weekday": {
      const today = weekdayOf(dayFrom(place, 0));
      const ahead = (day.weekday - today + 7) % 7;
      // A day alone is all of it: it is not a week off because it has begun.
      return time === undefined ? on(ahead)[0] : next([ahead, ahead + 7].flatMap(on), place);
    }
    case "date": {
      const thisYear = dayFrom(place, 0).year;
      const years = day.year === undefined ? [thisYear - 1, thisYear, thisYear + 1] : [day.year];
      const dates = years.map((year) => instantsOn({ ...day, year }, time ?? MIDNIGHT, place.zone));
      const meant = dates.toSorted((a, b) => distance(a, place.now) - distance(b, place.now))[0] ?? [];
      return next(meant, place) ?? meant.at(-1);
    }
    default:
      return never(day);
  }
}

type DateOnly = Pick<WallTime, "year" | "month" | "day">;

function instantsOn({ year, month, day }: DateOnly, time: TimeOfDay, zone: Zone): number[] {
  return findInstants({ year, month, day, ...time }, zone);
}

/** The date so many days from today, as the calendar of the place has it. */
function dayFrom({ now, zone }: Place, days: number): DateOnly {
  const { year, month, day } = toWallTime(now, zone);
  const there = new Date(Date.UTC(year, month - 1, day) + days * DAY_MS);
  return { year: there.getUTCFullYear(), month: there.getUTCMonth() + 1, day: there.getUTCDate() };
}

function weekdayOf({ year, month, day }: DateOnly): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

function distance(instants: readonly number[], now: number): number {
  return Math.min(...instants.map((at) => Math.abs(at - now)));
}

/** The first that is still to come, or has only just passed. */
function next(instants: readonly number[], { now }: Place): number | undefined {
  return instants.find((at) => at >= now - JUST_PASSED_MS);
}
