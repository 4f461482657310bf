import { TaskId } from "./task.js";

/** The style of ids: the text before the number, and how the number is written. */
interface Style {
  before: string;
  count: number;
  highest: number;
  /** The most digits of a number; shorter numbers are padded with zeros. */
  width: number;
}

/** A longer number would not be exact. */
const MOST_DIGITS = 15;

/**
 * Returns a function that makes new ids in the most frequent style of `ids`, the latest style in a tie (T001 … T009 →
 * T010, TASK-12 → TASK-13); without numbers T1, T2 … The ids in `taken` are not given again and do not affect the style.
 */
export function makeIds(ids: readonly string[], taken: readonly string[] = []): () => TaskId {
  let usual: Style = { before: "T", count: 0, highest: 0, width: 0 };
  const styles = new Map([[usual.before, usual]]);
  for (const [at, id] of [...ids, ...taken].entries()) {
    const digits = /(?<!\d)\d+$/.exec(id)?.[0];
    if (digits === undefined || digits.length > MOST_DIGITS) continue;
    const before = id.slice(0, -digits.length);
    const style = styles.get(before) ?? { before, count: 0, highest: 0, width: 0 };
    styles.set(before, style);
    style.highest = Math.max(style.highest, Number(digits));
    style.width = Math.max(style.width, digits.length);
    if (at >= ids.length) continue;
    style.count++;
    if (style.count >= usual.count) usual = style;
  }
  const { before, width } = usual;
  let last = usual.highest;
  return () => TaskId.parse(before + String(++last).padStart(width, "0"));
}
