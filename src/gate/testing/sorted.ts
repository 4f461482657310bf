// Test support: sorts the changes of an attempt in a small project, by its commands and the texts of its files.
import type { ChangedFile, ReferenceFiles } from "../sort/files.js";
import type { HomeMade } from "../sort/home-made.js";
import { Sorter, type Sorted, type SortOrder } from "../sort/sort.js";

export type Texts = Readonly<Record<string, string>>;

/** A project and what is known of the machine. */
export interface Setting {
  commands?: readonly string[];
  /** A task's own commands. */
  own?: readonly string[];
  /** `verify.protected`, `verify.source`. */
  patterns?: readonly string[];
  source?: readonly string[];
  work?: string;
}

/** A program of the machine. */
const INSTALLED = "jq";

const REGULAR = "100644";
const GONE = "000000";

/** A change of one path: to a text, to nothing, or as it is given. */
export type After = Readonly<Record<string, string | undefined | { mode: string; text?: string }>>;

/** The project before the attempt, as the gate reads it. */
export function referenceOf(texts: Texts): ReferenceFiles {
  return {
    paths: Object.keys(texts),
    has: (path) => Object.hasOwn(texts, path),
    text: (path) => (Object.hasOwn(texts, path) ? texts[path] : undefined),
    mentions: (word) => Object.keys(texts).filter((path) => texts[path]?.includes(word)),
  };
}

/** The order to sort an attempt. */
function orderOf(setting: Setting, before: Texts, after: After): SortOrder {
  const { commands = [], own = [], patterns = [], source = [], work = "" } = setting;
  return {
    changes: Object.entries(after).map(([path, to]) => changeOf(path, before, to)),
    files: referenceOf(before),
    commands: { project: commands, own },
    settings: { protected: patterns, source, project: work, work },
    hasProgram: (name) => name === INSTALLED,
  };
}

/** Sorts each changed path of a made-up attempt. */
export function sorted(setting: Setting, before: Texts, after: After): Sorted[] {
  const order = orderOf(setting, before, after);
  const sorter = new Sorter(order);
  return order.changes.map((change) => sorter.sort(change));
}

function changeOf(path: string, before: Texts, to: After[string]): ChangedFile {
  const text = typeof to === "object" ? to.text : to;
  const mode = typeof to === "object" ? to.mode : to === undefined ? GONE : REGULAR;
  const old = Object.hasOwn(before, path) ? before[path] : undefined;
  return {
    path,
    from: old === undefined ? { mode: GONE, oid: "" } : { mode: REGULAR, oid: `old ${path}` },
    to: { mode, oid: mode === GONE ? "" : `new ${path}` },
    before: old,
    after: text,
  };
}

/** The check scripts of a project that look for their tests by themselves in folders of the program. */
export function homeMade(setting: Setting, before: Texts): readonly HomeMade[] {
  return new Sorter(orderOf(setting, before, {})).homeMade();
}
