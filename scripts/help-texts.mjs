// In the built program the texts of the help, as wide as they usually are, stand in the place of cmd/usual-help.ts: writing
// them takes as long as starting. Leaves what they say to cmd/help.ts.
import { loadCode } from "./load-code.mjs";

async function codeOf() {
  const { USUAL_COLUMNS, usualHelp } = /** @type {typeof import("../cmd/usual-help.js")} */ (
    await loadCode("cmd/usual-help.ts")
  );
  const { COMMANDS } = /** @type {typeof import("../cmd/definitions.js")} */ (
    await loadCode("cmd/definitions.ts")
  );
  const texts = Object.fromEntries(COMMANDS.map(({ name }) => [name, usualHelp(name)]));
  return `export const USUAL_COLUMNS = ${String(USUAL_COLUMNS)};
const whole = ${JSON.stringify(usualHelp(undefined))};
const texts = new Map(Object.entries(${JSON.stringify(texts)}));
export const usualHelp = (name) => (name === undefined ? whole : texts.get(name));
`;
}

/**
 * Puts them there.
 * @returns {import("esbuild").Plugin}
 */
export function writtenHelp() {
  return {
    name: "written-help",
    setup: (build) => {
      build.onLoad({ filter: /\/cmd\/usual-help\.ts$/ }, async () => ({
        contents: await codeOf(),
        loader: "js",
      }));
    },
  };
}
