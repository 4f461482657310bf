// A Markdown checklist. A box at the outer level is a task; boxes below it are its steps, all else below it its details. Headings,
// and plain items that hold boxes, are tags, priorities (`P1`, `High priority`) or states (`Doing`, `Blocked`).
import { given } from "../../../system/given.js";
import { priorityIn, readItem, withoutMarks } from "./item-line.js";
import type { Status } from "../../model/task.js";
import type { Drafted, TaskDraft } from "./draft.js";
import { dedent, slug, type MarkdownLine } from "./markdown-lines.js";

type Item = Extract<MarkdownLine, { kind: "item" }>;

/** A task whose lines are still being read. */
interface Open {
  item: Item;
  steps: string[];
  body: string[];
  /** From the heading and the items above it. */
  above: Above;
}

/** Properties that a heading, or an item without a box, gives to the tasks below it. */
interface Above {
  tags: readonly string[];
  priority?: number;
  status?: Status;
}

/** Headings that only say that tasks follow. */
const PLAIN =
  /^(?:to-?do'?s?|to do|tasks?|task list|backlog|checklist|items|done|completed|next|later|now|open|plan)$/u;
const CANCELLED = "cancelled";
const BOXES: ReadonlyMap<string, Status> = new Map([
  ["x", "done"],
  ["X", "done"],
  ["-", "done"],
  ["/", "doing"],
  ["~", "doing"],
]);

export function hasBoxes(lines: readonly MarkdownLine[]): boolean {
  return lines.some((line) => line.kind === "item" && line.box !== undefined);
}

export function readChecklist(lines: readonly MarkdownLine[]): Drafted {
  const reader = new ChecklistReader(
    lines.filter((line) => line.kind === "heading" && line.level === 1).length === 1,
  );
  for (const line of lines) reader.read(line);
  const { drafts, loose, doneSteps } = reader.end();
  const said = drafts.filter(
    ({ title, details, steps = [] }) => title + (details ?? "") + steps.join("") !== "",
  );
  const empty = drafts.length - said.length;
  return {
    format: "a Markdown checklist",
    drafts: said,
    notes: [
      ...(empty === 0 ? [] : [`boxes without words left out: ${empty}`]),
      ...(doneSteps === 0 ? [] : [`steps that are done, left out: ${doneSteps}`]),
      ...(loose === 0 ? [] : [`lines of text beside the boxes, not taken over: ${loose}`]),
    ],
  };
}

class ChecklistReader {
  private readonly drafts: TaskDraft[] = [];
  private readonly headings: { level: number; above: Above }[] = [];
  private groups: { indent: number; text: string; used: boolean }[] = [];
  private open: Open | undefined;
  private afterBlank = false;
  private loose = 0;
  private doneSteps = 0;

  /** `titled`: the only heading of the first level is the document's title. */
  constructor(private readonly titled: boolean) {}

  read(line: MarkdownLine): void {
    const { open } = this;
    if (line.kind === "blank") open?.body.push("");
    else if (line.kind === "heading") this.readHeading(line);
    else if (line.kind === "item") this.readAnyItem(line);
    else if (open !== undefined && (line.indent >= 2 + open.item.indent || !this.afterBlank))
      open.body.push(line.raw);
    else {
      this.close();
      this.loose++;
    }
    this.afterBlank = line.kind === "blank";
  }

  end(): { drafts: TaskDraft[]; loose: number; doneSteps: number } {
    this.close();
    return {
      doneSteps: this.doneSteps,
      drafts: this.drafts,
      loose: this.loose + this.groups.filter(({ used }) => !used).length,
    };
  }

  private readHeading({ level, text }: Extract<MarkdownLine, { kind: "heading" }>): void {
    this.close();
    this.forgetGroups(0);
    while ((this.headings.at(-1)?.level ?? 0) >= level) this.headings.pop();
    const above = level === 1 && this.titled ? { tags: [] } : aboveOf(text);
    this.headings.push({ level, above });
  }

  private readAnyItem(item: Item): void {
    const { open } = this;
    if (open !== undefined && item.indent > open.item.indent + 1) {
      if (item.box === undefined) open.body.push(item.raw);
      else if (BOXES.get(item.box) === "done") this.doneSteps++;
      else if (item.text !== "") open.steps.push(withoutMarks(item.text));
      return;
    }
    this.close();
    this.forgetGroups(item.indent);
    if (item.box === undefined) {
      this.groups.push({ indent: item.indent, text: item.text, used: false });
      return;
    }
    for (const group of this.groups) group.used = true;
    const all = [...this.headings.map(({ above }) => above), ...this.groups.map(({ text }) => aboveOf(text))];
    const above = all.reduce(
      (outer, inner) => ({ ...outer, ...inner, tags: [...outer.tags, ...inner.tags] }),
      {
        tags: [],
      },
    );
    this.open = { item, steps: [], body: [], above };
  }

  /** Closes the items that cannot contain text at this column. */
  private forgetGroups(indent: number): void {
    const over = this.groups.filter((group) => group.indent >= indent);
    this.loose += over.filter(({ used }) => !used).length;
    this.groups = this.groups.filter((group) => group.indent < indent);
  }

  private close(): void {
    if (this.open !== undefined) this.drafts.push(draftOf(this.open));
    this.open = undefined;
  }
}

function draftOf({ item, steps, body, above }: Open): TaskDraft {
  const box = item.box ?? " ";
  const { blockers, tags, status, ...said } = readItem(item.text, BOXES.get(box) === "done");
  const open = BOXES.get(box) ?? (status === "todo" ? (above.status ?? status) : status);
  const mark = box === "-" ? [CANCELLED] : [];
  return {
    ...given({ priority: above.priority }),
    ...said,
    status: open ?? "todo",
    blockers,
    tags: [...new Set([...above.tags, ...mark])].filter((tag) => !tags.includes(tag)).concat(tags),
    steps,
    details: dedent(body, item.content),
  };
}

/** A longer heading is a sentence. */
const LONGEST_HEADING = 100;

/** `## Login (P1)`, `## High priority`, `## Doing`. */
function aboveOf(heading: string): Above {
  const words = heading.replaceAll(/[*_`]/g, "").replace(/:$/u, "").trim();
  if (words.length > LONGEST_HEADING) return { tags: [] };
  const whole = priorityIn(words);
  if (whole !== undefined) return { tags: [], priority: whole };
  const [, front, back] = /^(P[0-5])\b[\s:–—-]*|\s*[[(]([^\])]+)[\])]$/iu.exec(words) ?? [];
  const priority = priorityIn(front ?? back ?? "");
  const rest =
    priority === undefined ? words : words.replace(/^P[0-5]\b[\s:–—-]*|\s*[[(][^\])]+[\])]$/iu, "");
  const plain = rest.toLowerCase();
  if (/^(?:doing|in progress)$/u.test(plain)) return { tags: [], status: "doing" };
  if (plain === "blocked") return { tags: [], status: "blocked" };
  const tag = PLAIN.test(plain) ? "" : slug(rest);
  return { tags: tag === "" ? [] : [tag], ...given({ priority }) };
}
