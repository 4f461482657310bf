// A second repository that reads its objects from the first. Work in it never reaches the first, whose git folder
// and working tree are only read. checkout-tree.ts fills its working tree.
import { dirname, join } from "node:path";
import { toText } from "../../src/git/base/bytes.js";
import { runGit, type GitPlace } from "../../src/git/base/git.js";
import { gitEnv } from "../../src/system/git-env.js";
import type { Repository } from "../../src/git/base/repository/repository.js";

/**
 * Settings by which git converts files to blobs and back, or leaves files out. Filters and hooks are programs, so
 * they are not copied.
 */
const KEPT_SETTINGS = "^core\\.(autocrlf|eol|ignorecase|precomposeunicode|excludesfile|attributesfile)$";

export interface CloneOrder {
  /** Absolute; it exists and is empty. */
  folder: string;
  /** Absolute: the home folder for git in the clone. */
  home: string;
}

/** Makes the clone, on a branch without a commit; returns the environment for git in it. */
export async function cloneShared(
  source: Repository,
  { folder, home }: CloneOrder,
): Promise<Record<string, string>> {
  const { files } = source.ports;
  const env: Record<string, string> = {
    PATH: source.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  await files.makeFolder(folder, 0o700);
  const place: GitPlace = { ports: source.ports, cwd: folder, env: gitEnv(env) };
  const format = `--object-format=${source.idBytes === 32 ? "sha256" : "sha1"}`;
  await runGit(place, ["init", "--quiet", "--template=", "--initial-branch=replay", format]);
  const gitDir = join(folder, ".git");
  await writeBelow(source, join(gitDir, "objects", "info", "alternates"), objectsOf(source));
  const shallow = await files.read(join(source.commonDir, "shallow"));
  if (shallow !== undefined) await files.writeNew(join(gitDir, "shallow"), shallow);
  await copySettings(source, place, gitDir);
  return env;
}

function objectsOf({ commonDir }: Repository): Uint8Array {
  return Buffer.from(`${join(commonDir, "objects")}\n`, "utf8");
}

async function copySettings(source: Repository, place: GitPlace, gitDir: string): Promise<void> {
  const args = ["config", "-z", "--type=path", "--get-regexp", KEPT_SETTINGS];
  const asked = await runGit(source, args, { answers: [1] });
  const settings = new Map(
    asked.out.split("\0").flatMap((entry) => {
      const at = entry.indexOf("\n");
      return at < 0 ? [] : [[entry.slice(0, at), toText(entry.slice(at + 1))] as const];
    }),
  );
  const ignore = settings.get("core.excludesfile") ?? userFile(source, "ignore");
  const attributes = settings.get("core.attributesfile") ?? userFile(source, "attributes");
  settings.delete("core.excludesfile");
  settings.delete("core.attributesfile");
  for (const [key, value] of settings) await runGit(place, ["config", key, value]);
  // The more specific setting wins in git, so it comes last.
  await joinFiles(
    source,
    [ignore, join(source.commonDir, "info", "exclude")],
    join(gitDir, "info", "exclude"),
  );
  await joinFiles(
    source,
    [attributes, join(source.commonDir, "info", "attributes")],
    join(gitDir, "info", "attributes"),
  );
}

/** The absolute path of the user's own file if it is not configured. */
function userFile({ env }: Repository, name: string): string {
  const config = env["XDG_CONFIG_HOME"];
  const folder = config === undefined || config === "" ? join(env["HOME"] ?? "/", ".config") : config;
  return join(folder, "git", name);
}

async function joinFiles(source: Repository, from: readonly string[], to: string): Promise<void> {
  const { files } = source.ports;
  const contents = await Promise.all(from.map((file) => files.read(file)));
  const parts = contents.flatMap((content) => (content === undefined ? [] : [content, Buffer.from("\n")]));
  if (parts.length > 0) await writeBelow(source, to, Buffer.concat(parts));
}

async function writeBelow({ ports }: Repository, path: string, content: Uint8Array): Promise<void> {
  await ports.files.makeFolder(dirname(path), 0o700);
  await ports.files.writeNew(path, content);
}
