// "Did you mean": the candidate a mistyped word most likely stood for. Leaves the sentence around it to the caller.

/** Longer words are not typing mistakes, and the comparison is quadratic in their length. */
const LONGEST = 64;
/** From this many letters on, a word that is the beginning of a candidate means it. */
const PREFIX = 3;

/**
 * The candidate nearest to `word`, or `undefined` when none is near: at most a third of the letters differ (a swap of two
 * neighbours counts once, case does not count), else one that begins with the word. A tie goes to the earlier candidate.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length === 0 || word.length > LONGEST) return undefined;
  const folded = word.toLowerCase();
  let bound = Math.min(Math.max(1, Math.floor(word.length / 3)), word.length - 1);
  let best: string | undefined;
  for (const candidate of candidates) {
    if (candidate === word || Math.abs(candidate.length - word.length) > bound) continue;
    const found = distance(folded, candidate.toLowerCase());
    if (found > bound) continue;
    best = candidate;
    if (found === 0) break;
    bound = found - 1;
  }
  if (best !== undefined || word.length < PREFIX) return best;
  return candidates.find((candidate) => candidate.toLowerCase().startsWith(folded) && candidate !== word);
}

/** The hint on an unknown word: the known one that was probably meant, else `otherwise`. */
export function hintOn(word: string, known: readonly string[], otherwise: string): string {
  const near = nearest(word, known);
  return near === undefined ? otherwise : `did you mean ${near}?`;
}

/**
 * The id nearest to a typed one: the same but for case, else the first that differs by one character. Ids are short, and their
 * numbers are names: `T42` is not a slip of `T2`, which has other characters in both places.
 */
export function nearestId(typed: string, ids: readonly string[]): string | undefined {
  if (typed.length === 0 || typed.length > LONGEST) return undefined;
  const folded = typed.toLowerCase();
  const near = ids.filter((id) => id !== typed && isOneOff(folded, id.toLowerCase()));
  return near.find((id) => id.toLowerCase() === folded) ?? near[0];
}

/** One character replaced, added or left out, or two neighbours swapped; within a number a digit is added at its end alone. */
function isOneOff(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || distance(a, b) > 1) return false;
  if (a.length === b.length) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length < 2) return false;
  let at = 0;
  while (at < short.length && long.charAt(at) === short.charAt(at)) at++;
  return at === short.length || !/\d/.test(long.charAt(at));
}

/** Edits that turn `a` into `b`: insert, delete, replace, swap neighbours. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const [one, other] = [a[row - 1], b[column - 1]];
      const isSwap = row > 1 && column > 1 && one === b[column - 2] && a[row - 2] === other;
      const costs = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (one === other ? 0 : 1),
        ...(isSwap ? [(beforeLast[column - 2] ?? 0) + 1] : []),
      ];
      current.push(Math.min(...costs));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
