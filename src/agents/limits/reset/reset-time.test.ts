import fc from "fast-check";
import { expect, test } from "vitest";
import { boundReset, toEpochMs, readDuration, readResetTime } from "./reset-time.js";
import { findInstants, readZone, toWallTime, type Zone } from "./reset-zone.js";

const DAY = 86_400_000;

/** Reads with the clock at `now` (ISO, UTC) in `zone`; answers as ISO without the milliseconds where there are none. */
function read(text: string, now: string, zone: string): string | undefined {
  const at = readResetTime(text, { now: Date.parse(now), zone });
  return at === undefined ? undefined : new Date(at).toISOString().replace(".000Z", "Z");
}

// Friday, 11:00 in Berlin.
const NOW = "2026-11-20T10:00:00Z";

test.each([
  ["resets 1pm (Asia/Seoul)", "2026-11-21T04:00:00Z"],
  ["resets 8pm (Asia/Seoul)", "2026-11-20T11:00:00Z"],
  ["resets 7pm", "2026-11-20T18:00:00Z"],
  ["resets at 7pm", "2026-11-20T18:00:00Z"],
  ["resets 7 p.m.", "2026-11-20T18:00:00Z"],
  ["resets 7:30pm", "2026-11-20T18:30:00Z"],
  ["Your limit will reset at 7pm (Asia/Tokyo).", "2026-11-20T10:00:00Z"],
  ["resets 4am", "2026-11-21T03:00:00Z"],
  ["resets 12am", "2026-11-20T23:00:00Z"],
  ["resets 12pm", "2026-11-20T11:00:00Z"],
  ["resets at noon", "2026-11-20T11:00:00Z"],
  ["resets at midnight", "2026-11-20T23:00:00Z"],
  ["resets 19:00", "2026-11-20T18:00:00Z"],
  ["resets at 00:15", "2026-11-20T23:15:00Z"],
  ["resets 19:00:30 UTC", "2026-11-20T19:00:30Z"],
  ["resets 7pm UTC", "2026-11-20T19:00:00Z"],
  ["resets 7pm PT", "2026-11-21T03:00:00Z"],
  ["resets 7pm (UTC+8)", "2026-11-20T11:00:00Z"],
  ["resets 7pm Europe/London", "2026-11-20T19:00:00Z"],
  ["resets 7pm (America/New York)", "2026-11-21T00:00:00Z"],
  ["resets 7pm (in 8 hours)", "2026-11-20T18:00:00Z"],
  ["resets at seven pm", "2026-11-20T18:00:00Z"],
  ["resets at nine o'clock (UTC)", "2026-11-21T09:00:00Z"],
  ["resets 7pm (Mars/Phobos)", undefined],
  ["resets 7pm CST", undefined],
  ["resets 13pm", undefined],
  ["resets 0am", undefined],
  ["resets 24:00", undefined],
  ["resets 7", undefined],
  ["resets soon", undefined],
  ["try again at 8:40 PM", "2026-11-20T19:40:00Z"],
  ["try again at 8:40 AM.", "2026-11-21T07:40:00Z"],
  ["try again tomorrow at 9am", "2026-11-21T08:00:00Z"],
  ["try again at 9am tomorrow", "2026-11-21T08:00:00Z"],
  ["resets today at 3pm", "2026-11-20T14:00:00Z"],
  ["resets Mon 12:00am", "2026-11-22T23:00:00Z"],
  ["resets Sunday 12:00am (Europe/London)", "2026-11-22T00:00:00Z"],
  ["resets Friday 3pm", "2026-11-20T14:00:00Z"],
  ["resets Friday 9am", "2026-11-27T08:00:00Z"],
  ["resets Thursday at 09:00", "2026-11-26T08:00:00Z"],
  ["resets at 3am on Tuesday", "2026-11-24T02:00:00Z"],
  ["resets Wednesday", "2026-11-24T23:00:00Z"],
  ["resets Friday", NOW],
  ["resets Nov 24, 3am (Europe/Berlin)", "2026-11-24T02:00:00Z"],
  ["resets Nov 24 at 1am (Asia/Tokyo)", "2026-11-23T16:00:00Z"],
  ["resets Tue, Nov 24 at 1am (Asia/Tokyo)", "2026-11-23T16:00:00Z"],
  ["resets 3:15 AM, November 24th", "2026-11-24T02:15:00Z"],
  ["try again at Nov 24th, 2026 3:15 AM.", "2026-11-24T02:15:00Z"],
  ["try again at 24 November 2026 at 03:15", "2026-11-24T02:15:00Z"],
  ["It resets Nov 23.", "2026-11-22T23:00:00Z"],
  ["resets Nov 31st, 2026 3:15 AM", undefined],
  ["resets Dec 24", undefined],
  ["resets Oct 6, 3am (Europe/Berlin)", undefined],
  ["resets at 2026-11-21T21:46:01Z", "2026-11-21T21:46:01Z"],
  ["resets at 2026-11-21T21:46:01.500+09:00", "2026-11-21T12:46:01Z"],
  ["Your limit will reset at 2026-11-21 18:55:29", "2026-11-21T17:55:29Z"],
  ["resets on 2026-11-22", "2026-11-21T23:00:00Z"],
  ["retry after Fri, 20 Nov 2026 12:30:00 GMT", "2026-11-20T12:30:00Z"],
  ["limit reached|1795172400", "2026-11-20T11:00:00Z"],
  ["limit reached|1795172400000", "2026-11-20T11:00:00Z"],
  ['"resets_at": 1795172400', "2026-11-20T11:00:00Z"],
  ['{\\"resetsAt\\":1795172400}', "2026-11-20T11:00:00Z"],
  ["limit reached|1760000000", undefined],
  ["limit reached|9999999999999", undefined],
  ["limit reached|17951724001", undefined],
  ["limit reached | 5 hours of work are lost", undefined],
  ["try again in 35.883s", "2026-11-20T10:00:35.883Z"],
  ["try again in 2 hours 13 minutes.", "2026-11-20T12:13:00Z"],
  ["try again in 4 days 3 hours", "2026-11-24T13:00:00Z"],
  ["try again in 1 day, 2 hours and 3 minutes", "2026-11-21T12:03:00Z"],
  ["try again in about an hour", "2026-11-20T11:00:00Z"],
  ["Please retry in 43.2115s.", "2026-11-20T10:00:43.212Z"],
  ["will reset after 8h44m7s.", "2026-11-20T18:44:07Z"],
  ["Your quota will reset after 0s.", NOW],
  ["Retrying after 6173ms...", "2026-11-20T10:00:06.173Z"],
  ["retry after 30 seconds", "2026-11-20T10:00:30Z"],
  ["retry-after: 30", "2026-11-20T10:00:30Z"],
  ["retry-after-ms: 1500", "2026-11-20T10:00:01.500Z"],
  ['retryDelay: "43s"', "2026-11-20T10:00:43Z"],
  ['\\"retryDelay\\": \\"43s\\"', "2026-11-20T10:00:43Z"],
  ["Please wait 5 minutes", "2026-11-20T10:05:00Z"],
  ["wait until 3pm", "2026-11-20T14:00:00Z"],
  ["try again in 7 days", "2026-11-27T10:00:00Z"],
  ["try again in 9 days", undefined],
  ["try again in 999999999999999 days", undefined],
  ["try again in 1 month", undefined],
  ["try again in a moment", undefined],
  ["try again later", undefined],
  ["retry 1 of 2", undefined],
  ["Limit 30000, Used 30000. Please try again in 6m0s.", "2026-11-20T10:06:00Z"],
  ["resets in 300 days · try again in 5 minutes", "2026-11-20T10:05:00Z"],
  ["resets 3pm", "2026-11-20T14:00:00Z"],
] as const)("%s → %s", (text, expected) => {
  expect(read(text, NOW, "Europe/Berlin")).toBe(expected);
});

