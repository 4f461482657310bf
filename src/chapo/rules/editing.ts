// Rules against editing, for shell texts: which of their words and redirections name files that they change. Pure.
// decide.ts applies them; session/permissions/permit.ts finds what the words link to.
import { posix } from "node:path";
import type { ShellReading } from "../../shell/shell-reading.js";
import { ANY } from "../../shell/words.js";
import type { Subject } from "../tool.js";
import { meetsPath, namesPathBelow, strongest, type Match, type PathPattern } from "./patterns.js";
import type { PermissionRule } from "./read-rules.js";
import { isUnknown, listBases, meetsWord } from "./reading.js";

/** A word that names something that is changed. */
interface EditedWord {
  word: string;
  /** It is removed or renamed with everything below it; if it is a link, the link itself. */
  isRemoved: boolean;
}

/** Returns whether a shell text may change a file that the rule covers. */
export function meetsAsEditing(
  { pattern }: PermissionRule,
  call: { subjects: readonly Subject[]; folders?: readonly string[] | undefined },
  { readings, root }: { readings: readonly ShellReading[]; root: string },
): Match {
  if (pattern === undefined || readings.length === 0) return "no";
  const isTarget = call.subjects.some(
    (one) =>
      one.kind === "path" && one.use === "write" && meetsPath(pattern.path, one.path, { root, wide: true }),
  );
  if (isTarget) return "yes";
  return strongest(readings.map((reading) => meetsText(pattern.path, reading, call.folders ?? [root])));

  function meetsText(path: PathPattern, reading: ShellReading, starts: readonly string[]): Match {
    const { calls } = reading;
    const bases = listBases(calls, starts);
    const sure = [
      ...reading.writes.map((word) => ({ word, isRemoved: false })),
      ...calls.flatMap(listEdited),
    ];
    const found = sure.map((one) => meetsEdited(path, one, { root, bases }));
    if (found.includes("yes")) return "yes";
    if (sure.some(({ word }) => isUnknown(word))) return "maybe";
    const isOpen = sure.some(({ word }) => word.includes(ANY));
    const open = [
      ...reading.mentions.flatMap(listEdited),
      // Code in another language may write what it names.
      ...reading.inCode.map((word) => ({ word, isRemoved: false })),
      ...calls.flatMap(listOutputs),
      // A link is another name of the file.
      ...calls.flatMap(([name, ...args]) =>
        name === "ln" ? args.map((word) => ({ word, isRemoved: true })) : [],
      ),
      ...(isOpen ? reading.values : []).map((word) => ({ word, isRemoved: false })),
    ];
    const isMaybe = open.some((one) => meetsEdited(path, one, { root, bases }) !== "no");
    return isMaybe || found.includes("maybe") ? "maybe" : "no";
  }
}

/** The values of options by which programs name the file that they write; of grep it is not a file. */
function listOutputs([name = "", ...args]: readonly string[]): EditedWord[] {
  if (/grep$|^rg$/.test(name)) return [];
  // Of other programs these options mean other things.
  const own = /wget$/.test(name)
    ? /^(?:-P|--directory-prefix=?)(.*)$/
    : /csplit$/.test(name)
      ? /^(?:-f|--prefix=?)(.*)$/
      : /tar$/.test(name)
        ? /^(?:-?[^\Wf]*f|--file=?)([^]*)$/
        : undefined;
  return args.flatMap((word, at) => {
    const [, glued] =
      /^(?:--?out(?:put)?(?:-\w+)*=|-[^\WoO]*[oO])([^]+)$/.exec(word) ?? own?.exec(word) ?? [];
    const isNext = glued === "" || /^(?:-[^\WoO]*[oO]|--?out(?:put)?(?:-\w+)*)$/.test(word);
    return [isNext ? args[at + 1] : glued].flatMap((one) =>
      one === undefined ? [] : [{ word: one, isRemoved: false }],
    );
  });
}

function meetsEdited(
  pattern: PathPattern,
  { word, isRemoved }: EditedWord,
  place: { root: string; bases: readonly string[] },
): Match {
  const isBelow =
    isRemoved && place.bases.some((base) => namesPathBelow(pattern, posix.resolve(base, word), place.root));
  return isBelow ? "yes" : meetsWord(pattern, word, place);
}

/** A path that a shell text changes, absolute; `follows`: if it is a link, the file behind it is changed. */
export interface EditedPath {
  path: string;
  follows: boolean;
}

const MOST_PATHS = 200;

/** Returns the paths that a shell text changes, as far as it shows them. `starts`: where the shell may be. */
export function listEditedPaths(reading: ShellReading, starts: readonly string[]): EditedPath[] {
  const { calls } = reading;
  const words = [...reading.writes.map((word) => ({ word, isRemoved: false })), ...calls.flatMap(listEdited)];
  const plain = words.filter(({ word }) => !word.includes(ANY) && !word.startsWith("~"));
  const bases = listBases(calls, starts).filter((base) => base !== ANY);
  const paths = bases.flatMap((base) =>
    plain.map(({ word, isRemoved }) => ({
      path: posix.resolve(base, word),
      follows: !isRemoved || word.endsWith("/"),
    })),
  );
  return paths.slice(0, MOST_PATHS);
}

