const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)t([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-][0-2]\d:[0-5]\d)$/i;

/** Whether a text is a date and time with its zone, as RFC 3339 writes it: 2026-11-20T21:46:01Z. */
export function isDateTime(text: string): boolean {
  const [, year, month, day] = (DATE_TIME.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && day > 0;
}
