// The id of a run: its start in UTC, with a number behind it if another run began in the same second. Pure.

/** `2026-11-20_21-46-01`, `2026-11-20_21-46-01-2`. */
export const RUN_ID = /^(\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d)(?:-(\d+))?$/;

/** Compares ids: the older run first. */
export function byStart(a: string, b: string): number {
  const [, startA = "", nA = "1"] = RUN_ID.exec(a) ?? [];
  const [, startB = "", nB = "1"] = RUN_ID.exec(b) ?? [];
  return startA < startB ? -1 : startA > startB ? 1 : Number(nA) - Number(nB);
}

/** Parses the start of a run, epoch ms; NaN for an id that is not a calendar date. */
export function parseStart(run: string): number {
  const [, stamp = ""] = RUN_ID.exec(run) ?? [];
  const [date = "", time = ""] = stamp.split("_");
  return Date.parse(`${date}T${time.replaceAll("-", ":")}Z`);
}
