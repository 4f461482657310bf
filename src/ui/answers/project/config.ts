// The answer of `looper config --json`: the settings in force, the origin of each, and their files. Only reads. Leaves
// resolving the settings to src/config.
import path from "node:path";
import type { Project } from "../../../config/project/open-project.js";
import { listUserFiles, PROJECT_FILES } from "../../../config/read/places.js";
import { readPackageSettings } from "../../../config/read/settings-text.js";
import { spellSettings } from "../../../config/read/show-settings.js";
import { UserError } from "../../../system/errors.js";
import type { Files } from "../../../system/ports.js";
import type { ConfigAnswer } from "../../shapes/project.js";

/** The user whose settings are read. */
export interface SettingsOwner {
  env: Readonly<Record<string, string>>;
  /** Absolute. */
  home: string;
}

/** Every setting in force. */
export async function configAnswer(
  files: Files,
  { folder, resolved }: Project,
  owner: SettingsOwner,
): Promise<ConfigAnswer> {
  const spelled = spellSettings(resolved.values, owner.env);
  const settings = spelled.map(({ source, ...one }) => ({ ...one, ...source }));
  return { ...(await settingsFilesAnswer(files, folder, owner)), settings };
}

/** Only the settings files of the project in `folder`: also an answer when the settings are broken. */
export async function settingsFilesAnswer(
  files: Files,
  folder: string,
  owner: SettingsOwner,
): Promise<ConfigAnswer> {
  return { project: folder, files: await listSettingsFiles(files, folder, owner), settings: [] };
}

/** Only the setting `key`, or the settings below it. */
export function narrowToKey(answer: ConfigAnswer, key: string): ConfigAnswer {
  const settings = answer.settings.filter((one) => one.key === key || one.key.startsWith(`${key}.`));
  return { ...answer, settings };
}

/** The settings files that exist, and for each owner without one the file that would be read first. */
async function listSettingsFiles(
  files: Files,
  folder: string,
  { env, home }: SettingsOwner,
): Promise<ConfigAnswer["files"]> {
  const inProject = PROJECT_FILES.map((name) => path.join(folder, name));
  const packageFile = path.join(folder, "package.json");
  const owners = [
    { owner: "user", candidates: listUserFiles(env, home) },
    {
      owner: "project",
      candidates: (await hasSettings(files, packageFile)) ? [...inProject, packageFile] : inProject,
    },
  ] as const;
  const found = owners.map(async ({ owner, candidates }) => {
    const looked = await Promise.all(
      candidates.map(async (file) => ({
        owner,
        path: file,
        exists: (await files.stat(file, { link: true })) !== undefined,
      })),
    );
    const there = looked.filter(({ exists }) => exists);
    return there.length > 0 ? there : looked.slice(0, 1);
  });
  return (await Promise.all(found)).flat();
}

/** Every npm project has a package.json. It counts when it contains settings or cannot be read. */
async function hasSettings(files: Files, packageFile: string): Promise<boolean> {
  const bytes = await files.read(packageFile).catch(() => undefined);
  if (bytes === undefined) return false;
  try {
    return readPackageSettings(packageFile, new TextDecoder().decode(bytes)) !== undefined;
  } catch (error) {
    if (error instanceof UserError) return true;
    throw error;
  }
}
