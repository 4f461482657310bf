// Working trees that borrow the objects of another repository: the room's own, and those of its submodules. Nothing
// is fetched. room.ts makes the room itself.
import { join } from "node:path";
import { toText } from "../base/bytes.js";
import { runGit, type GitPlace } from "../base/git.js";

/** Makes a git folder that borrows the objects of another. Starts one process. */
export async function initBorrowing(
  place: GitPlace,
  order: {
    gitDir: string;
    /** "sha1" or "sha256". */ format: string;
    /** Absolute: a git folder. */ from: string;
  },
): Promise<void> {
  const { files } = place.ports;
  await runGit(place, ["init", "--quiet", "--template=", `--object-format=${order.format}`]);
  const info = join(order.gitDir, "objects", "info");
  await files.makeFolder(info);
  await files.writeNew(join(info, "alternates"), `${join(order.from, "objects")}\n`);
}

/**
 * Checks out the project's submodules at the commits of the room; a submodule without its commit stays an empty
 * folder. Starts no process without submodules.
 */
export async function fillSubmodules(place: GitPlace, projectTop: string): Promise<void> {
  const { files } = place.ports;
  if ((await files.stat(join(place.cwd, ".gitmodules"))) === undefined) return;
  const { out } = await runGit(place, ["ls-files", "--stage", "-z"]);
  for (const line of out.split("\0")) {
    const [, commit, bytes] = /^160000 ([0-9a-f]+) 0\t([\s\S]+)$/.exec(line) ?? [];
    if (commit === undefined || bytes === undefined) continue;
    const path = toText(bytes);
    const from = join(projectTop, path);
    if ((await files.stat(join(from, ".git"))) === undefined) continue;
    await fillSubmodule(place, { commit, path, from });
  }
}

async function fillSubmodule(
  room: GitPlace,
  { commit, path, from }: { commit: string; path: string; from: string },
): Promise<void> {
  const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, ...env } = room.env;
  const source: GitPlace = { ports: room.ports, cwd: from, env };
  const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-object-format"];
  const [commonDir = "", format = ""] = toText((await runGit(source, asked)).out).split("\n");
  const has = await runGit(source, ["cat-file", "-e", `${commit}^{commit}`], { answers: [1, 128] });
  if (has.code !== 0) return;
  const top = join(room.cwd, path);
  const gitDir = join(top, ".git");
  const place = { ports: room.ports, cwd: top, env: { ...env, GIT_DIR: gitDir, GIT_WORK_TREE: top } };
  await initBorrowing(place, { gitDir, format, from: commonDir });
  await runGit(place, ["checkout", "--quiet", "--detach", "--force", commit]);
  await fillSubmodules(place, from);
}
