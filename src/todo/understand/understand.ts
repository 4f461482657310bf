// Corrects the bytes of a broken task file where their meaning is clear: removes comments and trailing commas, writes UTF-8,
// and corrects tasks by understand-task.ts. Pure. All other bytes stay the same; an ambiguous text is left alone.
import { readLayout, readMembers, type BacklogLayout, type Member, type Range } from "../json/layout.js";
import { styleOf, wholeMember, writeMember, type ObjectStyle } from "../json/style.js";
import { Backlog } from "../model/task.js";
import { isMembers, moveToMeta, renameKeys, understandTask, type Members } from "./understand-task.js";
import { walkJson } from "../json/walk.js";

/** A change, and the task it was made in. */
export interface Correction {
  says: string;
  task?: string;
}

/** Other bytes for a broken file. */
export interface UnderstoodFile {
  bytes: Uint8Array;
  corrections: Correction[];
}

interface Edit extends Range {
  text: string;
}

const MARK = "\ufeff";
const ROOT_KEYS = Object.keys(Backlog.shape);

/**
 * Corrects a file where its meaning is clear; the result may still break rules beyond the shape. `undefined` without
 * corrections, or if the text cannot be read.
 */
export function understandFile(bytes: Uint8Array): UnderstoodFile | undefined {
  const decoded = decode(bytes);
  if (decoded === undefined) return undefined;
  const corrections: Correction[] = decoded.wide ? [{ says: "UTF-16 → UTF-8" }] : [];
  const bom = decoded.text.startsWith(MARK);
  const json = toJson(bom ? decoded.text.slice(1) : decoded.text, corrections);
  if (json === undefined) return undefined;
  const renamed = renameRootKeys(json, corrections);
  const text = renamed === undefined ? undefined : correctAll(renamed.layout, renamed.root, corrections);
  if (text === undefined || corrections.length === 0) return undefined;
  return { bytes: Buffer.from((bom && !decoded.wide ? MARK : "") + text, "utf8"), corrections };
}

/** Decodes UTF-8, or UTF-16 with a byte order mark; `undefined` for other bytes. */
function decode(bytes: Uint8Array): { text: string; wide: boolean } | undefined {
  const [first, second] = bytes;
  const wide =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "";
  try {
    const text = new TextDecoder(wide === "" ? "utf-8" : wide, { fatal: true, ignoreBOM: true }).decode(
      bytes,
    );
    return { text, wide: wide !== "" };
  } catch {
    return undefined;
  }
}

/** Removes comments and trailing commas; `undefined` if the text is not JSON even then. */
export function toJson(text: string, corrections: Correction[] = []): string | undefined {
  const { problems, removable } = walkJson(text, {});
  if (problems.length > removable.length) return undefined;
  for (const kind of ["comment", "comma"] as const) {
    const count = removable.filter((one) => one.kind === kind).length;
    const noun = kind === "comma" ? "trailing comma" : kind;
    if (count > 0) corrections.push({ says: `${String(count)} ${noun}${count === 1 ? "" : "s"} removed` });
  }
  const inOrder = removable.toSorted((a, b) => a.start - b.start);
  return edited(
    text,
    inOrder.map((one) => ({ ...(one.kind === "comment" ? withItsSpace(text, one) : one), text: "" })),
  );
}

/** A comment with the white space before it; one alone on its lines takes them with it. */
function withItsSpace(text: string, { start, end }: Range): Range {
  let from = start;
  while (/[ \t]/.test(text[from - 1] ?? "")) from--;
  const isAlone = from === 0 || text[from - 1] === "\n";
  const after = /^[ \t]*\r?\n/.exec(text.slice(end, end + 80))?.[0];
  if (isAlone) return after === undefined ? { start, end } : { start: from, end: end + after.length };
  // Two values on a line must stay separated.
  return after === undefined ? { start, end } : { start: from, end };
}

/** Gives the root's keys their known spelling; `undefined` if the text is not an object or could not be kept. */
function renameRootKeys(
  text: string,
  corrections: Correction[],
): { layout: BacklogLayout; root: Members } | undefined {
  const { layout, problems } = readLayout(text);
  if (problems.length > 0) return undefined;
  const root: unknown = JSON.parse(text);
  if (!isMembers(root)) return undefined;
  const changes: string[] = [];
  const { from } = renameKeys(root, ROOT_KEYS, changes);
  corrections.push(...changes.map((says) => ({ says })));
  const to = new Map([...from].map(([key, spelled]) => [spelled, key]));
  const edits = layout.members.flatMap(({ key, keyStart, keyEnd }) => {
    const name = to.get(key);
    return name === undefined ? [] : [{ start: keyStart, end: keyEnd, text: JSON.stringify(name) }];
  });
  if (edits.length === 0) return { layout, root };
  const after = edited(text, edits);
  const value: unknown = JSON.parse(after);
  return isMembers(value) ? { layout: readLayout(after).layout, root: value } : undefined;
}

