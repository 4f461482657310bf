// Searches a folder for its settings file with cosmiconfig, and reads it; the only file that imports it.
// Leaves reading a text to settings-text.ts.
import path from "node:path";
import { cosmiconfig } from "cosmiconfig";
import { errorCode, errorMessage, usageError } from "../../system/errors.js";
import { runAtRoot } from "../../system/files/settings-file.js";
import {
  readJsonSettings,
  readPackageSettings,
  readYamlSettings,
  type SettingsFile,
} from "./settings-text.js";

/** The settings in these files of a folder; all absolute, and there. More than one file is a `usage` error. */
export async function searchSettings(
  folder: string,
  there: readonly string[],
  nameOf: (file: string) => string,
): Promise<SettingsFile | undefined> {
  const yaml = (file: string, text: string) => readYamlSettings(nameOf(file), text);
  // For a file called package.json, cosmiconfig takes the property of this name out of what its loader returns.
  const json = (file: string, text: string) =>
    path.basename(file) === "package.json"
      ? { looper: readPackageSettings(nameOf(file), text) }
      : readJsonSettings(nameOf(file), text);
  // Making an explorer runs ./.config/config.js of the working folder, whatever the options.
  const explorer = runAtRoot(() =>
    cosmiconfig("looper", {
      cache: false,
      searchPlaces: there.map((file) => path.relative(folder, file)),
      searchStrategy: "none",
      ignoreEmptySearchPlaces: false,
      loaders: { ".json": json, ".yaml": yaml, ".yml": yaml },
    }),
  );
  const found: { file: string; settings: SettingsFile }[] = [];
  // A search ends at the first file, and passes over what it cannot read.
  for (const file of there) {
    const read = await explorer.load(file).catch((error: unknown) => {
      if (errorCode(error) === undefined) throw error;
      throw usageError(`${file} cannot be read: ${errorMessage(error)}`, "check its permissions");
    });
    if (read === null) continue;
    const empty: SettingsFile = { name: nameOf(file), value: undefined, lineOf: () => 1 };
    // cosmiconfig types what a loader returned as `any`; the loaders above return nothing else.
    found.push({ file, settings: read.isEmpty === true ? empty : (read.config as SettingsFile) });
  }
  const [first, second] = found;
  if (first !== undefined && second !== undefined)
    throw usageError(`two settings files: ${first.file} and ${second.file}`, "keep one of them");
  return first?.settings;
}
