// Reads a project's file for the engine itself, up to a limit. src/chapo/paths.ts decides whether a path is allowed.
import { isContentHidden, resolvePath, type ProjectFolder } from "./paths.js";

/** Returns the first `most` bytes as text with LF line ends; `cut`: the file is longer. `undefined` if no such file may be read. */
export async function readInside(
  place: ProjectFolder,
  file: string,
  most: number,
): Promise<{ text: string; cut: boolean } | undefined> {
  try {
    // The rules for writing apply, because the text is sent to a provider unasked and a link must not lead to keys.
    const resolved = await resolvePath(place, file, "write");
    if ("refusal" in resolved || (await isContentHidden(place, resolved.path))) return undefined;
    const stat = await place.files.stat(resolved.path);
    if (stat?.kind !== "file") return undefined;
    const bytes = await place.files.readRange(resolved.path, 0, Math.min(stat.size, most));
    // An incomplete character at the end is dropped.
    const text = new TextDecoder().decode(bytes, { stream: stat.size > most });
    return { text: text.replaceAll("\r\n", "\n"), cut: stat.size > most };
  } catch {
    return undefined;
  }
}
