// Decides whether a call may run by the rules (rules/decide.ts), or that a person must be asked (engine/calls/ask-permission.ts).
// The words of a shell text count with the real paths that they name: behind links, and what a pattern for names expands to now.
// src/chapo/paths.ts refuses paths outside the project before.
import path from "node:path";
import { followLinks } from "../../../system/files/follow-links.js";
import type { Files } from "../../../system/ports.js";
import type { PermitQuestion } from "../../engine/calls/pending.js";
import type { Gatekeepers, GateCall, Permit } from "../../engine/world.js";
import { readShell, type ShellReading } from "../../../shell/shell-reading.js";
import { sha256Hex } from "../../../system/text/sha256.js";
import { decide, type JudgedCall, type PermissionDecision } from "../../rules/decide.js";
import type { PermissionMode } from "../../../config/settings/modes.js";
import { mayStray, steers } from "../../rules/modes.js";
import { type PermissionRules, isGuarded, listGuardedPaths } from "../../rules/read-rules.js";
import { listFolders, listReadPaths } from "../../rules/reading.js";
import type { Subject } from "../../tool.js";
import { resolvePath, type ProjectFolder } from "../../paths.js";
import { isMentioned } from "../../tools/web/mentioned.js";
import { findGuardedNames, type LinkSearch } from "./hard-links.js";
import type { FindPrinted } from "./tracked-files.js";
import { listEditedPaths } from "../../rules/editing.js";
import { covers, ONE, STAR } from "../../rules/wildcard.js";

/** The rules and the project of one session. */
interface PermitPlace extends ProjectFolder {
  rules: PermissionRules;
  mode: () => PermissionMode;
  /** Returns what the person wrote so far: an address in it was given by the person. */
  said: () => readonly string[];
  findPrinted: FindPrinted;
}

/** Opens the gate's last check. A remembered call is allowed until the session ends. */
export function openPermit(place: PermitPlace): Pick<Gatekeepers, "permit" | "remember"> {
  const remembered = new Set<string>();
  // A command that ran may have moved the shell to another folder, or out of the project.
  let hasStrayed = false;
  let folders: readonly string[] = [place.root];
  const moveOn = (call: JudgedCall): void => {
    if (call.tool !== SHELL) return;
    for (const reading of listReadings(call)) {
      if (mayStray(reading)) hasStrayed = true;
      folders = listFolders(reading.calls, folders);
    }
  };
  return {
    permit: async (call) => {
      const judged = await judge(call, place, { hasStrayed, folders });
      const decision = decide(place.rules, place.mode(), judged);
      const { verdict, because } = decision;
      const runs = (): Permit => {
        moveOn(judged);
        return { allowed: true };
      };
      if (verdict === "allow") return runs();
      if (verdict === "deny")
        return { refused: `${because}; nothing was done. Do not try to achieve the same with another call` };
      const keys = buildKeys(call);
      const mayRemember = maySkipQuestion(decision);
      if (mayRemember && Object.values(keys).some((key) => remembered.has(key))) return runs();
      noteRun(call, () => {
        moveOn(judged);
      });
      return { asks: await createQuestion(call, decision) };
    },
    remember: (call, scope) => {
      const key = buildKeys(call)[scope];
      if (key !== undefined) remembered.add(key);
    },
  };
}

/** An ask rule asks each time, even after `always`, and so does a dangerous call. */
function maySkipQuestion({ rule, asksEachTime }: PermissionDecision): boolean {
  return rule === undefined && asksEachTime !== true;
}

async function createQuestion(call: GateCall, decision: PermissionDecision): Promise<PermitQuestion> {
  const { because, rule } = decision;
  // A preview can fail, for example for a missing file. The call then fails for the same reason.
  const whole = await call.prepared.preview().catch(() => `${call.tool.name} ${JSON.stringify(call.args)}`);
  const mayRemember = maySkipQuestion(decision);
  return {
    because,
    rule,
    preview: shorten(whole),
    digest: sha256Hex(whole),
    may_remember: mayRemember,
    edits: mayRemember ? getEditedFile(call) : undefined,
    host: mayRemember ? getHost(call) : undefined,
  };
}

