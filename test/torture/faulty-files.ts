import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { nameHalfWritten } from "../../src/system/files/half-written.js";
import type { AppendFile, Files, Tree } from "../../src/system/ports.js";
import type { Calls } from "./calls.js";
import { kills } from "./fault.js";

/** The files port, every call of it and of the files it opens numbered, and struck where the plan says so. */
export function faultyFiles(files: Files, calls: Calls): Files {
  const wrap = <A extends readonly [string, ...unknown[]], R>(
    method: string,
    real: (...args: A) => Promise<R>,
    half?: (...args: A) => void,
  ): ((...args: A) => Promise<R>) =>
    wrapCall(calls, { method, real, ...(half && { half }), torn: method === "writeNew" });
  const stat = wrap("stat", (...args: Parameters<Files["stat"]>) => files.stat(...args));
  return {
    read: wrap("read", (...args) => files.read(...args)),
    readRange: wrap("readRange", (...args) => files.readRange(...args)),
    stat: (...args) => (isLookedAtByTheClock(args[0]) ? files.stat(...args) : stat(...args)),
    list: wrap("list", (...args) => files.list(...args)),
    makeFolder: wrap(
      "makeFolder",
      (...args) => files.makeFolder(...args),
      (place) => {
        mkdirSync(path.dirname(place), { recursive: true });
      },
    ),
    makeNewFolder: wrap("makeNewFolder", (...args) => files.makeNewFolder(...args)),
    writeAtomic: wrap(
      "writeAtomic",
      (...args) => files.writeAtomic(...args),
      (place, content) => {
        const beside = nameHalfWritten(path.basename(place), "0123456789ab");
        writeFileSync(path.join(path.dirname(place), beside), firstHalf(content));
      },
    ),
    writeNew: wrap(
      "writeNew",
      (...args) => files.writeNew(...args),
      (place, content, options) => {
        writeFileSync(place, firstHalf(content), { flag: "wx", ...options });
      },
    ),
    openAppend: async (place, options) =>
      isWrittenByTheClock(place)
        ? files.openAppend(place, options)
        : faultyAppend(
            await wrap("openAppend", (at: string) => files.openAppend(at, options))(place),
            place,
            calls,
          ),
    touch: wrap("touch", (...args) => files.touch(...args)),
    remove: wrap("remove", (...args) => files.remove(...args)),
    removeTree: wrap("removeTree", (...args) => files.removeTree(...args)),
    rename: wrap("rename", (...args) => files.rename(...args)),
    copy: wrap("copy", (...args) => files.copy(...args)),
    link: wrap("link", (...args) => files.link(...args)),
    symlink: wrap("symlink", (...args) => files.symlink(...args)),
    readLink: wrap("readLink", (...args) => files.readLink(...args)),
    realPath: wrap("realPath", (...args) => files.realPath(...args)),
    writable: wrap("writable", (...args) => files.writable(...args)),
    freeBytes: wrap("freeBytes", (...args) => files.freeBytes(...args)),
    makeTempFolder: wrap("makeTempFolder", (...args) => files.makeTempFolder(...args)),
    watchFolder: (...args) => files.watchFolder(...args),
    tree: (top) => faultyTree(files.tree(top), top, calls),
  };
}

/** How often it is looked at depends on how long a run takes: numbered, it would move all that follows. */
function isLookedAtByTheClock(place: string): boolean {
  return path.basename(place) === "control.jsonl";
}

/** How many lines it takes at once depends on how fast the disk is. */
function isWrittenByTheClock(place: string): boolean {
  return path.basename(place) === "run.log";
}

function faultyTree(tree: Tree, top: string, calls: Calls): Tree {
  const of =
    <A extends readonly unknown[], R>(method: string, real: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      wrapCall<readonly [string], R>(calls, { method, real: () => real(...args) })(top);
  return {
    walk: of("walk", (from: string, enter: (folder: string) => boolean) => tree.walk(from, enter)),
    look: of("look", (paths: readonly string[]) => tree.look(paths)),
    setMode: of("setMode", (place: string, mode: number) => tree.setMode(place, mode)),
    remove: of("remove", (place: string) => tree.remove(place)),
  };
}

function faultyAppend(file: AppendFile, place: string, calls: Calls): AppendFile {
  const of = <A extends readonly unknown[]>(
    method: string,
    real: (...args: A) => Promise<void>,
    half?: (...args: A) => Promise<void>,
  ) => {
    const wrapped = wrapCall(calls, {
      method,
      real: (_place: string, ...args: A) => real(...args),
      ...(half && { half: (_place: string, ...args: A) => half(...args) }),
      torn: true,
    });
    return (...args: A): Promise<void> => wrapped(place, ...args);
  };
  return {
    append: of(
      "append",
      (content) => file.append(content),
      (content) => file.append(firstHalf(content)),
    ),
    sync: of("sync", () => file.sync()),
    close: of("close", () => file.close()),
    size: () => file.size(),
  };
}

interface Call<A extends readonly unknown[], R> {
  method: string;
  real: (...args: A) => Promise<R>;
  /** The part of a write that is done before it fails; without it, all of it. */
  half?: (...args: A) => void | Promise<void>;
  /** A write that fails leaves that half too. */
  torn?: boolean;
}

function wrapCall<A extends readonly [string, ...unknown[]], R>(
  calls: Calls,
  { method, real, half, torn = false }: Call<A, R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    const fault = calls.count(method, args[0]);
    if (fault === undefined) return real(...args);
    // Only a kill leaves what a writer would have tidied up; an error comes once it has.
    if (fault.when === "half") await (half !== undefined && (torn || kills(fault)) ? half : real)(...args);
    calls.strike(fault, method);
    return real(...args);
  };
}

function firstHalf(content: string | Uint8Array): Uint8Array {
  const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
