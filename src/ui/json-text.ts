/** Characters that JSON does not escape and a terminal may interpret. */
const STEERING = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A value as JSON that is safe to show on a terminal and parses to the same value. */
export function jsonText(value: unknown, indent?: number): string {
  return spellOut(JSON.stringify(value, undefined, indent));
}

/** The same for a text that is JSON already. */
export function spellOut(json: string): string {
  return json.replace(STEERING, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Items of a list that are spelled at once: neither their answers nor their text pile up in memory. */
const BATCH = 500;

/** The text of `jsonText({ ...head, [name]: [...items], ...tail }, 2)` in pieces. `head` has a field. */
export function* jsonPieces(
  head: object,
  [name, items]: readonly [name: string, items: Iterable<unknown>],
  tail: object,
): Generator<string> {
  yield spellOut(`${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  ${JSON.stringify(name)}: `);
  let begin = "[";
  let batch: unknown[] = [];
  const flush = (): string => {
    // In an object of their own the items are as deep as in the whole.
    const text = JSON.stringify({ _: batch }, undefined, 2).slice('{\n  "_": ['.length, -"\n  ]\n}".length);
    const piece = spellOut(begin + text);
    [begin, batch] = [",", []];
    return piece;
  };
  for (const item of items) if (batch.push(item) === BATCH) yield flush();
  if (batch.length > 0) yield flush();
  const rest = JSON.stringify(tail, undefined, 2).slice(1);
  yield spellOut((begin === "[" ? "[]" : "\n  ]") + (rest === "}" ? "\n}" : `,${rest}`));
}
