// Whether a file is inside a folder once all symlinks are followed: a link in a project could show any file of the user's to
// an agent.
import { errorCode } from "../errors.js";
import type { Files } from "../ports.js";

/** False also of a file or folder that cannot be found: it does not exist, or is a link to itself. */
export async function leadsInside(
  files: Pick<Files, "realPath">,
  file: string,
  folder: string,
): Promise<boolean> {
  try {
    const [real, top] = [await files.realPath(file), await files.realPath(folder)];
    return real !== undefined && top !== undefined && real.startsWith(top === "/" ? top : `${top}/`);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
