// Decides whether a call may run by the rules (rules/decide.ts), or that a person must be asked (engine/calls/ask-permission.ts).
// src/chapo/paths.ts refuses paths outside the project before.
import path from "node:path";
import type { Files } from "../../../system/ports.js";
import type { Gatekeepers, GateCall, PermitQuestion } from "../../engine/world.js";
import { readShell } from "../../../shell/shell-reading.js";
import { given } from "../../../system/given.js";
import { sha256Hex } from "../../../system/text/sha256.js";
import { decide, type JudgedCall, type PermissionDecision } from "../../rules/decide.js";
import { mayStray, type PermissionMode } from "../../rules/modes.js";
import type { PermissionRules } from "../../rules/read-rules.js";
import { isGuarded, listGuardedPaths } from "../../rules/guarded.js";
import { listReadPaths } from "../../rules/reading.js";
import type { Subject } from "../../tool.js";
import { resolvePath } from "../../paths.js";
import { isMentioned } from "../../tools/web/mentioned.js";
import { findGuardedNames } from "./hard-links.js";
import type { FindPrinted } from "./tracked-files.js";

/** The rules and the project of one session. */
export interface PermitPlace {
  rules: PermissionRules;
  mode: () => PermissionMode;
  files: Files;
  /** The project's folder, absolute. */
  root: string;
  /** Returns what the person wrote so far: an address in it was given by the person. */
  said: () => readonly string[];
  findPrinted: FindPrinted;
}

/** Opens the gate's last check. A remembered call is allowed until the session ends. */
export function openPermit(place: PermitPlace): Pick<Gatekeepers, "permit" | "remember"> {
  const remembered = new Set<string>();
  // A command that was allowed may have moved the shell out of the project.
  let hasStrayed = false;
  return {
    permit: async (call) => {
      const judged = await judge(call, place, hasStrayed);
      const decision = decide(place.rules, place.mode(), judged);
      const { verdict, because } = decision;
      if (verdict !== "deny" && leavesFolder(judged)) hasStrayed = true;
      if (verdict === "allow") return { allowed: true };
      if (verdict === "deny")
        return { refused: `${because}; nothing was done. Do not try to achieve the same with another call` };
      const keys = buildKeys(call);
      const mayRemember = maySkipQuestion(decision);
      if (mayRemember && Object.values(keys).some((key) => remembered.has(key))) return { allowed: true };
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
  const whole = await createPreview(call);
  const mayRemember = maySkipQuestion(decision);
  const wider = mayRemember ? { edits: getEditedFile(call), host: getHost(call) } : {};
  return {
    because,
    ...given({ rule }),
    preview: shorten(whole),
    digest: sha256Hex(whole),
    mayRemember,
    ...given(wider),
  };
}

const FETCH = "web_fetch";
/** The tool whose shell keeps its folder between calls. */
const SHELL = "bash_execute";

async function judge(call: GateCall, place: PermitPlace, hasStrayed: boolean): Promise<JudgedCall> {
  const { tool, prepared } = call;
  const texts = prepared.subjects.flatMap((one) => (one.kind === "command" ? [one.text] : []));
  const printed = await Promise.all(texts.map((text) => place.findPrinted(text)));
  return {
    tool: tool.name,
    changes: prepared.changes ?? tool.changes,
    subjects: await resolveSubjects(prepared.subjects, place),
    isForeignPage: prepared.subjects.some(
      (one) => one.kind === "url" && tool.name === FETCH && !isMentioned(one.url, place.said()),
    ),
    hasStrayed: tool.name === SHELL && hasStrayed,
    printed: printed.flat(),
  };
}

function leavesFolder({ tool, subjects }: JudgedCall): boolean {
  return tool === SHELL && subjects.some((one) => one.kind === "command" && mayStray(readShell(one.text)));
}

/**
 * Adds the real path of each path, because a link inside an allowed folder may point outside it, or to a file that a rule covers,
 * and the other names of a file that has several.
 */
async function resolveSubjects(subjects: readonly Subject[], place: PermitPlace): Promise<Subject[]> {
  const { files, root, rules } = place;
  const realRoot = (await files.realPath(root)) ?? root;
  const all: Subject[] = [];
  const real: PathSubject[] = [];
  for (const subject of subjects) {
    all.push(subject);
    const targets = subject.kind === "command" ? await listTargets(subject.text, place, realRoot) : [];
    all.push(...targets.filter(({ isLink }) => isLink).map(({ target }) => target));
    real.push(...targets.map(({ target }) => target));
    if (subject.kind !== "path") continue;
    const use = subject.use === "write" ? "write" : "read";
    const resolved = await resolvePath({ files, root }, subject.path, use);
    if ("refusal" in resolved) continue;
    const target: PathSubject = { ...subject, path: path.relative(realRoot, resolved.path) || "." };
    all.push(target);
    real.push(target);
  }
  const search = { files, root, isGuarded: (file: string) => isGuarded(rules, file) };
  const names = await findGuardedNames(
    { ...search, named: listGuardedPaths(rules) },
    real.map((one) => one.path),
  );
  return [
    ...all,
    ...real.flatMap((one) => (names.get(one.path) ?? []).map((name) => ({ ...one, path: name }))),
  ];
}

type PathSubject = Extract<Subject, { kind: "path" }>;

/** Returns the real paths of the files that a shell text may read. */
async function listTargets(
  text: string,
  { files, root }: PermitPlace,
  realRoot: string,
): Promise<{ target: PathSubject; isLink: boolean }[]> {
  const found: { target: PathSubject; isLink: boolean }[] = [];
  for (const named of listReadPaths(readShell(text), root)) {
    const real = await files.realPath(named).catch(() => undefined);
    if (real === undefined) continue;
    const isLink = real !== path.resolve(realRoot, path.relative(root, named));
    found.push({
      target: { kind: "path", path: path.relative(realRoot, real) || ".", use: "mention" },
      isLink,
    });
  }
  return found;
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

async function createPreview({ tool, args, prepared }: GateCall): Promise<string> {
  // A preview can fail, for example for a missing file. The call then fails for the same reason.
  return prepared.preview().catch(() => `${tool.name} ${JSON.stringify(args)}`);
}

function shorten(text: string): string {
  const more = text.length - LONGEST_PREVIEW;
  return more <= 0 ? text : `${text.slice(0, LONGEST_PREVIEW)}\n[${more} more characters are not shown]`;
}
