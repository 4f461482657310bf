import { TaskId } from "./task.js";

/** Ids that end in the same way: what stands before the number, and how the number is written. */
interface Style {
  count: number;
  highest: number;
  /** Digits a number is padded to with zeros; 0 = not padded. */
  width: number;
}

/** A longer number would not be exact. */
const MOST_DIGITS = 15;

/**
 * Hands out new ids in the style of those there are: that of most of them, a tie going to the one met last (T001 … T009 → T010,
 * TASK-12 → TASK-13). Where none ends in a number: T1, T2 … `taken`: further ids, not to be given again, without a say in the style.
 */
export function idsAfter(ids: readonly string[], taken: readonly string[] = []): () => TaskId {
  const styles = new Map<string, Style>([["T", { count: 0, highest: 0, width: 0 }]]);
  let prefix = "T";
  for (const [at, id] of [...ids, ...taken].entries()) {
    const digits = /\d+$/.exec(id)?.[0];
    if (digits === undefined || digits.length > MOST_DIGITS) continue;
    const before = id.slice(0, -digits.length);
    const style = styles.get(before) ?? { count: 0, highest: 0, width: 0 };
    styles.set(before, style);
    style.highest = Math.max(style.highest, Number(digits));
    if (digits.startsWith("0") && digits.length > 1) style.width = Math.max(style.width, digits.length);
    if (at >= ids.length) continue;
    style.count++;
    if (style.count >= (styles.get(prefix)?.count ?? 0)) prefix = before;
  }
  const { highest, width } = styles.get(prefix) ?? { highest: 0, width: 0 };
  let last = highest;
  return () => TaskId.parse(prefix + String(++last).padStart(width, "0"));
}
