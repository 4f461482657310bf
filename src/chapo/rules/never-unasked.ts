// Shell texts that no mode but bypassPermissions runs unasked: deleting outside the project, writing to disks and devices, fork
// bombs. Pure. decide.ts applies the list; an allow rule with a pattern lifts an entry.
import { posix } from "node:path";
import type { ShellReading } from "../../shell/shell-reading.js";
import { ANY } from "../../shell/words.js";
import { isBelow } from "./places.js";

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
}

/** Returns why the text is never run unasked, as the end of a sentence; `undefined` if it may. */
export function findDanger(text: string, reading: ShellReading, place: ShellPlace): string | undefined {
  if (isForkBomb(text)) return "it looks like a fork bomb";
  const device = reading.opens.find((target) => isDevice(target));
  if (device !== undefined) return `it writes to the device ${device}`;
  const calls = reading.commands
    .flatMap(({ text: one, spellings, mentions }) => [one, ...spellings, ...mentions])
    .map(toWords);
  const start = { ...place, isOnlyPatterns: false };
  const moves = calls.some(
    ([program = "", to = "~"]) => /^(?:cd|pushd)$/.test(program) && isOutside(to, start),
  );
  const at = {
    ...place,
    hasStrayed: place.hasStrayed || moves,
    isOnlyPatterns: !/[$`]|xargs|parallel/.test(text),
  };
  for (const words of calls) {
    const why = findDangerOf(words, at);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** The reader writes a space inside a word as a no-break space. */
function toWords(text: string): string[] {
  return text.split(" ").map((word) => word.replaceAll("\u00a0", " "));
}

function isForkBomb(text: string): boolean {
  const flat = text.replaceAll(/\s/g, "");
  // A name begins where no other character of one stands before it: a long word is read once, not from each of its characters.
  const made = flat.matchAll(/(?<![\w:.-])([\w:.-]+)\(\)[{(]/g);
  return [...made].some(([, name = ""]) => flat.includes(`${name}|${name}&`));
}

const HARMLESS_DEVICES =
  /^\/dev\/(?:null|zero|full|stdin|stdout|stderr|tty|random|urandom|fd\/\d+|shm\/.+|tcp\/.+|udp\/.+)$/;

function isDevice(path: string): boolean {
  const plain = posix.normalize(path);
  return plain.startsWith("/dev/") && !HARMLESS_DEVICES.test(plain);
}

const DISK_TOOLS =
  /^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|gdisk|sgdisk|cfdisk|parted|blkdiscard|badblocks|hdparm|nvme|cryptsetup|diskutil)$/;

function findDangerOf([name = "", ...args]: readonly string[], place: Position): string | undefined {
  const program = posix.basename(name);
  const operands = args.filter((word) => !word.startsWith("-"));
  const outside = (): string | undefined => operands.find((word) => isOutside(word, place));
  if (DISK_TOOLS.test(program)) return `${program} changes disks`;
  if (program === "rm" && isRecursive(args)) return toDeletion(outside());
  if (/^(?:shred|srm|wipe)$/.test(program)) return toDeletion(outside());
  if (
    program === "find" &&
    /(?:^| )(?:-delete|-(?:exec|execdir|ok|okdir) (?:\S*\/)?(?:rm|shred|unlink))(?: |$)/.test(args.join(" "))
  )
    return toDeletion(findStarts(args).find((word) => isOutside(word, place)));
  if (/^(?:chmod|chown|chgrp)$/.test(program) && isRecursive(args)) {
    const found = operands.slice(1).find((word) => isOutside(word, place));
    return found === undefined
      ? undefined
      : `it changes the permissions of files outside the project (${show(found)})`;
  }
  const target = findTarget(program, args);
  return target === undefined ? undefined : `it writes to the device ${target}`;
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

/** Returns the device that `dd`, `tee`, `cp`, `mv`, `shred` and the like write to. */
function findTarget(program: string, args: readonly string[]): string | undefined {
  if (program === "dd")
    return args.find((word) => word.startsWith("of=") && isDevice(word.slice(3)))?.slice(3);
  if (/^(?:tee|cp|mv|install|truncate|shred|cat)$/.test(program) && program !== "cat")
    return args.find((word) => isDevice(word));
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

function isInside(path: string, root: string): boolean {
  return path === root || isBelow(path, root);
}
