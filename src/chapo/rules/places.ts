// Compares absolute paths by their text. Pure. src/chapo/paths.ts resolves symlinks.

/** Returns whether the path is inside the folder and is not the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? "/" : `${folder}/`) && path.length > folder.length;
}
