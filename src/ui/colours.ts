import picocolors from "picocolors";

/** The styles in use. */
export type Colours = Pick<
  ReturnType<typeof picocolors.createColors>,
  "bold" | "cyan" | "dim" | "green" | "red" | "yellow"
>;

/**
 * Whether to use colour: not with the flag (`refused`) or `NO_COLOR`; with `FORCE_COLOR`, unless it is `0` or `false`; else
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

/** picocolors alone would colour a pipe in CI, and it opens stdout to decide. */
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
