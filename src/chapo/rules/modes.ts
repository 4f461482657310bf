// The permission modes as a table: what happens to a call of each class that no rule decides. Pure. decide.ts applies it.
import { posix } from "node:path";
import { isBelow } from "./patterns.js";
import { listFolders } from "./reading.js";
import type { ShellReading } from "../../shell/shell-reading.js";
import { ANY } from "../../shell/words.js";
import { hasSecretName } from "../../system/text/secrets/secret-names.js";
import type { Subject, Tool } from "../tool.js";
import type { PermissionMode } from "../../config/settings/modes.js";

/**
 * The class of a call. `secret`: it reads a file whose name is known for secrets. `web`: it fetches a page whose address no person
 * gave, or sends to one. `edit`: it changes files of the project, as an edit or as `mkdir`, `touch`, `mv`, `cp`. `look`: a shell text that only
 * reads. `other`: every other change. `dangerous`: one of never-unasked.ts.
 */
export type CallClass = "read" | "secret" | "web" | "edit" | "look" | "other" | "dangerous";

/** `refuse` cannot be lifted by an allow rule in the mode `plan`. */
export type Treatment = "run" | "ask" | "refuse";

type Row = Readonly<Record<CallClass, Treatment>>;

/** A row that treats all calls but those that only read alike. */
function rowOf(all: Treatment): Row {
  return { read: "run", secret: all, web: all, edit: all, look: all, other: all, dangerous: all };
}

const ASK_ALL = rowOf("ask");
const RUN_ALL = rowOf("run");
const EDITS_RUN: Row = { ...ASK_ALL, edit: "run" };
const TRUSTED: Row = { ...RUN_ALL, dangerous: "ask" };

/** The table of the modes. A run has `trusted` unless something else is set, and `looper chapo` has `default`. */
export const TABLE: Readonly<Record<PermissionMode, Row>> = {
  default: ASK_ALL,
  plan: { ...ASK_ALL, edit: "refuse", other: "refuse", dangerous: "refuse" },
  acceptEdits: EDITS_RUN,
  // For the stages of a workflow: a person sees the diff of each before the next begins.
  staged: EDITS_RUN,
  dontAsk: rowOf("refuse"),
  bypassPermissions: RUN_ALL,
  auto: { ...EDITS_RUN, look: "run" },
  trusted: TRUSTED,
  claude: ASK_ALL,
  anvil: ASK_ALL,
  dangerous: TRUSTED,
};

/** The rules that a mode brings. Those of the settings are added. */
export const RULES: Readonly<
  Partial<Record<PermissionMode, Partial<Record<"allow" | "ask", readonly string[]>>>>
> = {
  // Changes, commands that change something and pages are asked about; looking runs.
  claude: {
    allow: [
      "Bash(ls *)",
      "Bash(pwd)",
      "Bash(wc *)",
      "Bash(which *)",
      "Bash(git status *)",
      "Bash(git branch --show-current)",
      "Bash(git rev-parse *)",
    ],
    ask: ["WebFetch"],
  },
  // Only shell commands are asked about; writing files and the web run.
  anvil: {
    allow: [
      ...["fs_*", "notebook_*", "web_*", "git_*", "github_*", "npm_*", "pm2_*", "ssh_execute"],
      ...["memory_remember", "mcp_*"],
    ],
  },
  // Dangerous calls ask, each time and with the exact command. Everything else runs.
  dangerous: {
    ask: [
      "run_command",
      "Bash(git commit *)",
      "Bash(git push *)",
      "Bash(git reset *)",
      "Bash(git clean *)",
      "Bash(git rm *)",
      "Bash(rm *)",
      "Bash(rmdir *)",
      "Bash(unlink *)",
      "Bash(shred *)",
      "Bash(find * -delete *)",
      "Bash(chmod *)",
      "Bash(chown *)",
      "fs_delete",
    ],
  },
};

