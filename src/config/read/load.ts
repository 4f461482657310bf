// Looks for the settings files of the user and of a project. Leaves the search to search.ts, which is
// imported only where there is a file.
import path from "node:path";
import { usageError } from "../../system/errors.js";
import type { Files } from "../../system/ports.js";
import { PROJECT_FILES } from "./places.js";
import type { Layers } from "./resolve.js";
import type { SettingsFile } from "./settings-text.js";

/**
 * Loads those that are there. `project` is the project's folder, `user` the files the user's settings may be in (`listUserFiles`), all
 * absolute. Two files of one owner, and a file that cannot be read or parsed, are `usage` errors.
 */
export async function loadSettings(
  files: Files,
  places: { project: string; user: readonly string[] },
): Promise<Pick<Layers, "user" | "project">> {
  const inProject = [...PROJECT_FILES, "package.json"].map((name) => path.join(places.project, name));
  return {
    user: await loadFrom(files, path.dirname(places.user[0] ?? ""), places.user, (file) => file),
    project: await loadFrom(files, places.project, inProject, (file) => path.relative(places.project, file)),
  };
}

async function loadFrom(
  files: Files,
  folder: string,
  candidates: readonly string[],
  nameOf: (file: string) => string,
): Promise<SettingsFile | undefined> {
  const there: string[] = [];
  for (const file of candidates) {
    // A link that leads nowhere is a mistake to be told of, not a file that is not there.
    if ((await files.stat(file, { link: true })) === undefined) continue;
    // Opening a pipe blocks until another process writes into it.
    if ((await files.stat(file))?.kind === "other")
      throw usageError(`${file} is a pipe or a device`, "put a file in its place, or remove it");
    there.push(file);
  }
  // Most projects have none, and the libraries are large.
  if (there.length === 0) return undefined;
  return (await import("./search.js")).searchSettings(folder, there, nameOf);
}
