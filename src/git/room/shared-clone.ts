// A second repository that reads its objects from the first: what is done in it never reaches that one, whose git folder and
// working tree are only read. Leaves what is laid into it to checkout-tree.ts.
import { dirname, join } from "node:path";
import { toText } from "../base/bytes.js";
import { gitEnv, runGit, type GitPlace } from "../base/git.js";
import type { Repository } from "../base/repository.js";

/** Settings by which git turns files into blobs and back, or leaves files out. Filters and hooks are programs: they stay behind. */
const KEPT_SETTINGS = "^core\\.(autocrlf|eol|ignorecase|precomposeunicode|excludesfile|attributesfile)$";

export interface CloneOrder {
  /** Absolute; made, and nothing is there yet. */
  folder: string;
  /** Absolute: the home folder git sees there. */
  home: string;
}

/** Makes it, on a branch without a commit; answers with the environment git needs there. */
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
  // What is said nearer counts more, so it comes last.
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

/** Where git looks for the user's own file when no setting names one; absolute. */
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
