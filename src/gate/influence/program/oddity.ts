// Why a changed path cannot be part of the program, whatever its name and place say: links, modes, outputs, and names that some
// machines take for another file's. Pure. Leaves everything else to classify.ts.
import { posix } from "node:path";
import { GONE, type ChangedFile } from "./kinds.js";
import { isForeign } from "./project-paths.js";

const REGULAR = /^100/;

/** The oddities of the changes of one attempt. */
export class Oddities {
  /** Paths at the reference that stay, by their lower case. */
  #lowered: ReadonlyMap<string, readonly string[]> | undefined;

  /** `stays`: whether a path is a file as the attempt leaves it. */
  constructor(
    private readonly paths: readonly string[],
    private readonly stays: (path: string) => boolean,
  ) {}

  /** The reason in a few words; `undefined` if the path is not odd. */
  of({ path, from, to }: ChangedFile): string | undefined {
    for (const { mode } of [from, to]) {
      if (mode === GONE) continue;
      if (mode === "120000") return "it is a link";
      if (mode === "160000") return "it is a submodule";
      if (!REGULAR.test(mode)) return "it is not a regular file";
    }
    if (from.mode !== GONE && to.mode !== GONE && from.mode !== to.mode) return "its mode changed";
    if (isForeign(path)) return "it is in a folder of outputs or of others' code";
    if (posix.basename(path).startsWith(".")) return "its name begins with a dot";
    return from.mode === GONE && this.#hasTwin(path)
      ? "another file has the same name but for upper and lower case"
      : undefined;
  }

  #hasTwin(path: string): boolean {
    if (this.#lowered === undefined) {
      const found = new Map<string, string[]>();
      for (const one of this.paths) {
        const lowered = one.toLowerCase();
        const known = found.get(lowered);
        if (known === undefined) found.set(lowered, [one]);
        else known.push(one);
      }
      this.#lowered = found;
    }
    return (this.#lowered.get(path.toLowerCase()) ?? []).some((one) => one !== path && this.stays(one));
  }
}
