// Formats the messages of commits: of a task, of an undo, of a release. Their content comes from agents and backlogs
// and is hostile: none of it may read as one of our trailers. live-commits.ts parses the messages.

export interface CommitTexts {
  title: string;
  /** The agent's summary; may be empty. */
  summary: string;
  task: string;
  run: string;
  agent: string;
  /** Of a task in a workflow: who approved it, each as `NAME (WAY, STAGE)`. */
  approvals?: readonly string[];
}

export interface UndoTexts {
  /** The title of the task to undo. */
  title: string;
  /** May be empty. */
  reason: string;
  /** The task itself first, then the tasks that depended on it. */
  undone: readonly { task: string; title: string; commit: string }[];
}

/** The keys of our trailers. */
export const TRAILER = {
  task: "Looper-Task",
  run: "Looper-Run",
  agent: "Looper-Agent",
  approved: "Looper-Approved-By",
  undo: "Looper-Undo",
  undoCommit: "Looper-Undo-Commit",
  release: "Looper-Release",
} as const;

const LONGEST_TITLE = 100;

/** The title, the summary and the trailer block, with a newline at the end. */
export function formatMessage(texts: CommitTexts): string {
  const title = titleLine(texts.title);
  const trailers = [
    `${TRAILER.task}: ${cleanLine(texts.task)}`,
    `${TRAILER.run}: ${cleanLine(texts.run)}`,
    `${TRAILER.agent}: ${cleanLine(texts.agent)}`,
    ...(texts.approvals ?? []).map((one) => `${TRAILER.approved}: ${cleanLine(one)}`),
  ];
  // Git reads trailers only in the last paragraph: elsewhere "fix: x" may stay, but none of our own keys.
  const subject = title === "" || /^(?:looper-|---)/i.test(title) ? `Task ${title}`.trim() : title;
  return joinParts(subject, [texts.summary], trailers);
}

/**
 * "Undo: " and the title, the reason, the other undone tasks, and a trailer block that names each task and its
 * commit.
 */
export function formatUndoMessage({ title, reason, undone }: UndoTexts): string {
  const others = undone.slice(1).map((one) => `- ${cleanLine(one.task)} ${titleLine(one.title)}`);
  const list = others.length === 0 ? "" : ["Undone with it, since they depend on it:", ...others].join("\n");
  const trailers = undone.flatMap(({ task, commit }) => [
    `${TRAILER.undo}: ${cleanLine(task)}`,
    `${TRAILER.undoCommit}: ${commit}`,
  ]);
  return joinParts(`Undo: ${titleLine(title)}`.trim(), [reason, list], trailers);
}

/** "Release 1.3.0", the changelog's entry, and a trailer block that names the tag. */
export function formatReleaseMessage(release: {
  version: string;
  tag: string;
  notes: string;
  run: string;
  agent: string;
}): string {
  const { version, tag, notes, run, agent } = release;
  const trailers = [
    `${TRAILER.release}: ${cleanLine(tag)}`,
    `${TRAILER.run}: ${cleanLine(run)}`,
    `${TRAILER.agent}: ${cleanLine(agent)}`,
  ];
  // A Markdown line that begins with # is not a comment here: git takes this message as it is.
  return joinParts(`Release ${titleLine(version)}`, [notes], trailers);
}

/** The message of a release's tag: its name, and the changelog's entry. */
export function formatTagMessage({ tag, notes }: { tag: string; notes: string }): string {
  return `${[titleLine(tag), body(notes)].filter((text) => text !== "").join("\n\n")}\n`;
}

/** An id as a trailer spells it. */
export function trailerId(id: string): string {
  return cleanLine(id);
}

function joinParts(subject: string, texts: readonly string[], trailers: readonly string[]): string {
  const paragraphs = texts.map(body).filter((text) => text !== "");
  return `${[subject, ...paragraphs, trailers.join("\n")].join("\n\n")}\n`;
}

function body(text: string): string {
  return cleanLines(text)
    .map((line) => (isRisky(line) ? `  ${line}` : line))
    .join("\n")
    .replace(/^\n+|(?<!\s)\s+$/g, "");
}

function titleLine(text: string): string {
  const first = cleanLines(text).find((line) => line.trim() !== "") ?? "";
  return cleanLine(first).slice(0, LONGEST_TITLE).trim();
}

/** Whether git could read the line as a trailer, or as the `---` that ends a message. */
function isRisky(line: string): boolean {
  return /^(?:[\p{L}\p{N}_-]+\s*:|---|\(cherry picked from )/u.test(line);
}

function cleanLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map(cleanLine);
}

function cleanLine(line: string): string {
  return line.replace(/\t/g, "  ").replace(/[\p{Cc}\u2028\u2029]/gu, "");
}