test.each([
  [
    "a time that has just passed is over",
    "resets 11am",
    "2026-11-20T10:14:59Z",
    "Europe/Berlin",
    "2026-11-20T10:14:59Z",
  ],
  [
    "one that passed earlier is tomorrow's",
    "resets 11am",
    "2026-11-20T10:15:01Z",
    "Europe/Berlin",
    "2026-11-21T10:00:00Z",
  ],
  ["just after midnight", "resets 11:55pm", "2026-11-20T23:05:00Z", "Europe/Berlin", "2026-11-20T23:05:00Z"],
  ["just before midnight", "resets 12:05am", "2026-11-20T22:59:00Z", "Europe/Berlin", "2026-11-20T23:05:00Z"],
  [
    "the date there is another",
    "resets 1am (Asia/Tokyo)",
    "2026-11-20T15:30:00Z",
    "America/New_York",
    "2026-11-20T16:00:00Z",
  ],
  [
    "a date that has passed is over",
    "resets Nov 20, 3am",
    "2026-11-20T10:00:00Z",
    "UTC",
    "2026-11-20T10:00:00Z",
  ],
  ["over the turn of the year", "resets Jan 2, 3am", "2026-12-30T10:00:00Z", "UTC", "2027-01-02T03:00:00Z"],
  [
    "back over the turn of the year",
    "resets Dec 31, 3am",
    "2027-01-01T10:00:00Z",
    "UTC",
    "2027-01-01T10:00:00Z",
  ],
  ["Feb 29 of a leap year", "resets Feb 29, 3am", "2028-02-27T10:00:00Z", "UTC", "2028-02-29T03:00:00Z"],
  ["Feb 29 of no leap year", "resets Feb 29, 2027, 3am", "2027-02-27T10:00:00Z", "UTC", undefined],
  [
    "the night clocks are put forward",
    "resets 2:30am",
    "2026-03-29T00:00:00Z",
    "Europe/Berlin",
    "2026-03-29T01:30:00Z",
  ],
  [
    "past the night clocks are put forward",
    "resets 7am",
    "2026-03-28T22:00:00Z",
    "Europe/Berlin",
    "2026-03-29T05:00:00Z",
  ],
  [
    "the night clocks are put back: the first",
    "resets 2:30am",
    "2026-10-24T22:00:00Z",
    "Europe/Berlin",
    "2026-10-25T00:30:00Z",
  ],
  [
    "the night clocks are put back: the second",
    "resets 2:30am",
    "2026-10-25T00:50:00Z",
    "Europe/Berlin",
    "2026-10-25T01:30:00Z",
  ],
  [
    "a date in that night: the second",
    "resets Oct 25, 2:30am",
    "2026-10-25T00:50:00Z",
    "Europe/Berlin",
    "2026-10-25T01:30:00Z",
  ],
  ["an unknown own zone", "resets 7pm", "2026-10-25T00:50:00Z", "Nowhere/Land", undefined],
  [
    "an unknown own zone, and one told",
    "resets 7pm (UTC)",
    "2026-10-25T00:50:00Z",
    "Nowhere/Land",
    "2026-10-25T19:00:00Z",
  ],
] as const)("%s: %s at %s", (...[, text, now, zone, expected]) => {
  expect(read(text, now, zone)).toBe(expected);
});