const REMOVES = /^(?:rm|rmdir|unlink|shred|mv|rimraf|trash)$/;
/** Change what all their words name. */
const CHANGES =
  /^(?:touch|mkdir|mkfifo|mknod|tee|sponge|truncate|fallocate|chmod|chown|chgrp|chattr|setfacl|gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|ex|ed|vim?|nvim|nano|rename|mktemp)$/;
/** Change what their last word names, or the file in that folder. */
const COPIES = /^(?:cp|ln|install|rsync|scp|split)$/;
const IN_PLACE = /^(?:g?sed|perl[\d.]*|ruby)$/;
const GIT_REMOVES = /^(?:rm|mv|restore|checkout|checkout-index)$/;

/** Change files that they do not name. */
const UNPACKS = /^(?:unzip|cpio|patch)$/;
const GIT_UNPACKS = /^(?:apply|am|stash|clean)$/;
const UNNAMED: EditedWord = { word: ANY, isRemoved: false };

/** Returns the words of a command that name what it changes; `ANY` for files that it does not name. */
function listEdited([name = "", ...args]: readonly string[]): EditedWord[] {
  const program = posix.basename(name);
  const words = args.filter((word) => !word.startsWith("-"));
  const all = (isRemoved: boolean): EditedWord[] => words.map((word) => ({ word, isRemoved }));
  const has = (pattern: RegExp): boolean => args.some((word) => pattern.test(word));
  if (program === "mv") return [...all(true), ...listCopied(args, words)];
  if (REMOVES.test(program)) return all(true);
  if (UNPACKS.test(program) || (program === "git" && unpacks(words, args))) return [...all(false), UNNAMED];
  if (CHANGES.test(program)) return all(false);
  if (COPIES.test(program)) return listCopied(args, words, program);
  if (IN_PLACE.test(program) && has(/^(?:-\w*i|--in-place)/)) return all(false);
  if (/^g?awk$/.test(program) && args.includes("inplace")) return all(false);
  if (program === "git" && GIT_REMOVES.test(words[0] ?? ""))
    return words.slice(1).map((word) => ({ word: word.replace(/^:[^]*/, ANY), isRemoved: true }));
  if (program === "git" && words[0] === "config" && words.length > 3 && has(/^(?:-f|--file)/))
    return all(false);
  if (program === "find" && has(/^-(?:delete|fprint\w*|fls|exec|execdir|ok|okdir)$/)) {
    const first = args.findIndex((word) => /^[-(!]/.test(word) && !/^-[HLP]$/.test(word));
    const files = args.filter((_, at) => /^-(?:fprint\w*|fls)$/.test(args[at - 1] ?? ""));
    return [...args.slice(0, first), ...files].map((word) => ({ word, isRemoved: has(/^-delete$/) }));
  }
  if (program === "tar" && (/^-?[A-Za-wyz]*x[A-Za-z]*$/.test(args[0] ?? "") || has(/^--(?:extract|get)$/)))
    return [...all(false), UNNAMED];
  return program === "dd" ? words.flatMap((word) => (word.startsWith("of=") ? [toFile(word)] : [])) : [];
}

function unpacks([subcommand = "", next]: readonly string[], args: readonly string[]): boolean {
  if (subcommand === "reset") return args.some((word) => /^--(?:hard|merge|keep)$/.test(word));
  return GIT_UNPACKS.test(subcommand) && !/^(?:list|show|drop)$/.test(next ?? "");
}

function toFile(word: string): EditedWord {
  return { word: word.slice(word.indexOf("=") + 1), isRemoved: false };
}

/** The target of a copy: a file, or a folder that gets the sources' names. */
function listCopied(args: readonly string[], words: readonly string[], program = "mv"): EditedWord[] {
  const targetOf = /^(?:cp|mv|ln|install)$/.test(program)
    ? /^(?:-[^\Wt]*t|--target-directory=?)([^]*)$/
    : /^--target-directory=?([^]*)$/;
  const named = args.flatMap((word, at) => {
    const [, glued] = targetOf.exec(word) ?? [];
    return (glued === "" ? args[at + 1] : glued) ?? [];
  });
  const last = words.length > 1 ? words.slice(-1) : [];
  const targets = [...named, ...last];
  // Of a folder with all that is in it the names are not known.
  const below = args.some((word) => /^(?:-\w*[rRa]|--(?:recursive|archive)$)/.test(word)) ? [ANY] : [];
  return targets.flatMap((target) =>
    [
      target,
      ...[...words.map((word) => posix.basename(word)), ...below].map((name) => posix.join(target, name)),
    ].map((word) => ({ word, isRemoved: false })),
  );
}
