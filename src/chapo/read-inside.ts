// Reads a file of the project that the engine itself looks for, bounded. Leaves where a path may lead to src/chapo/paths.ts.
import { resolvePath, type ProjectFolder } from "./paths.js";

/** The first `most` bytes as text, line ends as LF, and whether that is not all; `undefined` where there is no such file inside the project. */
export async function readInside(
  place: ProjectFolder,
  file: string,
  most: number,
): Promise<{ text: string; cut: boolean } | undefined> {
  try {
    // Under the stricter rules: what it reads unasked goes out to a provider, and a link must not lead it to keys.
    const resolved = await resolvePath(place, file, "write");
    if ("refusal" in resolved) return undefined;
    const stat = await place.files.stat(resolved.path);
    if (stat?.kind !== "file") return undefined;
    const bytes = await place.files.readRange(resolved.path, 0, Math.min(stat.size, most));
    // A character cut in half at the end is dropped with the rest.
    const text = new TextDecoder().decode(bytes, { stream: stat.size > most });
    return { text: text.replaceAll("\r\n", "\n"), cut: stat.size > most };
  } catch {
    return undefined;
  }
}
