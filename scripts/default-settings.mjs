// In the built program the default settings replace src/config/read/default-settings.ts: building the whole table of settings
// takes longer than a listing. Leaves their values to src/config/read/resolve.ts.
import { deepStrictEqual } from "node:assert/strict";
import { loadCode } from "./load-code.mjs";
import { replaceFile } from "./replace-file.mjs";

async function codeOf() {
  const { getDefaultSettings, listOtherVariables } =
    /** @type {typeof import("../src/config/read/default-settings.js")} */ (
      await loadCode("src/config/read/default-settings.ts")
    );
  const { settings, values, warnings } = getDefaultSettings();
  const whole = { settings, values: [...values], warnings };
  const json = JSON.stringify(whole);
  deepStrictEqual(JSON.parse(json), whole, "a default that JSON cannot tell");
  return `const json = ${JSON.stringify(json)};
export const getDefaultSettings = () => {
  const { settings, values, warnings } = JSON.parse(json);
  return { settings, values: new Map(values), warnings };
};
export const listOtherVariables = () => ${JSON.stringify(listOtherVariables())};
`;
}

/** The plugin that puts them there. */
export const readySettings = () => replaceFile("src/config/read/default-settings.ts", codeOf);
