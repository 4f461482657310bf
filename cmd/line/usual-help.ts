// The help where nothing says how wide it may be. In the built program scripts/help-texts.mjs puts the texts themselves in
// this file's place: what it exports must stay in step with that.
import { writeHelp } from "./help.js";

/** The width of pipes and files. */
export const USUAL_COLUMNS = 80;

/** The help of a command, or of the program. */
export function usualHelp(name: string | undefined): string {
  return writeHelp(name, USUAL_COLUMNS);
}
