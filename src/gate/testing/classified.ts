// Test support: classifies the changes of an attempt in a small project, by its commands and the texts of its files, through the same
// modules as the gate.
import { classify } from "../influence/classify.js";
import type { Family } from "../influence/program/families.js";
import { probeOf, wordsOf } from "../influence/program/import-graph.js";
import type { ChangedFile, Classified, Influence, ReferenceFiles } from "../influence/program/kinds.js";
import { nameRules } from "../influence/name-rules.js";
import { findNamedFiles } from "../influence/checks/protected-commands.js";
import { protect } from "../influence/checks/protected.js";

export type Texts = Readonly<Record<string, string>>;

/** A project and what is known of the machine. */
export interface Setting {
  commands?: readonly string[];
  /** A task's own commands. */
  own?: readonly string[];
  /** `verify.protected`. */
  patterns?: readonly string[];
  work?: string;
  /** Links, and where they lead. */
  links?: Texts;
  /** Modules and headers of the machine, by language. */
  installed?: Partial<Record<Family, readonly string[]>>;
}

const INSTALLED: Setting["installed"] = {
  python: ["pytest", "requests", "json"],
  perl: ["Test/More.pm", "strict.pm"],
  ruby: ["minitest/autorun.rb", "json.rb"],
  c: ["assert.h", "stdio.h", "features.h"],
  php: ["PHPUnit/Framework/TestCase.php"],
};

const REGULAR = "100644";
const GONE = "000000";

/** A change of one path: to a text, to nothing, or as it is given. */
export type After = Readonly<Record<string, string | undefined | { mode: string; text?: string }>>;

/** The project before the attempt, as the gate reads it. */
export function referenceOf(texts: Texts, links: Texts = {}): ReferenceFiles {
  const paths = [...Object.keys(texts), ...Object.keys(links)];
  const holders = new Map<string, string[]>();
  for (const path of paths)
    for (const word of wordsOf(texts[path] ?? "")) {
      const known = holders.get(word);
      if (known === undefined) holders.set(word, [path]);
      else known.push(path);
    }
  return {
    paths,
    has: (path) => Object.hasOwn(texts, path) || Object.hasOwn(links, path),
    text: (path) => (Object.hasOwn(texts, path) ? texts[path] : undefined),
    links: Object.keys(links),
    link: (path) => (Object.hasOwn(links, path) ? links[path] : undefined),
    mentions: (word) => holders.get(probeOf(word)) ?? [],
  };
}

/** The result of classifying each path. */
export function classified(setting: Setting, before: Texts, after: After): Classified[] {
  const { commands = [], own = [], patterns = [], work = "", links = {}, installed = INSTALLED } = setting;
  const has = (path: string): boolean => Object.hasOwn(before, path) || Object.hasOwn(links, path);
  const named = findNamedFiles({ project: commands, own }, work, {
    has,
    text: (path) => (Object.hasOwn(before, path) ? before[path] : undefined),
    link: (path) => (Object.hasOwn(links, path) ? links[path] : undefined),
  });
  const protection = protect({ patterns, project: "", work, named });
  const isInstalled = (family: Family, name: string): boolean => installed?.[family]?.includes(name) === true;
  const changes = Object.entries(after).map(([path, to]) => changeOf(path, before, to));
  return classify(changes, referenceOf(before, links), nameRules(protection, named, { work, isInstalled }));
}

/** The kinds alone, by path. */
export function kindsOf(setting: Setting, before: Texts, after: After): Record<string, Influence> {
  return Object.fromEntries(classified(setting, before, after).map(({ path, kind }) => [path, kind]));
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
