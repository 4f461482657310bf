// In the built program the texts of the help, as wide as they usually are, stand in the place of cmd/line/usual-help.ts: writing
// them takes as long as starting. Leaves what they say to cmd/line/help.ts.
import { loadCode } from "./load-code.mjs";
import { replaceFile } from "./replace-file.mjs";

async function codeOf() {
  const { USUAL_COLUMNS, usualHelp } = /** @type {typeof import("../cmd/line/usual-help.js")} */ (
    await loadCode("cmd/line/usual-help.ts")
  );
  const { COMMANDS } = /** @type {typeof import("../cmd/line/definitions.js")} */ (
    await loadCode("cmd/line/definitions.ts")
  );
  const texts = Object.fromEntries(COMMANDS.map(({ name }) => [name, usualHelp(name)]));
  return `export const USUAL_COLUMNS = ${String(USUAL_COLUMNS)};
const whole = ${JSON.stringify(usualHelp(undefined))};
const texts = new Map(Object.entries(${JSON.stringify(texts)}));
export const usualHelp = (name) => (name === undefined ? whole : texts.get(name));
`;
}

/** The plugin that puts them there. */
export const writtenHelp = () => replaceFile("cmd/line/usual-help.ts", codeOf);
