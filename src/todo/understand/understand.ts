// Corrects the bytes of a broken task file where their meaning is clear: removes comments and trailing commas, writes UTF-8,
// and corrects tasks by understand-task.ts. Pure. All other bytes stay the same; an ambiguous text is left alone.
import { given } from "../../system/given.js";
import { joinText, readText } from "../json/file-text.js";
import { joinPieces, readObject, styleOf, writeMember, type ObjectText } from "../json/pieces.js";
import { show } from "../model/problem.js";
import { Backlog } from "../model/task.js";
import { isMembers, moveToMeta, renameKeys, understandTask, type Members } from "./understand-task.js";

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

interface Range {
  start: number;
  end: number;
}

const MARK = "\ufeff";
const ROOT_KEYS = Object.keys(Backlog.shape);

/**
 * Corrects a file where its meaning is clear; the result may still break rules beyond the shape. `undefined` without
 * corrections, or if the text cannot be read.
 */
export function understandFile(bytes: Uint8Array, { withoutRoot = false } = {}): UnderstoodFile | undefined {
  const decoded = decode(bytes);
  if (decoded === undefined) return undefined;
  const corrections: Correction[] = decoded.wide ? [{ says: "UTF-16 → UTF-8" }] : [];
  const bom = decoded.text.startsWith(MARK);
  const json = toJson(bom ? decoded.text.slice(1) : decoded.text, corrections);
  if (json === undefined) return undefined;
  const text = correctAll(renameRootKeys(json, corrections), { corrections, withoutRoot });
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
  const { problems, removable } = readText(text);
  if (problems.some(({ rule }) => rule === "nesting")) return undefined;
  if (problems.filter(({ rule }) => rule === "syntax").length > removable.length) return undefined;
  for (const kind of ["comment", "comma"] as const) {
    const count = removable.filter((one) => one.kind === kind).length;
    const noun = kind === "comma" ? "trailing comma" : kind;
    if (count > 0) corrections.push({ says: `${String(count)} ${noun}${count === 1 ? "" : "s"} removed` });
  }
  let json = "";
  let at = 0;
  for (const one of removable.toSorted((a, b) => a.start - b.start)) {
    const { start, end } = one.kind === "comment" ? withItsSpace(text, one) : one;
    json += text.slice(at, start);
    at = end;
  }
  return json + text.slice(at);
}

/** A comment with the white space before it; one alone on its lines takes them with it. */
function withItsSpace(text: string, { start, end }: Range): Range {
  let from = start;
  while (/[ \t]/.test(text[from - 1] ?? "")) from--;
  const isAlone = from === 0 || text[from - 1] === "\n";
  const after = /^[ \t]*\r?\n/.exec(text.slice(end, end + 80))?.[0];
  // Two values on a line must stay separated.
  if (after === undefined) return { start, end };
  return { start: from, end: isAlone ? end + after.length : end };
}

/** Gives the root's keys their known spelling, in a text that is JSON. */
function renameRootKeys(text: string, corrections: Correction[]): string {
  const root: unknown = JSON.parse(text);
  if (!isMembers(root)) return text;
  const changes: string[] = [];
  const { from } = renameKeys(root, ROOT_KEYS, changes);
  if (changes.length === 0) return text;
  corrections.push(...changes.map((says) => ({ says })));
  const to = new Map([...from].map(([key, spelled]) => [spelled, key]));
  const { before, members, gaps, after } = readObject(text);
  const items = members.map(
    (member) => JSON.stringify(to.get(member.key) ?? member.key) + member.text.slice(member.colon),
  );
  return before + joinPieces({ items, gaps }) + after;
}

/** Corrects the tasks and the root of a text; `undefined` if it does not have a list of tasks, or could not be kept. */
function correctAll(
  text: string,
  { corrections, withoutRoot }: { corrections: Correction[]; withoutRoot: boolean },
): string | undefined {
  const { file, problems } = readText(text);
  const root: unknown = JSON.parse(text);
  if (problems.length > 0 || !isMembers(root) || !Array.isArray(root["tasks"])) return undefined;
  const rows = file.rows.map((row) => correctRow(row, corrections));
  const changes: string[] = [];
  const after = correctRoot(withoutRoot ? dropRoot(root, changes) : root, changes);
  if (changes.length === 0) return joinText({ ...file, rows });
  corrections.push(...changes.map((says) => ({ says })));
  const whole = readObject(joinText({ ...file, rows }));
  return whole.before + rewrite(whole, root, after) + whole.after;
}

function correctRow(row: string, corrections: Correction[]): string {
  const task: unknown = JSON.parse(row);
  if (!isMembers(task)) return row;
  const object = readObject(row);
  const numberText = (key: string): string | undefined => {
    const member = object.members.find((one) => one.key === key);
    return member?.text.slice(member.value);
  };
  const { members: after, changes } = understandTask(task, numberText);
  if (changes.length === 0) return row;
  const id = typeof after["id"] === "string" ? { task: after["id"] } : {};
  corrections.push(...changes.map((says) => ({ says, ...id })));
  return object.before + rewrite(object, task, after) + object.after;
}

/** Removes the folder for work, which is one of another computer. */
function dropRoot({ project, ...rest }: Members, changes: string[]): Members {
  if (!isMembers(project)) return { project, ...rest };
  const { root, ...about } = project;
  changes.push(`project.root ${show(root)} removed`);
  return Object.keys(about).length === 0 ? rest : { ...rest, project: about };
}

/** Adds missing keys to the root and moves unknown keys into `meta`. Its list of tasks is ignored. */
function correctRoot(root: Members, changes: string[]): Members {
  const { unknown } = renameKeys(root, ROOT_KEYS, []);
  const moved = moveToMeta(root, unknown, changes);
  const { schema_version: version, source_files: sources, meta, ...rest } = moved;
  const fixed: Record<string, unknown> = {};
  fixed["schema_version"] = version === undefined || version === null || version === "1" ? 1 : version;
  if (sources === undefined || sources === null || sources === "") fixed["source_files"] = [];
  else fixed["source_files"] = typeof sources === "string" ? [sources] : sources;
  for (const key of ["schema_version", "source_files"]) {
    if (fixed[key] === moved[key]) continue;
    const what = moved[key] === undefined ? "missing " : "";
    changes.push(`${what}${key} → ${JSON.stringify(fixed[key])}`);
  }
  const missing = Object.entries(fixed).filter(([key]) => !Object.hasOwn(moved, key));
  const there = Object.keys(moved).filter((key) => key !== "meta");
  const kept = there.map((key): [string, unknown] => [key, fixed[key] ?? rest[key]]);
  return { ...Object.fromEntries([...missing, ...kept]), ...given({ meta }) };
}

/** The inside of an object with other members, in its own style; unchanged members keep their text. */
function rewrite(object: ObjectText, before: Members, after: Members): string {
  if (object.members.length === 0) return JSON.stringify(after).slice(1, -1);
  const style = styleOf(object);
  const old = new Map(object.members.map(({ key, text }) => [key, text]));
  const parts = Object.entries(after).map(([key, value]) => {
    const text = before[key] === value ? old.get(key) : undefined;
    return text ?? writeMember(key, value, style);
  });
  return style.first + parts.join(style.between) + style.last;
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
