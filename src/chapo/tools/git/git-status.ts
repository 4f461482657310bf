// Reads the output of `git status --porcelain=v2 --branch -z` and formats it for a model. Pure.
import { quoteName } from "../quote-name.js";

const MOST_LISTED = 200;

/** The state of the working tree as git reports it. */
interface Status {
  branch: string;
  upstream: string | undefined;
  /** How far the branch is ahead of and behind its upstream. */
  apart: string | undefined;
  staged: string[];
  unstaged: string[];
  unmerged: string[];
  untracked: string[];
}

const WORDS: Readonly<Record<string, string>> = {
  A: "added",
  C: "copied",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "type changed",
};

/** Formats the status: branch, upstream, and each kind of change with its files. */
export function formatStatus(porcelain: string): string {
  const status = readStatus(porcelain.split("\0"));
  const lines = [`branch: ${status.branch}`];
  if (status.upstream !== undefined)
    lines.push(`upstream: ${status.upstream}${status.apart === undefined ? "" : ` (${status.apart})`}`);
  for (const [name, files] of [
    ["staged", status.staged],
    ["not staged", status.unstaged],
    ["in conflict", status.unmerged],
    ["untracked", status.untracked],
  ] as const)
    if (files.length > 0) lines.push(...listFiles(name, files));
  if (lines.every((line) => !line.endsWith(":"))) lines.push("nothing to commit, the tree is clean");
  return lines.join("\n");
}

function listFiles(name: string, files: readonly string[]): string[] {
  const more = files.length - MOST_LISTED;
  const shown = files.slice(0, MOST_LISTED).map((file) => `  ${file}`);
  return [`${name}:`, ...shown, ...(more > 0 ? [`  [… ${more} more]`] : [])];
}

function readStatus(records: readonly string[]): Status {
  const status: Status = {
    branch: "(unknown)",
    upstream: undefined,
    apart: undefined,
    staged: [],
    unstaged: [],
    unmerged: [],
    untracked: [],
  };
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? "";
    const kind = record.slice(0, 2);
    if (kind === "# ") readHeader(status, record);
    else if (kind === "1 ") readChange(status, record.slice(2, 4), skipFields(record, 8));
    else if (kind === "2 ") {
      at += 1;
      readChange(status, record.slice(2, 4), `${records[at] ?? ""} -> ${skipFields(record, 9)}`);
    } else if (kind === "u ") status.unmerged.push(quoteName(skipFields(record, 10)));
    else if (kind === "? ") status.untracked.push(quoteName(record.slice(2)));
  }
  return status;
}

function readHeader(status: Status, record: string): void {
  const [, name = "", ...rest] = record.split(" ");
  const value = rest.join(" ");
  if (name === "branch.head") status.branch = value === "(detached)" ? "none (detached HEAD)" : value;
  if (name === "branch.upstream") status.upstream = value;
  if (name === "branch.ab") status.apart = value.replace(/^\+(\d+) -(\d+)$/, "$1 ahead, $2 behind");
}

function readChange(status: Status, codes: string, file: string): void {
  const [inIndex = ".", inTree = "."] = codes;
  if (inIndex !== ".") status.staged.push(`${WORDS[inIndex] ?? inIndex}: ${quoteName(file)}`);
  if (inTree !== ".") status.unstaged.push(`${WORDS[inTree] ?? inTree}: ${quoteName(file)}`);
}

/** Returns the rest of a record after its first fields; a name may contain spaces. */
function skipFields(record: string, fields: number): string {
  return record.split(" ").slice(fields).join(" ");
}