/** The parts of a call that its class depends on. */
export interface ClassedCall {
  /** The canonical name. */
  tool: string;
  changes: boolean;
  subjects: readonly Subject[];
  /** Whether it fetches a page whose address no person gave, or may send its arguments to one. */
  isForeignPage?: boolean;
  /** The folders that the shell may be in, absolute; absent: the project's. */
  folders?: readonly string[];
  /** Whether an earlier command may have left the project's folder, so that relative paths are unclear. */
  hasStrayed?: boolean;
  /** Files of git's index or history that its git commands may print, relative to the project. */
  printed?: readonly string[];
  /** Whether it copies or moves files that programs take for instructions, without naming each. */
  movesGuides?: boolean;
}

const EDITS: ReadonlySet<string> = new Set([
  "fs_writeFile",
  "fs_edit",
  "fs_multiEdit",
  "fs_mkdir",
  "fs_move",
  "notebook_edit",
]);

/** Returns the class of a call, apart from `dangerous`. `readings`: those of its shell texts. */
export function classify(call: ClassedCall, readings: readonly ShellReading[], root: string): CallClass {
  if (call.isForeignPage === true) return "web";
  if (!call.changes)
    return call.subjects.some((one) => one.kind === "path" && readsSecret(call.tool, one.path))
      ? "secret"
      : "read";
  if (EDITS.has(call.tool)) {
    const isSteering = call.subjects.some(
      (one) => one.kind === "path" && steers(posix.relative(root, posix.resolve(root, one.path))),
    );
    return isSteering || call.movesGuides === true ? "other" : "edit";
  }
  if (call.tool !== "bash_execute" && call.tool !== "run_command") return "other";
  const words = readings.flatMap(({ commands }) => commands);
  const isPlain =
    words.length > 0 &&
    readings.every(
      ({ isWhole, writes, opens }) => isWhole && writes.length === 0 && !opens.some(isUnclearFile),
    );
  if (!isPlain || call.hasStrayed === true || call.subjects.some(isUnclearTarget)) return "other";
  // The folder may be a repository of its own, whose settings name programs that git runs.
  const isAway =
    words.some(([program]) => program === "cd") || call.folders?.some((folder) => folder !== root) === true;
  if (isAway && words.some(([program]) => program === "git")) return "other";
  if (call.printed?.some(hasSecretName) === true) return "secret";
  if (words.every((one) => isLook(one))) return "look";
  const isSteering =
    call.movesGuides === true ||
    readings.some((reading) => steersFrom(reading, call.folders ?? [root], root));
  return !isSteering && words.every((one) => isLook(one) || isPlainEdit(one, root)) ? "edit" : "other";
}

/** Returns the class of a tool's calls as far as it does not depend on their arguments. */
export function classifyTool({
  name,
  changes,
  reachesOut,
}: Pick<Tool, "name" | "changes" | "reachesOut">): CallClass {
  if (name === "web_fetch") return "web";
  if (!changes) return reachesOut === true ? "web" : "read";
  return EDITS.has(name) ? "edit" : "other";
}

/** Tools that only name a file show nothing of it. */
const NAME_ONLY: ReadonlySet<string> = new Set(["fs_listFiles", "fs_glob"]);

function readsSecret(tool: string, path: string): boolean {
  return !NAME_ONLY.has(tool) && hasSecretName(path);
}

const LOOKS: ReadonlySet<string> = new Set(
  "ls pwd cat head tail wc grep egrep fgrep stat du df diff cmp cut basename dirname realpath which true false echo test nl".split(
    " ",
  ),
);
const GIT_LOOKS: ReadonlySet<string> = new Set("status diff log show rev-parse ls-files blame".split(" "));
/** Options with which git writes, runs a program, or reads files that it does not have. */
const GIT_WRITES = /^(?:--output|--ext-diff|--textconv|-O|--exec|--no-index)/;

function isLook(words: readonly string[]): boolean {
  const [program = "", ...args] = words;
  if (program === "cd")
    return args.length === 1 && !args.some((word) => isUnclear(word) || isProtected(word) || word === "-");
  if (args.some((word) => isUnclear(word))) return false;
  if (program === "git") {
    // Two folders beside each other are compared file by file, whatever git has of them.
    const isTwo = args[0] === "diff" && args.filter((word) => !/^-|\.\./.test(word)).length > 2;
    return !isTwo && GIT_LOOKS.has(args[0] ?? "") && !args.some((word) => GIT_WRITES.test(word));
  }
  const isRecursive =
    (/grep$/.test(program) && args.some((word) => /^-\w*[rRfd]|^--(?:de|rec|file|di)/.test(word))) ||
    (program === "diff" && args.some((word) => /^-\w*[rNP]|^--(?:rec|new|uni)/.test(word)));
  return LOOKS.has(program) && !isRecursive;
}

