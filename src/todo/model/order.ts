// The order of ids: digit runs compare as numbers, the rest by code point, a tie by the whole string. A total order.

const ZERO = 48;
const NINE = 57;

/** Natural order (contract §3.2): negative when `a` comes first, 0 only for equal strings. T001 < T1 < T2 < T10; A2 < T1. */
export function compareIds(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a.charCodeAt(i)) && isDigit(b.charCodeAt(j))) {
      const [fromA, fromB] = [endOfZeros(a, i), endOfZeros(b, j)];
      const [endA, endB] = [endOfRun(a, fromA), endOfRun(b, fromB)];
      if (endA - fromA !== endB - fromB) return endA - fromA - (endB - fromB);
      for (i = fromA, j = fromB; i < endA; i++, j++) {
        const order = a.charCodeAt(i) - b.charCodeAt(j);
        if (order !== 0) return order;
      }
    } else {
      const pointA = a.codePointAt(i) ?? 0;
      const pointB = b.codePointAt(j) ?? 0;
      if (pointA !== pointB) return pointA - pointB;
      // Skip the second half of a surrogate pair: it is the same in both.
      i++;
      j++;
    }
  }
  return a.length - i - (b.length - j) || compareText(a, b);
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** The end of leading zeros, which do not count: the digits after them compare as a number of any size. */
function endOfZeros(text: string, from: number): number {
  let end = from;
  while (text.charCodeAt(end) === ZERO) end++;
  return end;
}

function endOfRun(text: string, from: number): number {
  let end = from;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** By UTF-16 code units, which is the order by code point where strings differ only in digits. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
