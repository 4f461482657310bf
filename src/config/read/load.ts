// Loads the settings files of the user and of a project, through cosmiconfig. The only file that imports it.
// Leaves reading their text to settings-text.ts, and what the settings mean to resolve.ts.
import path from "node:path";
import { errorCode, errorMessage, UserError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { runAtRoot } from "../../system/files/settings-file.js";
import { PROJECT_FILES } from "./places.js";
import type { SettingsFile } from "./settings-text.js";

/** The settings files that are there; `undefined` where there is none. */
export interface SettingsFiles {
  user?: SettingsFile | undefined;
  project?: SettingsFile | undefined;
}

/**
 * Loads them. `project` is the project's folder, `user` the files the user's settings may be in (`listUserFiles`), all
 * absolute. Two files of one owner, and a file that cannot be read or parsed, are `usage` errors.
 */
export async function loadSettings(
  files: Files,
  places: { project: string; user: readonly string[] },
): Promise<SettingsFiles> {
  const inProject = [...PROJECT_FILES, "package.json"].map((name) => path.join(places.project, name));
  return {
    user: await loadOne(files, places.user, (file) => file),
    project: await loadOne(files, inProject, (file) => path.relative(places.project, file)),
  };
}

async function loadOne(
  files: Files,
  candidates: readonly string[],
  nameOf: (file: string) => string,
): Promise<SettingsFile | undefined> {
  // Made for the first file there is: most projects have none of most of these, and the libraries are large.
  let load: Awaited<ReturnType<typeof makeLoader>> | undefined;
  const found: { file: string; settings: SettingsFile }[] = [];
  for (const file of candidates) {
    // A link that leads nowhere is a mistake to be told of, not a file that is not there.
    if ((await files.stat(file, { link: true })) === undefined) continue;
    // Opening a pipe blocks until another process writes into it.
    if ((await files.stat(file))?.kind === "other")
      throw new UserError("usage", `${file} is a pipe or a device`, "put a file in its place, or remove it");
    const settings = await (load ??= await makeLoader(nameOf))(file);
    if (settings !== undefined) found.push({ file, settings });
  }
  const [first, second] = found;
  if (first === undefined || second === undefined) return first?.settings;
  throw new UserError("usage", `two settings files: ${first.file} and ${second.file}`, "keep one of them");
}

/**
 * Sentences about files of a project that look like its settings and are none: other formats, some of which would have
 * to be run to be read.
 */
export async function findStrangeSettings(files: Files, project: string): Promise<string[]> {
  const names = (await files.list(path.join(project, ".looper")).catch(() => []))
    .filter((name) => STRANGE.test(name))
    .map((name) => `.looper/${name}`);
  return names.map((name) => `${name} is not read; settings are read from ${PROJECT_FILES.join(", ")}`);
}

const STRANGE = /^config\.(?:[cm]?js|ts|toml|jsonc)$/;

/** Makes a function that loads one file, an absolute path that exists. */
async function makeLoader(
  nameOf: (file: string) => string,
): Promise<(file: string) => Promise<SettingsFile | undefined>> {
  const { cosmiconfig } = await import("cosmiconfig");
  const { readJsonSettings, readPackageSettings, readYamlSettings } = await import("./settings-text.js");
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
