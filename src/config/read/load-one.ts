// Loads one settings file through cosmiconfig. The only file that imports it. Leaves reading its text to settings-text.ts.
import path from "node:path";
import { cosmiconfig } from "cosmiconfig";
import { errorCode, errorMessage, UserError } from "../../system/errors.js";
import { runAtRoot } from "../../system/files/settings-file.js";
import {
  readJsonSettings,
  readPackageSettings,
  readYamlSettings,
  type SettingsFile,
} from "./settings-text.js";

/** Makes a function that loads one file, an absolute path that exists. */
export function makeLoader(
  nameOf: (file: string) => string,
): (file: string) => Promise<SettingsFile | undefined> {
  const json = (file: string, text: string) => readJsonSettings(nameOf(file), text);
  const yaml = (file: string, text: string) => readYamlSettings(nameOf(file), text);
  // For a file called package.json, cosmiconfig takes the property of this name out of what its loader returns.
  const named = (file: string, text: string) =>
    path.basename(file) === "package.json"
      ? { looper: readPackageSettings(nameOf(file), text) }
      : json(file, text);
  // Making an explorer runs ./.config/config.js of the working folder, whatever the options.
  const explorer = runAtRoot(() =>
    cosmiconfig("looper", {
      cache: false,
      searchPlaces: [],
      loaders: { ".json": named, ".yaml": yaml, ".yml": yaml },
    }),
  );
  return async (file) => {
    try {
      const loaded = await explorer.load(file);
      if (loaded === null) return undefined;
      if (loaded.isEmpty === true) return { name: nameOf(file), value: undefined, lineOf: () => 1 };
      // cosmiconfig types what a loader returned as `any`; the loaders above return nothing else.
      return loaded.config as SettingsFile;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      throw new UserError("usage", `${file} cannot be read: ${errorMessage(error)}`, "check its permissions");
    }
  };
}
