// Reads a document that is one task, as Backlog.md writes it: its header has the fields, its boxes are the steps, and the rest
// of its text is the details.
import type { Fields } from "../../json/fields.js";
import type { Drafted } from "./draft.js";
import { boxesOf } from "./markdown.js";
import { readRecords } from "./records.js";

export function readTaskDocument(header: Fields, body: string): Drafted {
  const { drafts, ...read } = readRecords([{ path: [], records: [header] }], {}, "a task in Markdown");
  const boxes = boxesOf(body).map((box) => ({ ...box, words: box.words.replace(/^#\d+\s+/u, "") }));
  const open = boxes.filter(({ done }) => !done);
  const notes = [...read.notes];
  const tasks = drafts.map((draft) => {
    const name = draft.id ?? draft.title;
    const isDone = draft.status === "done" && open.length === 0;
    if (draft.status === "done" && !isDone) notes.push(`${name} is not taken as done: a box in it is open`);
    for (const { words, done } of isDone ? [] : boxes)
      if (done) notes.push(`left out of ${name}: ${words}, which is done`);
    const steps = [...(draft.steps ?? []), ...(isDone ? boxes : open).map(({ words }) => words)];
    const details = [draft.details, textBeside(body, new Set(boxes.map(({ line }) => line)))].filter(Boolean);
    const status = draft.status === "done" && !isDone ? ("todo" as const) : draft.status;
    return { ...draft, status, steps, details: details.join("\n\n") };
  });
  return { ...read, drafts: tasks, notes };
}

/** The text without its boxes, comments, and headings that nothing is left below. */
function textBeside(body: string, boxes: ReadonlySet<number>): string {
  const lines = body
    .split("\n")
    .filter((line, at) => !boxes.has(at + 1) && !line.trimStart().startsWith("<!--"));
  const isHeading = (line: string | undefined): boolean => line === undefined || /^#{1,6} /u.test(line);
  return lines
    .filter(
      (line, at) => !isHeading(line) || !isHeading(lines.slice(at + 1).find((one) => one.trim() !== "")),
    )
    .join("\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim();
}
