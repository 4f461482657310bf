import { TaskId } from "./task.js";

/** Ids that end in the same way: what stands before the number, and how the number is written. */
interface Style {
  before: string;
  count: number;
  highest: number;
  /** The most digits a number has: a shorter one is padded to it with zeros. */
  width: number;
}

/** A longer number would not be exact. */
const MOST_DIGITS = 15;

/**
 * Hands out new ids in the style of those there are: that of most of them, a tie going to the one met last (T001 … T009 → T010,
 * TASK-12 → TASK-13). Where none ends in a number: T1, T2 … `taken`: further ids, not to be given again, without a say in the style.
 */
export function idsAfter(ids: readonly string[], taken: readonly string[] = []): () => TaskId {
  let usual: Style = { before: "T", count: 0, highest: 0, width: 0 };
  const styles = new Map([[usual.before, usual]]);
  for (const [at, id] of [...ids, ...taken].entries()) {
    const digits = /\d+$/.exec(id)?.[0];
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
