import picocolors from "picocolors";

export type Colours = ReturnType<typeof picocolors.createColors>;

/**
 * Whether colour is wanted: `refused` (by a flag) says no, so does `NO_COLOR`; `FORCE_COLOR` yes (`0` and `false` no); else
 * only on a terminal that is not dumb.
 */
export function wantsColour(
  env: Readonly<Record<string, string>>,
  { isTerminal, refused }: { isTerminal: boolean; refused: boolean },
): boolean {
  const { NO_COLOR: no = "", FORCE_COLOR: force, TERM: term } = env;
  if (refused || no !== "") return false;
  if (force !== undefined) return force !== "0" && force !== "false";
  return isTerminal && term !== "dumb";
}

/** By itself picocolors would colour a pipe where CI is set. */
export function coloursFor(wanted: boolean): Colours {
  return picocolors.createColors(wanted);
}

export const PLAIN: Colours = picocolors.createColors(false);