const FETCH = "web_fetch";
/** The tool whose shell keeps its folder between calls. */
const SHELL = "bash_execute";

/** Where the session's shell may be. */
type ShellState = Required<Pick<JudgedCall, "hasStrayed" | "folders">>;

async function judge(call: GateCall, place: PermitPlace, shell: ShellState): Promise<JudgedCall> {
  const { tool, prepared } = call;
  const texts = prepared.subjects.flatMap((one) => (one.kind === "command" ? [one.text] : []));
  // Only this tool's shell keeps its folder between calls.
  const folders = tool.name === SHELL ? shell.folders : [place.root];
  const printed = await Promise.all(texts.map((text) => place.findPrinted(text)));
  return {
    tool: tool.name,
    changes: tool.changes,
    subjects: await resolveSubjects(prepared.subjects, place, folders),
    isForeignPage:
      listAddresses(call).some((url) => !isMentioned(url, place.said())) ||
      (!tool.changes && tool.reachesOut === true),
    hasStrayed: tool.name === SHELL && shell.hasStrayed,
    folders,
    printed: printed.flat(),
    movesGuides: await movesGuides(call, place, folders),
  };
}

/** The addresses that a call fetches, or that a server which says that it only reads is given. */
function listAddresses({ tool, prepared }: GateCall): string[] {
  const isForeign = tool.name.startsWith("mcp_") && !tool.changes;
  return prepared.subjects.flatMap((one) => {
    if (one.kind === "url") return tool.name === FETCH ? [one.url] : [];
    return isForeign && one.kind === "path" ? (one.path.match(/https?:\/\/[^\s"'<>]+/gi) ?? []) : [];
  });
}

/** Whether a call copies or moves a folder with files that programs take for instructions, or such a file into a folder. */
async function movesGuides(
  { tool, prepared: { subjects } }: GateCall,
  { files, root }: PermitPlace,
  folders: readonly string[],
): Promise<boolean> {
  const paths = subjects.flatMap((one) => (one.kind === "path" ? [path.resolve(root, one.path)] : []));
  const moves = tool.name === "fs_move" ? [{ sources: paths, targets: [] }] : [];
  const texts = subjects.flatMap((one) => (one.kind === "command" ? [readShell(one.text).calls] : []));
  const copies = texts.flatMap((calls) =>
    calls
      .filter(([program = ""]) => /^(?:cp|mv)$/.test(program))
      .flatMap(([, ...args]) => {
        const operands = args.filter((word) => !word.startsWith("-"));
        return listFolders(calls, folders).map((base) => ({
          sources: operands.slice(0, -1).map((word) => path.resolve(base, word)),
          // A folder that the text makes is not there yet.
          targets: calls.some(([program]) => program === "mkdir")
            ? [base]
            : [path.resolve(base, operands.at(-1) ?? ".")],
        }));
      }),
  );
  for (const { sources, targets } of [...moves, ...copies])
    for (const source of sources) {
      const isInto = (target: string): Promise<boolean> =>
        files.stat(target).then(
          (found) => found?.kind === "folder",
          () => false,
        );
      if (await holdsGuide(files, source)) return true;
      if (steers(path.basename(source)) && (await Promise.all(targets.map(isInto))).includes(true))
        return true;
    }
  return false;
}

/** Whether there is a file that steers programs in a folder, or there is too much in it to tell. */
async function holdsGuide(files: Files, folder: string): Promise<boolean> {
  const waiting = [folder];
  for (let seen = 0; seen < waiting.length; seen++) {
    const at = waiting[seen] ?? folder;
    const names = await files.list(at).catch(() => []);
    if (names.some(steers) || waiting.length + names.length > MOST_SEEN) return true;
    waiting.push(...names.map((name) => path.join(at, name)));
  }
  return false;
}

const MOST_SEEN = 2_000;

function listReadings({ subjects }: JudgedCall): ShellReading[] {
  return subjects.flatMap((one) => (one.kind === "command" ? [readShell(one.text)] : []));
}

/** A call that a person refuses does not run, so that it changes nothing here. */
function noteRun({ prepared }: GateCall, note: () => void): void {
  const run = prepared.run.bind(prepared);
  prepared.run = (context) => {
    note();
    return run(context);
  };
}

/**
 * Adds the real path of each path, because a link inside an allowed folder may point outside it, or to a file that a rule covers,
 * and the other names of a file that has several.
 */
async function resolveSubjects(
  subjects: readonly Subject[],
  { files, root, rules }: PermitPlace,
  folders: readonly string[],
): Promise<Subject[]> {
  const realRoot = (await files.realPath(root)) ?? root;
  const search = { files, root, isGuarded: (file: string) => isGuarded(rules, file) };
  const all: Subject[] = [];
  const real: PathSubject[] = [];
  for (const subject of subjects) {
    all.push(subject);
    const targets =
      subject.kind === "command"
        ? await listShellTargets(subject.text, { ...search, realRoot, folders })
        : [];
    all.push(...targets.filter(({ isOther }) => isOther).map(({ target }) => target));
    real.push(...targets.map(({ target }) => target));
    if (subject.kind !== "path") continue;
    const use = subject.use === "write" ? "write" : "read";
    const resolved = await resolvePath({ files, root }, subject.path, use);
    if ("refusal" in resolved) continue;
    const target: PathSubject = { ...subject, path: path.relative(realRoot, resolved.path) || "." };
    all.push(target);
    real.push(target);
  }
  const paths = real.map((one) => one.path);
  const names = await findGuardedNames({ ...search, named: listGuardedPaths(rules) }, paths);
  const linked = real.flatMap((one) => (names.get(one.path) ?? []).map((name) => ({ ...one, path: name })));
  return [...all, ...linked];
}

/**
 * Builds the keys of a call: `call` of the tool and all its arguments, for `web_fetch` of the host; `edits` of the one file that an
 * edit changes.
 */
function buildKeys(call: GateCall): { call: string; edits?: string } {
  const host = getHost(call);
  const file = getEditedFile(call);
  return {
    call: JSON.stringify(host === undefined ? [call.tool.name, call.args] : ["host", host]),
    ...(file === undefined ? {} : { edits: JSON.stringify(["edits", file]) }),
  };
}

function getHost({ tool, prepared }: GateCall): string | undefined {
  const [subject] = prepared.subjects;
  return tool.name === FETCH && subject?.kind === "url" && URL.canParse(subject.url)
    ? new URL(subject.url).host
    : undefined;
}

const EDITS: ReadonlySet<string> = new Set(["fs_writeFile", "fs_edit", "fs_multiEdit", "notebook_edit"]);

/** Returns the file that an edit changes, if it is only one. */
function getEditedFile({ tool, prepared }: GateCall): string | undefined {
  if (!EDITS.has(tool.name)) return undefined;
  const files = prepared.subjects.flatMap((one) => (one.kind === "path" ? [path.normalize(one.path)] : []));
  const [only] = files;
  return new Set(files).size === 1 ? only : undefined;
}

const LONGEST_PREVIEW = 30_000;

function shorten(text: string): string {
  const more = text.length - LONGEST_PREVIEW;
  return more <= 0 ? text : `${text.slice(0, LONGEST_PREVIEW)}\n[${more} more characters are not shown]`;
}

type PathSubject = Extract<Subject, { kind: "path" }>;

/** A file that a shell text names, relative to the project's real folder. `isOther`: the text does not spell this path. */
interface ShellTarget {
  target: PathSubject;
  isOther: boolean;
}

/** The project, its folder with its links resolved, and where its shell may be. */
interface ShellTargetPlace extends LinkSearch {
  realRoot: string;
  folders: readonly string[];
}

interface Named {
  path: string;
  use: "mention" | "write";
  /** Whether a link at the path itself is followed. */
  follows: boolean;
  /** Whether it is one of the files that a pattern stands for. */
  isExpanded?: true;
}

/** Returns the real paths of the files that a shell text may read (`mention`) or change (`write`). */
async function listShellTargets(text: string, place: ShellTargetPlace): Promise<ShellTarget[]> {
  const { files, root, realRoot } = place;
  const found: ShellTarget[] = [];
  for (const { path: spelled, use, follows, isExpanded = false } of await listNamed(text, place)) {
    const real = await findReal(files, spelled, follows);
    if (real === undefined) continue;
    const isOther = isExpanded || real !== path.resolve(realRoot, path.relative(root, spelled));
    found.push({ target: { kind: "path", path: path.relative(realRoot, real) || ".", use }, isOther });
  }
  return found;
}

/** Characters that stand for one in names: `[ab]`. */
const BRACKETS = /\[[^[\]\s/]+\]/g;

function isPattern(text: string): boolean {
  return /[*?]/.test(text) || text.search(BRACKETS) >= 0;
}

async function listNamed(text: string, place: ShellTargetPlace): Promise<Named[]> {
  const plain = listSpelled(text, place.folders);
  if (!isPattern(text)) return plain;
  // With these characters the reader keeps the patterns.
  const starred = text.replaceAll("*", STAR).replaceAll("?", ONE).replaceAll(BRACKETS, ONE);
  const kept = listSpelled(starred, place.folders);
  const expanded = await Promise.all(kept.map(async (one) => expandPattern(one, place)));
  return [...plain, ...expanded.flat()];
}

function listSpelled(text: string, folders: readonly string[]): Named[] {
  const reading = readShell(text);
  return [
    ...listReadPaths(reading, folders).map((one) => ({ path: one, use: "mention" as const, follows: true })),
    ...listEditedPaths(reading, folders).map((one) => ({ ...one, use: "write" as const })),
  ];
}

/** Returns the path with its links resolved, also of a file that is not there yet; `undefined` for a loop of links. */
async function findReal(files: Files, spelled: string, follows: boolean): Promise<string | undefined> {
  // A write through a link whose target is missing makes the target.
  if (follows) return followLinks(files, spelled);
  const folder = await followLinks(files, path.dirname(spelled));
  return folder === undefined ? undefined : path.join(folder, path.basename(spelled));
}

const MOST_LISTED = 500;
const MOST_FOUND = 200;

/** Returns what a path with a pattern stands for now: the protected files inside the project, and files behind links. */
async function expandPattern(
  { path: spelled, use, follows }: Named,
  { files, root, realRoot, isGuarded }: ShellTargetPlace,
): Promise<Named[]> {
  const relative = path.relative(root, spelled);
  if (!WILD.test(relative) || relative.startsWith("..")) return [];
  let reached = [root];
  for (const segment of relative.split(path.sep)) {
    const listed = reached.slice(0, MOST_LISTED);
    const further = await Promise.all(listed.map(async (folder) => listMatching(files, folder, segment)));
    reached = further.flat();
  }
  const found: Named[] = [];
  const guarded = await Promise.all(
    reached.slice(0, MOST_LISTED).map(async (file) => {
      if (isGuarded(path.relative(root, file))) return [file];
      const real = await files.realPath(file).catch(() => undefined);
      return real !== undefined && isGuarded(path.relative(realRoot, real)) ? [file] : [];
    }),
  );
  for (const one of guarded.flat().slice(0, MOST_FOUND)) {
    const there = await files.stat(one).catch(() => undefined);
    // A program that reads files does not read those of a folder unless it is told to.
    if (there !== undefined && (use === "write" || there.kind === "file"))
      found.push({ path: one, use, follows, isExpanded: true });
  }
  // A pattern below a link: the folder that it leads to matters, not the names there.
  const above = relative.slice(0, relative.search(WILD)).replace(/(?<![^/])[^/]*$/, "");
  return [...found, { path: path.join(root, above, "*"), use, follows }];
}

const WILD = new RegExp(`[${STAR}${ONE}]`);

async function listMatching(files: Files, folder: string, segment: string): Promise<string[]> {
  if (!WILD.test(segment)) return [path.join(folder, segment)];
  const names = await files.list(folder).catch(() => []);
  const fits = (name: string): boolean =>
    covers(segment, name) && (!name.startsWith(".") || segment.startsWith("."));
  return names.filter(fits).map((name) => path.join(folder, name));
}
