// Days and times of day as clients write them: "7pm", "8:40 PM", "Mon 12:00am", "Oct 6, 3am (Europe/Berlin)",
// "Nov 24th, 2026 3:15 AM", ISO. Pure. Leaves durations, and what is absurd, to reset-time.ts.
import { never } from "../../../system/never.js";
import {
  findInstants,
  readZone,
  toWallTime,
  type WallTime,
  type Zone,
  type ZonedClock,
} from "./reset-zone.js";

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