/** A file that a redirection opens, unless it is a stream. */
function isUnclearFile(word: string): boolean {
  return !/^\/dev\/(?:null|tty|std(?:in|out|err))$/.test(word) && isUnclear(word);
}

const PROTECTED: ReadonlySet<string> = new Set([".git", ".looper"]);

/** Git's and looper's own files, and files and folders with secret names: an edit of them is asked about. */
function isProtected(path: string): boolean {
  const isOwn = path.split("/").some((part) => PROTECTED.has(part.toLowerCase()));
  return isOwn || hasSecretName(path) || hasSecretName(`${path}/.`);
}

/** Guides that an engine reads as instructions, in any folder. */
const GUIDES = /^(?:agents|claude|gemini|memory)(?:\.\w+)?\.md$/i;

/** Whether programs take a file for instructions, settings, rules or hooks: a guide, and all that is hidden. */
export function steers(path: string): boolean {
  const parts = path.split("/");
  return GUIDES.test(parts.at(-1) ?? "") || parts.some((part) => /^\.[^.]/.test(part));
}

/** Words that name files outside the project, secrets, or what only the shell can resolve. */
function isUnclear(word: string): boolean {
  if (word.includes(ANY) || /^[~/]|(?:^|[/=:])\.\.(?:\/|$)|=[~/]/.test(word)) return true;
  return /[*?[]/.test(word) || word.split(/[:=]/).some((part) => hasSecretName(part));
}

/** A link that the text names leads out of the project, or to something protected. */
function isUnclearTarget(subject: Subject): boolean {
  if (subject.kind !== "path") return false;
  const isChanged = subject.use === "write" && steers(subject.path);
  return isChanged || /^(?:\/|\.\.(?:\/|$))/.test(subject.path) || isProtected(subject.path);
}

function isPlainEdit([program = "", ...args]: readonly string[], root: string): boolean {
  if (!/^(?:mkdir|touch|mv|cp)$/.test(program)) return false;
  const operands = args.filter((word) => !word.startsWith("-"));
  return (
    operands.length > 0 &&
    args.every((word) => !word.startsWith("-") || /^-[pvnfirRaT]+$/.test(word)) &&
    operands.every((word) => isInProject(word, root))
  );
}

/** Whether an edit may change a file that steers programs, from one of the folders that the shell may be in. */
function steersFrom(reading: ShellReading, starts: readonly string[], root: string): boolean {
  const { calls } = reading;
  const changed = calls.flatMap(([program = "", ...args]) => {
    const operands = /^(?:mkdir|touch|mv|cp)$/.test(program)
      ? args.filter((word) => !word.startsWith("-"))
      : [];
    // A copy leaves its sources as they are.
    return program === "cp" ? operands.slice(-1) : operands;
  });
  return listFolders(calls, starts).some((base) =>
    changed.some((word) => steers(posix.relative(root, posix.resolve(base, word)))),
  );
}

/** Protected files and unclear paths are not plain. */
function isInProject(word: string, root: string): boolean {
  if (/[*?[~]/.test(word) || word.includes(ANY)) return false;
  const absolute = posix.resolve(root, word);
  return isBelow(absolute, root) && !isProtected(posix.relative(root, absolute));
}

const MOVES_AWAY = /^(?:cd|pushd|popd|source|\.|eval|alias|trap)$/;

/** Returns whether a shell text may leave the shell in another folder than one of the project. */
export function mayStray({ calls, isWhole }: ShellReading): boolean {
  if (!isWhole) return true;
  return calls.some(
    (words) => (MOVES_AWAY.test(words[0] ?? "") || words[0]?.includes(ANY) === true) && !isLook(words),
  );
}
