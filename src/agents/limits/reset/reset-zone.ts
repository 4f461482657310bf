// Converts between instants and wall clocks in a time zone. Pure. Leaves the ways to write a time to reset-time.ts.
//
// Intl knows the zones; only the way back, from a wall clock to the instant, is implemented here. Two libraries were tried.
// @date-fns/tz picks one of the two instants of an overlap depending on the machine's own zone. temporal-polyfill agrees with
// this file (109,800 wall times in ten odd zones, gaps and overlaps included) but adds 55 kB to the program.

/** The time on a wall clock; months from 1. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

/** How far clocks are ahead of UTC at an instant; milliseconds, both. */
export type Zone = (at: number) => number;

/** The wall clock, epoch ms, and the zone it is read in, by its name: times without a zone are meant there. */
export interface ZonedClock {
  now: number;
  zone: string;
}

const DAY_MS = 86_400_000;

/** Those that stand for one thing only: CST, IST and BST do not. Minutes ahead of UTC, or the zone they are in. */
const ABBREVIATIONS: Readonly<Record<string, number | string>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  CT: "America/Chicago",
  ET: "America/New_York",
  EST: -300,
  EDT: -240,
  CDT: -300,
  MT: "America/Denver",
  MST: -420,
  MDT: -360,
  PT: "America/Los_Angeles",
  PST: -480,
  PDT: -420,
  WEST: 60,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  JST: 540,
  KST: 540,
  AEST: 600,
  AEDT: 660,
};

/** A zone by its name ("Asia/Seoul"), offset ("+02:00", "UTC+8") or abbreviation; `undefined` when it is none we know. */
export function readZone(name: string): Zone | undefined {
  const short = name.toUpperCase();
  const known = Object.hasOwn(ABBREVIATIONS, short) ? ABBREVIATIONS[short] : undefined;
  if (typeof known === "number") return fixed(known);
  const offset = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?$/.exec(short);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0);
    return minutes > 14 * 60 ? undefined : fixed(offset[1] === "-" ? -minutes : minutes);
  }
  // Intl knows a few that stand for several things, and decides.
  return known === undefined && /^[A-Z]{0,4}$/.test(short) ? undefined : namedZone(known ?? name);
}

function fixed(minutes: number): Zone {
  return () => minutes * 60_000;
}

function namedZone(name: string): Zone | undefined {
  const format = formatOf(name);
  return format === undefined
    ? undefined
    : (at) => asUtc(wallTimeIn(format, at)) - Math.floor(at / 1000) * 1000;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const number = "numeric";
  const time = {
    year: number,
    month: number,
    day: number,
    hour: number,
    minute: number,
    second: number,
  } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", calendar: "iso8601", ...time });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function wallTimeIn(format: Intl.DateTimeFormat, at: number): WallTime {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
    second: part("second"),
  };
}

function asUtc({ year, month, day, hour, minute, second }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The wall time at an instant (epoch ms). */
export function toWallTime(at: number, zone: Zone): WallTime {
  const shown = new Date(at + zone(at));
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
  };
}

/**
 * The instants (epoch ms, in order) at which clocks show a time: two where they are put back over it. Where they are put
 * forward over it, the instant they would have shown it at. None for a day no month has.
 */
export function findInstants(wall: WallTime, zone: Zone): number[] {
  const utc = asUtc(wall);
  if (new Date(utc).getUTCDate() !== wall.day || new Date(utc).getUTCMonth() + 1 !== wall.month) return [];
  const before = zone(utc - DAY_MS);
  const shown = [...new Set([before, zone(utc + DAY_MS)])]
    .map((offset) => utc - offset)
    .filter((at) => at + zone(at) === utc);
  return shown.length === 0 ? [utc - before] : shown.toSorted((a, b) => a - b);
}
