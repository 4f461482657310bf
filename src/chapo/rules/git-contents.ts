// Which git commands of a shell text print the content of files that they do not name: `git diff`, `git show`, `git log -p`.
// Pure. session/permissions/tracked-files.ts finds the files that git has; decide.ts asks about the call.
import { posix } from "node:path";
import type { ShellReading } from "../../shell/shell-reading.js";
import { ANY } from "../../shell/words.js";
import { isInside } from "./patterns.js";
import { listFolders } from "./reading.js";
import { covers, ONE, STAR } from "./wildcard.js";

/** A git command that prints content. */
export interface ContentCommand {
  /** The folder that its paths are relative to, absolute. */
  folder: string;
  /** The paths after `--`, which limit it; without a `--` none do, because a word may be a revision. */
  paths: readonly string[];
}

/** Returns the git commands that may print content of files they do not name. */
export function listContentCommands(reading: ShellReading, root: string): ContentCommand[] {
  const last = listFolders(reading.calls, [root]).at(-1) ?? root;
  // Not the other spellings, which leave options out.
  return [...reading.commands, ...reading.mentions].flatMap((words) => {
    const call = readGitCall(words);
    if (call === undefined || !showsContent(call)) return [];
    const { args } = call;
    const cut = args.indexOf("--");
    const folder = posix.resolve(last, ...call.folders);
    return [{ folder, paths: cut < 0 ? [] : args.slice(cut + 1) }];
  });
}

/** Returns whether a git command that is limited to these paths prints the file. Unclear paths do. */
export function printsFile(paths: readonly string[], folder: string, file: string): boolean {
  const left = paths.filter((one) => EXCLUDES.test(one)).map((one) => one.replace(EXCLUDES, ""));
  if (left.some((one) => isInside(file, posix.resolve(folder, one)))) return false;
  const wanted = paths.filter((one) => !EXCLUDES.test(one));
  return wanted.length === 0 || wanted.some((one) => mayName(one, folder, file));
}

const EXCLUDES = /^:(?:[!^]|\(exclude\))/;

function mayName(spelled: string, folder: string, file: string): boolean {
  if (spelled.startsWith(":") || spelled.includes(ANY) || spelled.includes("[")) return true;
  const absolute = posix.resolve(folder, spelled);
  // git's star also matches slashes.
  return isInside(file, absolute) || covers(absolute.replaceAll("*", STAR).replaceAll("?", ONE) + STAR, file);
}

interface GitCall {
  subcommand: string;
  args: readonly string[];
  /** The folders of `-C`. */
  folders: readonly string[];
}

const GLOBAL_WITH_VALUE =
  /^(?:-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env)$/;

/** Reads the call, also after `sudo`, `xargs` or assignments. */
function readGitCall(all: readonly string[]): GitCall | undefined {
  const program = all.findIndex((word) => posix.basename(word) === "git");
  if (program < 0) return undefined;
  const words = all.slice(program + 1);
  const folders: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "-C") folders.push(words[++at] ?? "");
    else if (GLOBAL_WITH_VALUE.test(word)) at += 1;
    else if (!word.startsWith("-")) return { subcommand: word, args: words.slice(at + 1), folders };
  }
  return undefined;
}

const PATCH = /^(?:-p|-u|--patch.*|-U\d*|--unified.*|-c|--cc|-L.*|--remerge-diff|--binary|--word-diff.*)$/;
const SUMMARY =
  /^(?:--(?:stat|numstat|shortstat|dirstat|summary|raw|name-only|name-status|quiet|no-patch|check)(?:=.*)?|-s|-q)$/;
const GREP_NAMES = /^(?:-l|-L|-c|-q|--files-with(?:out)?-match(?:es)?|--name-only|--count|--quiet)$/;

/** Subcommands that print no content of files, or only of one that is named. Others may be aliases. */
const QUIET: ReadonlySet<string> = new Set(
  (
    "add am annotate apply bisect blame branch check-attr check-ignore check-ref-format checkout cherry cherry-pick clean commit " +
    "commit-tree config count-objects credential describe fetch for-each-ref fsck gc hash-object help init interpret-trailers lfs " +
    "ls-files ls-remote ls-tree maintenance merge merge-base mktree mv name-rev notes prune pull push read-tree rebase reflog " +
    "remote repack replace reset restore rev-list rev-parse revert rm shortlog show-branch show-ref sparse-checkout status " +
    "stripspace submodule switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version write-tree"
  ).split(" "),
);

function showsContent({ subcommand, args }: GitCall): boolean {
  const has = (pattern: RegExp): boolean => args.some((one) => pattern.test(one));
  switch (subcommand) {
    case "status":
      return has(/^(?:-v+|--verbose)$/);
    case "diff":
      return !has(SUMMARY) || has(PATCH);
    case "show":
      return (!has(SUMMARY) || has(PATCH)) && !namesBlobs(args);
    case "log":
    case "whatchanged":
    case "stash":
    case "diff-tree":
    case "diff-index":
    case "diff-files":
      return has(PATCH);
    case "grep":
      return !has(GREP_NAMES);
    case "cat-file":
      return !has(/^(?:-[tse]|--batch-check.*)$/) && !namesBlobs(args);
    case "worktree":
      return args[0] === "add";
    default:
      return !QUIET.has(subcommand);
  }
}

/** Whether every operand is `revision:path`: the rules see these paths. */
function namesBlobs(args: readonly string[]): boolean {
  const operands = args.filter((word) => !word.startsWith("-"));
  return operands.length > 0 && operands.every((word) => /^[^:]*:[^:]/.test(word) && !word.includes(ANY));
}
