// A truth value as a variable or a flag spells it. Pure.

const TRUTHS: ReadonlyMap<string, boolean> = new Map(
  Object.entries({
    true: true,
    t: true,
    yes: true,
    y: true,
    on: true,
    1: true,
    false: false,
    f: false,
    no: false,
    n: false,
    off: false,
    0: false,
  }),
);

/** Whatever the case, and with spaces around it; `undefined`: it is neither. */
export function readTruth(text: string): boolean | undefined {
  return TRUTHS.get(text.trim().toLowerCase());
}
