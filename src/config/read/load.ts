// Finds the settings files of the user and of a project. Leaves loading one to load-one.ts, which is imported only where there is
// one, and what the settings mean to resolve.ts.
import path from "node:path";
import { UserError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
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
  let load: ((file: string) => Promise<SettingsFile | undefined>) | undefined;
  const found: { file: string; settings: SettingsFile }[] = [];
  for (const file of candidates) {
    // A link that leads nowhere is a mistake to be told of, not a file that is not there.
    if ((await files.stat(file, { link: true })) === undefined) continue;
    // Opening a pipe blocks until another process writes into it.
    if ((await files.stat(file))?.kind === "other")
      throw new UserError("usage", `${file} is a pipe or a device`, "put a file in its place, or remove it");
    const settings = await (load ??= (await import("./load-one.js")).makeLoader(nameOf))(file);
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
