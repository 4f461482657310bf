// The paths by which symbolic links lead to files of a project. Pure. Leaves which of these paths are checks to ../classify.ts.
import { posix } from "node:path";
import type { ChangedFile, ReferenceFiles } from "./kinds.js";
import { folderOf, isBelow } from "./project-paths.js";

/** A path by which a link leads to a file. */
interface Alias {
  path: string;
  /** Where the link itself leads: to the file, or to a folder that it is in. */
  target: string;
}

/** Links at the reference and as an attempt leaves them. */
export class Links {
  readonly #links: readonly { path: string; target: string }[];

  constructor(changes: readonly ChangedFile[], { links = [], link }: ReferenceFiles) {
    const before = links.map((path) => ({ path, to: link?.(path) }));
    const after = changes.map(({ path, to, after: text }) => ({
      path,
      to: to.mode === "120000" ? text : undefined,
    }));
    this.#links = [...before, ...after].flatMap(({ path, to }) => {
      const target = to === undefined || to.startsWith("/") ? "" : posix.join(folderOf(path), to);
      // A link to the top, or out of the project, says nothing of one file.
      return /^(?:\.{0,2}|\.\.\/.*)$/.test(target) ? [] : [{ path, target: target.replace(/\/$/, "") }];
    });
  }

  /** The paths by which links lead to a file; links may lead to links. */
  aliasesOf(path: string): readonly Alias[] {
    const found = new Map<string, Alias>();
    if (this.#links.length === 0) return [];
    this.#add(path, found);
    // The loop also visits what is added during it.
    for (const known of found.keys()) this.#add(known, found);
    return [...found.values()];
  }

  #add(known: string, found: Map<string, Alias>): void {
    for (const { path, target } of this.#links) {
      const alias = path + known.slice(target.length);
      if (!isBelow(known, target) || isBelow(alias, target) || found.size >= MOST) continue;
      if (!found.has(alias)) found.set(alias, { path: alias, target });
    }
  }
}

/** More paths to one file are not looked at: links can lead in circles. */
const MOST = 100;
