import fc from "fast-check";
import { expect, test } from "vitest";
import { findInstants, readZone, toWallTime, type Zone } from "./reset-zone.js";

function zoneOf(name: string): Zone {
  const zone = readZone(name);
  if (zone === undefined) throw new Error(`no zone ${name}`);
  return zone;
}

function at(iso: string): {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
} {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = iso.split(/[-T:]/).map(Number);
  return { year, month, day, hour, minute, second };
}

const iso = (instants: readonly number[]): string[] =>
  instants.map((one) => new Date(one).toISOString().slice(0, 19));

test.each([
  ["an ordinary time", "Asia/Seoul", "2026-11-21T13:00:00", ["2026-11-21T04:00:00"]],
  ["a quarter of an hour off", "Asia/Kathmandu", "2026-11-23T16:00:00", ["2026-11-23T10:15:00"]],
  ["put forward: as if it had not been", "Europe/Berlin", "2026-03-29T02:30:00", ["2026-03-29T01:30:00"]],
  ["put back: twice", "Europe/Berlin", "2026-10-25T02:30:00", ["2026-10-25T00:30:00", "2026-10-25T01:30:00"]],
  [
    "put back by half an hour",
    "Australia/Lord_Howe",
    "2026-04-05T01:45:00",
    ["2026-04-04T14:45:00", "2026-04-04T15:15:00"],
  ],
  ["put forward at midnight", "America/Santiago", "2026-09-06T00:00:00", ["2026-09-06T04:00:00"]],
  ["a day that was left out", "Pacific/Apia", "2011-12-30T12:00:00", ["2011-12-30T22:00:00"]],
  ["a day no month has", "UTC", "2026-02-30T12:00:00", []],
  ["a month no year has", "UTC", "2026-13-01T12:00:00", []],
  ["the last second of a year", "America/New_York", "2026-12-31T23:59:59", ["2027-01-01T04:59:59"]],
] as const)("%s: %s %s", (_what, zone, wall, expected) => {
  expect(iso(findInstants(at(wall), zoneOf(zone)))).toEqual(expected);
});

test.each([
  ["UTC", 0],
  ["gmt", 0],
  ["Z", 0],
  ["UTC+8", 8 * 60],
  ["GMT-03:30", -210],
  ["+0545", 345],
  ["-11", -660],
  ["EST", -300],
  ["PDT", -420],
  ["KST", 540],
  ["CEST", 120],
  ["Asia/Calcutta", 330],
  ["Etc/GMT+5", -300],
] as const)("%s is %i minutes ahead", (name, minutes) => {
  expect(readZone(name)?.(Date.UTC(2026, 10, 20))).toBe(minutes * 60_000);
});

test.each(["CST", "IST", "BST", "Mars/Phobos", "local time", "", "+15", "UTC+99", "constructor"])(
  "%j is not a zone",
  (name) => {
    expect(readZone(name)).toBeUndefined();
  },
);

test("a zone with summer time goes by the day, its abbreviation does not", () => {
  const [summer, winter] = [Date.UTC(2026, 6, 1), Date.UTC(2026, 0, 1)];
  expect([zoneOf("PT")(summer), zoneOf("PT")(winter)]).toEqual([-7 * 3_600_000, -8 * 3_600_000]);
  expect([zoneOf("PST")(summer), zoneOf("PST")(winter)]).toEqual([-8 * 3_600_000, -8 * 3_600_000]);
});

const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "America/St_Johns",
  "Africa/Casablanca",
  "America/Santiago",
  "Pacific/Chatham",
  "Asia/Seoul",
  "UTC",
];

test("what clocks show at an instant, they show at that instant", () => {
  const seconds = fc.integer({ min: Date.UTC(2020, 0) / 1000, max: Date.UTC(2030, 0) / 1000 });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), seconds, (name, second) => {
      const zone = zoneOf(name);
      const instants = findInstants(toWallTime(second * 1000, zone), zone);
      expect(instants).toContain(second * 1000);
      expect(instants.length).toBeLessThanOrEqual(2);
    }),
    { numRuns: 400 },
  );
});