test.each([
  ["8h44m7s", 31_447_000],
  ["6m0s", 360_000],
  ["1d12h", 129_600_000],
  ["900ms", 900],
  ["1.5 hours", 5_400_000],
  ["2 weeks", 14 * DAY],
  ["an hour and 5 min", 3_900_000],
  ["3 parsecs", undefined],
  ["3pm", undefined],
  ["", undefined],
] as const)("%s lasts %s ms", (text, expected) => {
  expect(readDuration(text)).toBe(expected);
});

test("epoch seconds and milliseconds are told apart by their size, smaller numbers are neither", () => {
  expect([1_760_000_000, 1_760_000_000_000, 3600].map(toEpochMs)).toEqual([
    1_760_000_000_000,
    1_760_000_000_000,
    undefined,
  ]);
});

const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "America/Santiago",
  "UTC",
];
const zoneName = fc.constantFrom(...ZONES);
const instant = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2028, 0) });
const FRAGMENTS = [
  "resets", "reset at", "try again in", "retry after", "retryDelay:", "|", "until", "on", "at", "in", ",", ".", "and", "about",
  "1pm", "12am", "8:40 PM", "23:59", "noon", "Mon", "friday", "Oct 6", "Feb 29", "Nov 24th, 2026", "2026-11-21", "T03:00:00Z",
  "(Asia/Seoul)", "(Mars/Phobos)", "UTC", "PST", "+02:00", "35.883s", "2 hours", "13 minutes", "9 days", "1760000000", "0s",
]; // prettier-ignore
const anyText = fc
  .array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...FRAGMENTS) }, fc.string({ maxLength: 4 })), {
    maxLength: 8,
  })
  .map((parts) => parts.join(" "));

function zoneOf(name: string): Zone {
  return readZone(name) ?? (() => Number.NaN);
}