/** Corrects the tasks and the root of a text; `undefined` if it does not have a list of tasks. */
function correctAll(layout: BacklogLayout, root: Members, corrections: Correction[]): string | undefined {
  const { text } = layout;
  const list = layout.members.find(({ key }) => key === "tasks");
  if (!Array.isArray(root["tasks"]) || list === undefined) return undefined;
  const tasks: unknown[] = root["tasks"];
  if (tasks.length !== layout.tasks.length) return undefined;
  const inside = tasks.flatMap((task, at) => {
    const range = layout.tasks[at];
    return range === undefined ? [] : taskEdits(text, range, task, corrections);
  });
  const whole = edited(text, inside);
  const changes: string[] = [];
  const after = correctRoot(root, changes);
  if (changes.length === 0) return whole;
  corrections.push(...changes.map((says) => ({ says })));
  const grown = whole.length - text.length;
  const members = layout.members.map((member) => shifted(member, list, grown));
  const range = { start: layout.root.start, end: layout.root.end + grown };
  const rewritten = rewrite(whole, { range, members, before: root, after });
  return edited(whole, [{ ...range, text: rewritten }]);
}

function shifted(member: Member, list: Member, by: number): Member {
  const { key, keyStart, keyEnd, start, end } = member;
  if (start < list.start) return member;
  if (start === list.start) return { ...member, end: end + by };
  return { key, keyStart: keyStart + by, keyEnd: keyEnd + by, start: start + by, end: end + by };
}

function taskEdits(text: string, range: Range, task: unknown, corrections: Correction[]): Edit[] {
  if (!isMembers(task)) return [];
  const members = readMembers(text, range.start);
  const numberText = (key: string): string | undefined => {
    const member = members.find((one) => one.key === key);
    return member === undefined ? undefined : text.slice(member.start, member.end);
  };
  const { members: after, changes } = understandTask(task, numberText);
  if (changes.length === 0) return [];
  const id = typeof after["id"] === "string" ? { task: after["id"] } : {};
  corrections.push(...changes.map((says) => ({ says, ...id })));
  return [{ ...range, text: rewrite(text, { range, members, before: task, after }) }];
}

/** Adds missing keys to the root and moves unknown keys into `meta`. Its list of tasks is ignored. */
function correctRoot(root: Members, changes: string[]): Members {
  const { unknown } = renameKeys(root, ROOT_KEYS, []);
  const moved = moveToMeta(root, unknown, changes);
  const { schema_version: version, source_files: sources } = moved;
  const fixed: Record<string, unknown> = { ...moved };
  if (version === undefined || version === null || version === "1") fixed["schema_version"] = 1;
  if (sources === undefined || sources === null) fixed["source_files"] = [];
  else if (typeof sources === "string") fixed["source_files"] = sources === "" ? [] : [sources];
  for (const key of ["schema_version", "source_files"]) {
    if (fixed[key] === moved[key]) continue;
    const what = moved[key] === undefined ? "missing " : "";
    changes.push(`${what}${key} → ${JSON.stringify(fixed[key])}`);
  }
  const missing = ["schema_version", "source_files"].filter((key) => !Object.hasOwn(moved, key));
  const order = [...missing, ...Object.keys(fixed).filter((key) => key !== "meta" && !missing.includes(key))];
  const all = Object.hasOwn(fixed, "meta") ? [...order, "meta"] : order;
  return Object.fromEntries(all.map((key) => [key, fixed[key]]));
}

interface Rewriting {
  range: Range;
  members: readonly Member[];
  before: Members;
  after: Members;
}

/** Replaces the members of an object in its own style; unchanged members keep their text. */
function rewrite(text: string, { range, members, before, after }: Rewriting): string {
  const style: ObjectStyle | undefined = styleOf(text, range, members);
  if (style === undefined) return JSON.stringify(after);
  const old = new Map(members.map((member) => [member.key, member]));
  const parts = Object.entries(after).map(([key, value]) => {
    const member = old.get(key);
    if (member === undefined || before[key] !== value) return writeMember(key, value, style);
    const { start, end } = wholeMember(member);
    return text.slice(start, end);
  });
  return `{${style.first}${parts.join(style.between)}${style.last}}`;
}

function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join("") + text.slice(at);
}

/** How many tasks are named for each kind of correction. */
const NAMED = 3;
const MOST_KINDS = 12;

/** The corrections on one line: each kind once, with the tasks it was made in. */
export function describeCorrections(corrections: readonly Correction[]): string {
  const kinds = new Map<string, string[]>();
  for (const { says, task } of corrections) {
    const tasks = kinds.get(says) ?? [];
    if (task !== undefined) tasks.push(task);
    kinds.set(says, tasks);
  }
  const parts = [...kinds].map(([says, tasks]) => {
    const more = tasks.length > NAMED ? [`${String(tasks.length - NAMED)} more`] : [];
    return tasks.length === 0 ? says : `${says} (${[...tasks.slice(0, NAMED), ...more].join(", ")})`;
  });
  const left = parts.length - MOST_KINDS;
  return [...parts.slice(0, MOST_KINDS), ...(left > 0 ? [`and ${String(left)} more kinds`] : [])].join("; ");
}
