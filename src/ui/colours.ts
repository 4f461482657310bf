import picocolors from "picocolors";

/** The ways of writing that are used here. */
export type Colours = Pick<
  ReturnType<typeof picocolors.createColors>,
  "bold" | "cyan" | "dim" | "green" | "red" | "yellow"
>;

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

/** By itself picocolors would colour a pipe where CI is set; and to look whether it may, it opens stdout. */
export function coloursFor(wanted: boolean): Colours {
  return wanted ? picocolors.createColors(true) : PLAIN;
}

export const PLAIN: Colours = {
  bold: String,
  cyan: String,
  dim: String,
  green: String,
  red: String,
  yellow: String,
};
