// Shell texts that no mode but bypassPermissions runs unasked: deleting outside the project, writing to disks and devices, fork
// bombs, and texts that a shell runs unseen. Pure. decide.ts applies the list; an allow rule with a pattern lifts an entry.
import { posix } from "node:path";
import type { CalledWords as Words, ShellReading } from "../../shell/shell-reading.js";
import { ANY } from "../../shell/words.js";
import { isBelow, isInside } from "./patterns.js";

/** Where relative paths of a shell text begin. */
export interface ShellPlace {
  /** The project's folder, absolute. */
  root: string;
  /** Whether the shell may be in a folder outside the project. */
  hasStrayed: boolean;
}

interface Position extends ShellPlace {
  /** Whether what only the shell can resolve is a pattern for names, so that it does not begin with a folder. */
  isOnlyPatterns: boolean;
  /** Whether the text itself goes to a folder outside the project that is not one for temporary files. */
  goesElsewhere: boolean;
  /** Whether the text uses the home folder's variable. */
  namesHome: boolean;
  /** The folders that the text goes to, as it names them. */
  folders: readonly string[];
  /** Words that variables, and the input of `xargs`, may stand for. */
  handed: readonly string[];
}

/** Returns why the text is never run unasked, as the end of a sentence; `undefined` if it may. */
export function findDanger(text: string, reading: ShellReading, place: ShellPlace): string | undefined {
  if (isForkBomb(text)) return "it looks like a fork bomb";
  if (reading.runsUnseen) return "it runs a text that the line does not show";
  const seen = [...reading.commands, ...reading.calls, ...reading.mentions];
  const calls = [...seen, ...guessCalls(seen, reading.values)];
  const start: Position = {
    ...{ ...place, isOnlyPatterns: false, goesElsewhere: false, folders: [], handed: [] },
    namesHome: /\$\{?HOME\b/.test(text),
  };
  const targets = calls.flatMap(listFolders);
  const device = reading.writes.find((target) => isDevice(target, targets));
  if (device !== undefined) return `it writes to the device ${show(device)}`;
  const handsOn = calls.some(([program = ""]) => /^(?:xargs|parallel|read|mapfile)$/.test(program));
  const at = {
    ...start,
    hasStrayed: place.hasStrayed || targets.some((to) => isOutside(to, start)),
    goesElsewhere: targets.some((to) => isElsewhere(to, start)),
    isOnlyPatterns: !/[$`]|xargs|parallel/.test(text),
    folders: targets,
    handed: [...reading.values, ...(handsOn ? calls.flatMap((words) => words.slice(1)) : [])],
  };
  for (const words of calls) {
    const why = findDangerOf(words, at);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Returns whether the text deletes files that its words name. */
export function deletesFiles({ calls, mentions }: ShellReading): boolean {
  return [...calls, ...mentions].some(([program = ""]) => DELETES.test(posix.basename(program)));
}

const DELETES = /^(?:rm|unlink|rmdir|shred|srm|wipe)$/;

/** A program that only the shell knows may be one that the text names elsewhere, and `-rf` looks like a deletion. */
function guessCalls(calls: readonly Words[], values: readonly string[]): Words[] {
  const unknown = calls.filter(([program = ""]) => program.includes(ANY));
  if (unknown.length === 0) return [];
  const named = [...values, ...calls.flatMap((words) => words.slice(1))];
  const isNamed = named.some((word) => DELETES.test(posix.basename(word)));
  const guessed = unknown.flatMap(([program = "", ...args]) => {
    const flags = args.filter((word) => /^-[A-Za-z]+$/.test(word)).join("");
    const isLikely = isNamed || (/r/i.test(flags) && flags.includes("f"));
    return [[...program.split(ANY), ...args].filter(Boolean), ...(isLikely ? [["rm", ...args]] : [])];
  });
  return [...guessed, ...values.map((value) => value.split(/\s+/))];
}

function isForkBomb(text: string): boolean {
  const flat = text.replaceAll(/\bfunction\s+([\w:.-]+)(?:\s*\(\s*\))?/g, " ;$1()").replaceAll(/\s/g, "");
  // A name begins where no other character of one stands before it: a long word is read once, not from each of its characters.
  const made = flat.matchAll(/(?<![\w:.-])([\w:.-]+)\(\)[{(]/g);
  return [...made].some(
    ([start, name = ""]) => flat.includes(`${name}|${name}&`) || flat.includes(`${start}${name}&${name}&`),
  );
}

const HARMLESS_DEVICES =
  /^\/dev\/(?:null|zero|full|stdin|stdout|stderr|tty|random|urandom|fd\/\d+|shm\/.+|tcp\/.+|udp\/.+)$/;

/** Whether a path names a device, also from one of the folders. */
function isDevice(path: string, folders: readonly string[] = []): boolean {
  return ["/", ...folders].some((folder) => {
    const plain = posix.resolve("/", folder, path);
    return (
      (folder !== "/" || path.startsWith("/")) && plain.startsWith("/dev/") && !HARMLESS_DEVICES.test(plain)
    );
  });
}

/** The folder that a command goes to, or has its program work in: `cd DIR`, `env -C DIR`, `GIT_WORK_TREE=DIR`. */
function listFolders(words: Words): string[] {
  const [program = "", ...args] = words;
  const trees = words.flatMap(
    (word) => /^(?:GIT_WORK_TREE|GIT_DIR|--work-tree|--git-dir)=(.+)$/.exec(word)?.[1] ?? [],
  );
  if (trees.length > 0) return trees;
  if (/^(?:cd|pushd)$/.test(program)) return args[0] === "-" ? [] : [args[0] ?? "~"];
  if (posix.basename(program) !== "env") return [];
  return args.flatMap((word, at) => {
    const [, glued] = /^(?:-C|--chdir=)(.+)$/.exec(word) ?? [];
    return glued ?? (/^(?:-C|--chdir)$/.test(word) ? (args[at + 1] ?? []) : []);
  });
}

const DISK_TOOLS =
  /^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|gdisk|sgdisk|cfdisk|parted|blkdiscard|badblocks|hdparm|nvme|cryptsetup|diskutil)$/;

function findDangerOf([name = "", ...args]: readonly string[], place: Position): string | undefined {
  const program = posix.basename(name);
  const operands = args.filter((word) => !word.startsWith("-"));
  const outside = (): string | undefined => operands.find((word) => isOutside(word, place));
  if (DISK_TOOLS.test(program)) return `${program} changes disks`;
  if ((program === "rm" && isRecursive(args)) || /^(?:shred|srm|wipe)$/.test(program))
    return toDeletion(outside());
  if (removesNamed(program, args)) return toDeletion(findElsewhere([...operands, "."], place));
  if (program === "find" && (args.includes("-delete") || runsDeletion(args)))
    return toDeletion(findStarts(args).find((word) => isOutside(word, place)));
  if (/^(?:chmod|chown|chgrp)$/.test(program) && isRecursive(args)) {
    const found = operands.slice(1).find((word) => isOutside(word, place));
    return found === undefined
      ? undefined
      : `it changes the permissions of files outside the project (${show(found)})`;
  }
  const target = findTarget(program, args, place.folders);
  return target === undefined ? undefined : `it writes to the device ${show(target)}`;
}

/** Whether `find` gives files to a program that deletes them, or to a shell whose code names one. */
function runsDeletion(args: Words): boolean {
  const at = args.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
  return at >= 0 && args.slice(at).some((word) => /(?:^|[\s;&|(/])(?:rm|shred|unlink)(?:\s|$)/.test(word));
}

function toDeletion(found: string | undefined): string | undefined {
  return found === undefined
    ? undefined
    : `it deletes files that may be outside the project (${show(found)})`;
}

function show(word: string): string {
  return word.replaceAll(ANY, "…");
}

function isRecursive(args: readonly string[]): boolean {
  return args.some(
    (word) => /^-[^-]*[rR]/.test(word) || /^--r/.test(word) || (word.startsWith("-") && word.includes(ANY)),
  );
}

function findStarts(args: readonly string[]): readonly string[] {
  const first = args.findIndex((word) => /^[-(!]/.test(word) && !/^-[HLP]$/.test(word));
  return (first < 0 ? args : args.slice(0, first)).filter((word) => !word.startsWith("-"));
}

/** Whether it deletes files that its words name, but not whole folders: `git clean` those below the folder of `-C`. */
function removesNamed(program: string, args: Words): boolean {
  if (program === "git")
    return args.some(
      (word, at) => word === "clean" && !/^--(?!work-tree=|git-dir=)/.test(args[at - 1] ?? ""),
    );
  return /^(?:rm|unlink|rmdir)$/.test(program) || (program === "tar" && args.includes("--remove-files"));
}

function findElsewhere(operands: Words, place: Position): string | undefined {
  const isOpen = operands.some((word) => word.startsWith(ANY));
  return [...operands, ...(isOpen ? place.handed : [])].find((word) => isElsewhere(word, place));
}

/** Whether a word names a path outside the project for certain, and not one in a folder for temporary files. */
function isElsewhere(word: string, { root, goesElsewhere, namesHome }: Position): boolean {
  if (/^~/.test(word)) return true;
  const known = word.split(ANY)[0] ?? "";
  if (known === "" && word !== "") return namesHome;
  const path = posix.resolve(root, known);
  if (!known.startsWith("/") && goesElsewhere) return true;
  return !isInside(path, root) && !/^(?:\/private)?(?:\/var)?\/tmp(?:\/|$)/.test(path);
}

/** Returns the device that `dd`, `tee`, `cp`, `mv`, `shred` and the like write to. */
function findTarget(program: string, args: Words, folders: readonly string[]): string | undefined {
  if (program === "dd")
    return args.find((word) => word.startsWith("of=") && isDevice(word.slice(3), folders))?.slice(3);
  if (/^(?:tee|cp|mv|ln|install|truncate|fallocate|shred|wget|curl)$/.test(program))
    // The value may be glued to its option: `-fo/dev/sda`.
    return args.map((word) => word.replace(/^-[^/]*/, "")).find((word) => isDevice(word, folders));
  return undefined;
}

/** A word that begins with something only the shell knows may be any path. */
function isOutside(word: string, { root, hasStrayed, isOnlyPatterns }: Position): boolean {
  if (/^~/.test(word) || (word.startsWith(ANY) && !isOnlyPatterns)) return true;
  const known = word.split(ANY)[0] ?? "";
  if (!known.startsWith("/")) {
    if (hasStrayed) return true;
    return (
      !isInside(posix.resolve(root, known), root) || /(?:^|\/)\.\.(?:\/|$)/.test(word.slice(known.length))
    );
  }
  return !isBelow(posix.normalize(known), root);
}