test("whatever is written: never in the past, never more than 8 days off", () => {
  let [tried, told] = [0, 0];
  fc.assert(
    fc.property(anyText, instant, zoneName, (text, now, zone) => {
      tried += 1;
      const at = readResetTime(text, { now, zone });
      if (at === undefined) return;
      told += 1;
      expect(at).toBeGreaterThanOrEqual(now);
      expect(at).toBeLessThanOrEqual(now + 8 * DAY);
      expect(Number.isInteger(at)).toBe(true);
    }),
    { numRuns: 2000 },
  );
  expect(told).toBeGreaterThan(tried * 0.075);
});

test("the later it is read, the later it is over: never earlier than was said before", () => {
  fc.assert(
    fc.property(
      anyText,
      instant,
      fc.integer({ min: 0, max: 3 * DAY }),
      zoneName,
      (text, now, later, zone) => {
        const [first, second] = [now, now + later].map((one) => readResetTime(text, { now: one, zone }));
        if (first === undefined || second === undefined) return;
        expect(second).toBeGreaterThanOrEqual(first);
      },
    ),
    { numRuns: 2000 },
  );
});

test("a longer delay ends later, to the millisecond", () => {
  const delay = fc.integer({ min: 0, max: 8 * DAY });
  fc.assert(
    fc.property(delay, instant, zoneName, (ms, now, zone) => {
      const s = ms / 1000;
      const parts = `${Math.floor(s / 3600)} hours ${Math.floor(s / 60) % 60} minutes ${(ms % 60_000) / 1000} seconds`;
      for (const text of [`try again in ${s}s`, `Retrying after ${ms}ms`, `resets in ${parts}`]) {
        expect(Math.abs((readResetTime(text, { now, zone }) ?? 0) - now - ms)).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test("a time of day is the next one clocks there show", () => {
  const hour = fc.integer({ min: 0, max: 23 });
  const minute = fc.integer({ min: 0, max: 59 });
  fc.assert(
    fc.property(hour, minute, instant, zoneName, (h, m, now, name) => {
      const mm = String(m).padStart(2, "0");
      const half = `${h % 12 === 0 ? 12 : h % 12}:${mm}${h < 12 ? "am" : "pm"}`;
      const at = readResetTime(`resets ${half} (${name})`, { now, zone: "Asia/Tokyo" });
      expect(readResetTime(`resets ${h}:${mm}`, { now, zone: name })).toBe(at);
      expect(at).toBeLessThanOrEqual(now + 26 * 3_600_000);
      const { hour: shown, minute: shownMinute } = toWallTime(at ?? 0, zoneOf(name));
      if (at !== now)
        expect([h * 60 + m, h * 60 + m + 60, h * 60 + m + 30]).toContain(shown * 60 + shownMinute);
    }),
  );
});

test("an instant written as clients write it is read as that instant", () => {
  const ahead = fc.integer({ min: 0, max: 7 * 24 * 60 });
  fc.assert(
    fc.property(instant, ahead, zoneName, (start, minutes, name) => {
      const now = Math.floor(start / 60_000) * 60_000;
      const at = now + minutes * 60_000;
      const wall = toWallTime(at, zoneOf(name));
      // The first of two; which one is meant by the second is a matter of when it is read.
      if (findInstants(wall, zoneOf(name))[0] !== at) return;
      const month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][
        wall.month - 1
      ];
      const mm = String(wall.minute).padStart(2, "0");
      const hour = wall.hour % 12 === 0 ? 12 : wall.hour % 12;
      const half = wall.hour < 12 ? "AM" : "PM";
      const clock = { now, zone: name };
      expect(
        readResetTime(`resets ${month} ${wall.day}, ${hour}:${mm}${half.toLowerCase()} (${name})`, clock),
      ).toBe(at);
      expect(
        readResetTime(`try again at ${month} ${wall.day}th, ${wall.year} ${hour}:${mm} ${half}.`, clock),
      ).toBe(at);
      expect(readResetTime(`reset at ${new Date(at).toISOString()}`, clock)).toBe(at);
      expect(readResetTime(`usage limit reached|${at / 1000}`, clock)).toBe(at);
    }),
  );
});

test("a reset is bounded both ways", () => {
  expect(
    [-9 * DAY, -1, 0, 0.5, 8 * DAY, 8 * DAY + 1, Number.NaN, Infinity].map((off) =>
      boundReset(100 * DAY + off, 100 * DAY),
    ),
  ).toEqual([undefined, 100 * DAY, 100 * DAY, 100 * DAY + 1, 108 * DAY, undefined, undefined, undefined]);
});
