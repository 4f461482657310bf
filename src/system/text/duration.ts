import parse from "parse-duration";

/** The spelled durations: days, hours, minutes, seconds, each at most once and in that order (`1d12h`, `1.5d`), or a bare number. */
export const DURATION_PATTERN =
  /^(?:\d+(?:\.\d+)?|(?=\d)(?:\d+(?:\.\d+)?d)?(?:\d+(?:\.\d+)?h)?(?:\d+(?:\.\d+)?m)?(?:\d+(?:\.\d+)?s)?)$/;

const BARE = /^\d+(?:\.\d+)?$/;

/** `90s`, `30m`, `2h`, `7d`, `1d12h`, or a number of seconds, in whole milliseconds; `undefined` for anything else. */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === "number") return milliseconds(value * 1000);
  if (!DURATION_PATTERN.test(value)) return undefined;
  // By itself the library reads `90` as milliseconds, and `5m banana` as five minutes.
  return milliseconds(BARE.test(value) ? Number(value) * 1000 : (parse(value) ?? Number.NaN));
}

function milliseconds(value: number): number | undefined {
  const whole = Math.round(value);
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : undefined;
}
