import { relative, sep } from "node:path";
import { runGit } from "../git.js";
import type { Repository } from "../repository/repository.js";

/** The files of this list (absolute, without symlinks) that git tracks. */
export async function listTracked(repo: Repository, files: readonly string[]): Promise<string[]> {
  const inside = new Map(
    files
      .map((file) => [relative(repo.cwd, file).split(sep).join("/"), file] as const)
      .filter(([name]) => name !== "" && name !== ".." && !name.startsWith("../")),
  );

  if (inside.size === 0) return [];
  const { out } = await runGit(repo, ["--literal-pathspecs", "ls-files", "-z", "--", ...inside.keys()]);
  const names = Buffer.from(out, "latin1").toString("utf8").split("\0");
  return [...new Set(names)].flatMap((name) => inside.get(name) ?? []);
}
