// Finds the files of a commit whose content holds a word. Leaves reading them to objects.ts.
import { runGit, type GitPlace } from "../git.js";

/**
 * The paths (bytes) of files of a commit that hold one of these words literally; a word is bytes without a line break. Files of every
 * kind are searched, since attributes in the tree could name any file binary. One process, none for no words.
 */
export async function pathsWith(
  place: GitPlace,
  commit: string,
  words: readonly string[],
): Promise<ReadonlySet<string>> {
  const patterns = words.filter((word) => word !== "" && !/[\n\r]/.test(word));
  if (patterns.length === 0) return new Set();
  const flags = ["-l", "-z", "-a", "-F", "--full-name", "--no-recurse-submodules", "-f", "-"];
  const input = `${patterns.join("\n")}\n`;
  const { out } = await runGit(place, ["grep", ...flags, commit], { input, answers: [1] });
  return new Set(out.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(commit.length + 1)])));
}
