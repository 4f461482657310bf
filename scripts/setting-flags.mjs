// In the built program the flags that set settings are a finished list, in the place of cmd/line/setting-flags.ts: loading
// the table of settings would slow every start. Leaves what the list holds to that file.
import { loadCode } from "./load-code.mjs";
import { replaceFile } from "./replace-file.mjs";

async function codeOf() {
  const { SETTING_FLAGS } = /** @type {typeof import("../cmd/line/setting-flags.js")} */ (
    await loadCode("cmd/line/setting-flags.ts")
  );
  return `export const SETTING_FLAGS = ${JSON.stringify(SETTING_FLAGS)};
export const settingFlag = (name) => SETTING_FLAGS.find(({ spelled }) => spelled.split(" ")[0] === name);
`;
}

/** The plugin that puts the list there. */
export const writtenFlags = () => replaceFile("cmd/line/setting-flags.ts", codeOf);
