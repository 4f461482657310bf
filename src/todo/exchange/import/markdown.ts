// Reads tasks from Markdown. Boxes are tasks; boxes below one are its steps, all else below it its details; headings, and
// plain items that hold boxes, are tags, priorities or states. A heading with the number of a requirement (`### US-001: …`)
// is a task with all that is below it. A document without both has its tasks in lists or sections. Every other line is named.
import { fromMarkdown } from "mdast-util-from-markdown";
import { given } from "../../../system/given.js";
import { shorten } from "../../../system/text/cut.js";
import { lineCounter } from "../../../system/text/line-counter.js";
import {
  bareHeading,
  isAboutWork,
  priorityIn,
  promisesWork,
  refusesWork,
  stateFor,
  stateOfBox,
  type WorkState,
} from "../../check/words.js";
import type { Drafted, TaskDraft } from "./plan.js";
import { readItem, withoutMarks, type ItemLine } from "./item-line.js";

type Block = ReturnType<typeof fromMarkdown>["children"][number];
type Item = Extract<Block, { type: "list" }>["children"][number];

type Placed = Pick<Block, "position">;

/** A heading, and the blocks between it and the next one. */
interface Section {
  /** Its index among all sections. */
  at: number;
  level: number;
  title: string;
  /** Its title is struck out. */
  isStruck: boolean;
  blocks: Block[];
  /** The offsets of the text below its heading. */
  start: number;
  end: number;
  above: readonly Section[];
}

/** Reads a text with `\n` as line end, and without tabs that indent. */
export function readMarkdown(text: string): Drafted {
  const document = new Document(text);
  const drafts = document.read();
  const left = document.leftOut();
  return {
    format: document.isChecklist ? "a Markdown checklist" : "a document in Markdown",
    drafts,
    notes: [...document.notes, ...left],
    ...(document.isChecklist ? {} : { left: left.length }),
  };
}

/** Headings over boxes that are demands on one task. */
const DEMANDS = /^(?:(?:acceptance|success) criteria|definition of done|test plan)\b/iu;

const NUMBERED =
  /^(?:(?!P[0-5]\b)([A-Za-z]{1,10}-?\d+(?:\.\d+)*)|(user story|story|requirement|feature|task|epic|milestone|phase|step|sprint|stage|part|week|day)\s+#?(\d+(?:\.\d+)*))\s*[:.)–—-]/iu;
/** `~~Title~~`, also behind a number. */
const STRUCK = /(?:^|[:.)–—-]\s)~~[^~]+~~$/u;
const REQUIREMENT = /^(?:user story|story|requirement|feature)$/iu;
/** A day, epic, half of a year, milestone, quarter, sprint, version or week: `M1`, `Q3`, `v2.0`. */
const GROUP_ID = /^[DEHMQSVW]\d/iu;

/** `US-001: …`, `User story 3: …`, `Phase 2: …`; of a group the boxes below it are the tasks. */
function numberIn(heading: string): { id: string; title: string; isGroup: boolean } | undefined {
  const [match = "", own, word, number] = NUMBERED.exec(heading) ?? [];
  const id = own ?? number;
  const title = heading.slice(match.length).replace(/^[\s:.)–—-]+/u, "");
  if (id === undefined || title === "") return undefined;
  return { id, title, isGroup: word === undefined ? GROUP_ID.test(id) : !REQUIREMENT.test(word) };
}

const OPEN: WorkState = { status: "todo" };
const TICKED: WorkState = { status: "done" };

/** A text that is read. */
export class Document {
  readonly notes: string[] = [];
  isChecklist = false;
  private readonly sections: Section[] = [];
  private readonly lines: readonly string[];
  /** The numbers of lines that are in a task or say something about one. */
  private readonly taken = new Set<number>();
  private readonly placeOf: (offset: number) => { line: number };

  constructor(private readonly text: string) {
    this.lines = text.split("\n");
    this.placeOf = lineCounter(text);
    const whole = { isStruck: false, start: 0, end: text.length };
    let section: Section = { ...whole, at: 0, level: 0, title: "", blocks: [], above: [] };
    this.sections.push(section);
    for (const block of blocksOf(text)) {
      if (block.type === "heading") {
        const { depth: level } = block;
        section.end = startOf(block);
        const above = [section, ...section.above].filter((one) => one.level > 0 && one.level < level);
        const [first, last] = [block.children[0], block.children.at(-1)];
        const words =
          first === undefined || last === undefined ? "" : text.slice(startOf(first), endOf(last));
        const title = withoutMarks(words);
        const at = this.sections.length;
        const isStruck = STRUCK.test(words);
        if (!isStruck) this.take(block);
        section = { ...whole, isStruck, at, level, title, blocks: [], start: endOf(block), above };
        this.sections.push(section);
      } else if (block.type === "thematicBreak" || this.rawOf(block).startsWith("<!--")) this.take(block);
      else if (block.type !== "html") section.blocks.push(block);
    }
  }

  read(): TaskDraft[] {
    const numbered = this.numberedSections();
    const boxed = this.sections.some((section) => this.hasBoxes(section));
    this.isChecklist = boxed && numbered.size === 0;
    const inside = new Set<Section>([...numbered].flatMap((section) => [section, ...this.below(section)]));
    const drafts = this.sections.flatMap((section) => {
      if (numbered.has(section)) return [this.sectionTask(section)];
      const isOut = this.isChecklist ? this.isRefused(section) : !this.isWork(section);
      if (inside.has(section) || isOut) return [];
      return this.boxTasks(section.blocks, this.aroundOf(section));
    });
    if (drafts.length > 0 || boxed) return drafts;
    const items = this.listTasks(
      ({ title, above }) => [title, ...above.slice(0, -1).map((one) => one.title)].some(promisesWork),
      () => true,
    );
    if (items.length > 0) return items;
    const ordered = this.listTasks(
      () => true,
      (list) => list.ordered === true,
    );
    return ordered.length > 0 ? ordered : this.sectionTasks();
  }

  /** Whether it has tasks of its own. */
  holdsTasks(): boolean {
    const boxed = this.sections.filter((section) => this.hasBoxes(section));
    return this.numberedSections().size > 0 || boxed.some(({ title }) => !DEMANDS.test(title));
  }

  /** Its boxes, in their order, and the numbers of their lines. */
  boxes(): { words: string; line: number; done: boolean }[] {
    return this.sections
      .flatMap(({ blocks }) => blocks)
      .flatMap((block) => this.boxesIn(block))
      .map(({ item, box }) => ({
        words: withoutMarks(this.wordsOf(item), true),
        line: this.placeOf(startOf(item)).line,
        done: stateOfBox(box)?.status === "done",
      }));
  }

  /** Each line that is in no task. */
  leftOut(): string[] {
    return this.lines.flatMap((line, at) =>
      line.trim() === "" || this.taken.has(at + 1)
        ? []
        : [`line ${String(at + 1)} left out: ${shorten(line.trim(), 80)}`],
    );
  }

  /** Headings that are tasks: of those with the word for a group, the ones without boxes. */
  private numberedSections(): Set<Section> {
    const found = new Set<Section>();
    for (const section of this.sections) {
      const number = numberIn(section.title);
      if (number === undefined || this.isRefused(section) || section.above.some((one) => found.has(one)))
        continue;
      const below = this.below(section);
      const holds =
        [section, ...below].some((one) => this.hasBoxes(one)) ||
        below.some(({ title }) => numberIn(title) !== undefined);
      if (!number.isGroup || !holds) found.add(section);
    }
    return found;
  }

  private below({ at, level }: Section): Section[] {
    if (level === 0) return [];
    const end = this.sections.findIndex((other, index) => index > at && other.level <= level);
    return this.sections.slice(at + 1, end < 0 ? undefined : end);
  }

  private isRefused(section: Section): boolean {
    return [section, ...section.above].some(({ title, isStruck }) => isStruck || refusesWork(title));
  }

  private isWork(section: Section): boolean {
    const isAbout = [section, ...section.above].some(({ title }) => isAboutWork(title));
    return !isAbout && !this.isRefused(section);
  }

  private hasBoxes({ blocks }: Section): boolean {
    return blocks.some((block) => this.holdsBox(block));
  }

  private holdsBox(block: Block): boolean {
    return this.boxesIn(block).length > 0;
  }

  /** A heading as a task; its boxes say whether it is done. */
  private sectionTask(section: Section): TaskDraft {
    const all = [section, ...this.below(section)];
    const { id, title } = numberIn(section.title) ?? { title: section.title };
    const end = all.at(-1)?.end ?? section.end;
    this.takeRange(section.start, end - 1);
    const boxes = all.flatMap(({ blocks }) => blocks).flatMap((block) => this.boxesIn(block));
    const isDone = boxes.every(({ box }) => stateOfBox(box)?.status === "done");
    const details = this.text.slice(section.start, end).trim();
    const item = readItem(title, this.toldIn(section.blocks));
    const ticked = boxes.length === 0 ? [] : [isDone ? TICKED : OPEN];
    const state = this.settle(item.title, [...ticked, ...item.states]);
    return { ...fieldsOf(item, state), ...given({ id }), details };
  }

  /** The text that may hold fields of the task around it: no code, which shows examples, and no tasks of its own. */
  private toldIn(blocks: readonly Block[]): string {
    const told = blocks.flatMap((block): readonly Placed[] => {
      if (block.type === "list") return block.children.filter((item) => this.boxOf(item) === undefined);
      return block.type === "paragraph" ? [block] : [];
    });
    return told.map((block) => this.rawOf(block)).join("\n");
  }

  /** Of several states one that is cancelled counts, then the one that is open, with a note. */
  private settle(title: string, said: readonly WorkState[]): WorkState {
    const open = said.find(({ status }) => status !== "done" && status !== "todo");
    const found =
      said.find(({ tags }) => tags !== undefined) ?? open ?? said.find(({ status }) => status === "todo");
    if (found !== undefined && found.status !== "done" && said.some(({ status }) => status === "done"))
      this.notes.push(`${JSON.stringify(shorten(title, 60))} is not taken as done: something in it is open`);
    return found ?? said[0] ?? OPEN;
  }

  private boxesIn(block: Block): { item: Item; box: string }[] {
    if (block.type !== "list") return [];
    return block.children.flatMap((item) => {
      const box = this.boxOf(item);
      return [
        ...(box === undefined ? [] : [{ item, box }]),
        ...item.children.flatMap((one) => this.boxesIn(one)),
      ];
    });
  }

  /** The tasks of boxes; `around`: of the headings and items above them. */
  private boxTasks(blocks: readonly Block[], around: Around): TaskDraft[] {
    return blocks.flatMap((block) => {
      if (block.type !== "list") return [];
      return block.children.flatMap((item) => {
        if (this.boxOf(item) !== undefined) return this.boxTask(item, around);
        if (!item.children.some((one) => this.holdsBox(one))) return [];
        const words = this.wordsOf(item);
        this.takeRange(startOf(item), startOf(item) + 1);
        return refusesWork(words) ? [] : this.boxTasks(item.children, joined(around, aroundIn(words)));
      });
    });
  }

  private boxTask(item: Item, around: Around): TaskDraft[] {
    const words = this.wordsOf(item);
    const { steps, done, details } = this.insideOf(item);
    if (words + details + steps.join("") === "") return [];
    this.take(item);
    const read = readItem([words, ...this.firstLines(item).slice(1)].join("\n"), this.toldIn(item.children));
    const marked = stateOfBox(this.boxOf(item) ?? "");
    // A box of a group in progress is marked like a cancelled one.
    const box = steps.length > 0 && marked?.status === "done" ? [TICKED, OPEN] : [marked ?? OPEN];
    let state = this.settle(read.title, [...box, ...read.states]);
    if (state.status === "todo") state = around.state ?? state;
    if (state.status !== "done")
      for (const step of done)
        this.notes.push(
          `left out of ${JSON.stringify(shorten(read.title, 60))}: ${shorten(step, 60)}, which is done`,
        );
    return [
      {
        ...given({ priority: around.priority }),
        ...fieldsOf(read, state, around.tags),
        steps: state.status === "done" ? [...done, ...steps] : steps,
        details,
      },
    ];
  }

  /** Items of lists in these sections; the text below an item is its details. */
  private listTasks(
    wanted: (section: Section) => boolean,
    from: (list: Extract<Block, { type: "list" }>) => boolean,
  ): TaskDraft[] {
    const open = this.sections.filter((section) => wanted(section) && this.isWork(section));
    return open.flatMap(({ title, blocks }) =>
      blocks.flatMap((block) => {
        if (block.type !== "list" || !from(block)) return [];
        const tag = slug(title.replace(/^[\d.)\s]+/u, ""));
        return block.children.map((item) => {
          this.take(item);
          const plain = this.wordsOf(item).replace(
            /^\*\*([^*:]+?):?\*\*:?\s*/u,
            (_whole, bold: string) => `${bold}: `,
          );
          const read = readItem(plain.replace(/:\s*$/u, ""));
          const state = this.settle(read.title, read.states);
          const body = this.bodyOf(item, item.children.slice(1));
          const details = [...this.firstLines(item).slice(1), body].filter(Boolean).join("\n");
          return { ...fieldsOf(read, state, tag === "" ? [] : [tag]), details };
        });
      }),
    );
  }

  /** Sections with text, in a document without lists of work. */
  private sectionTasks(): TaskDraft[] {
    const open = this.sections.filter(({ level, blocks }) => level >= 2 && blocks.length > 0);
    return open
      .filter((section) => this.isWork(section))
      .map((section) => {
        this.takeRange(section.start, section.end);
        return {
          ...fieldsOf(readItem(section.title.replace(/^\d+(?:\.\d+)*[.)]?\s+/u, "")), OPEN),
          details: this.text.slice(section.start, section.end).trim(),
        };
      });
  }

  private aroundOf({ level, title, above }: Section): Around {
    const titled = this.sections.filter((one) => one.level === 1).length === 1;
    const all = [...above.toReversed(), { level, title }].filter((one) => one.level > (titled ? 1 : 0));
    return all.reduce<Around>((outer, one) => joined(outer, aroundIn(one.title)), { tags: [] });
  }

  /** The first line of an item, behind its box. */
  private wordsOf(item: Item): string {
    const [first] = this.firstLines(item);
    return (first ?? "").replace(BOX, "").trim();
  }

  private boxOf(item: Item): string | undefined {
    const [first] = item.children;
    return first?.type === "paragraph" ? BOX.exec(this.rawOf(first))?.[1] : undefined;
  }

  private firstLines(item: Item): string[] {
    const [first] = item.children;
    return first === undefined
      ? []
      : this.rawOf(first)
          .split("\n")
          .map((line) => line.trim());
  }

  /** The boxes below an item, and the text. */
  private insideOf(item: Item): { steps: string[]; done: string[]; details: string } {
    const steps: string[] = [];
    const done: string[] = [];
    const text: string[] = [];
    const walk = (one: Item): void => {
      text.push(this.firstLines(one).slice(1).join("\n"));
      for (const block of one.children.slice(1)) {
        if (block.type !== "list" || !this.holdsBox(block)) text.push(this.bodyOf(item, [block]));
        else
          for (const below of block.children) {
            const box = this.boxOf(below);
            const words = withoutMarks(this.wordsOf(below), true);
            if (box === undefined) text.push(`- ${words}`);
            else if (words !== "") (stateOfBox(box)?.status === "done" ? done : steps).push(words);
            walk(below);
          }
      }
    };
    walk(item);
    return { steps, done, details: text.filter((part) => part !== "").join("\n\n") };
  }

  /** The text of blocks in an item, without the indentation of the item's words. */
  private bodyOf(item: Item, blocks: readonly Block[]): string {
    const [first, last] = [blocks[0], blocks.at(-1)];
    if (first === undefined || last === undefined) return "";
    const columns = (item.children[0]?.position?.start.column ?? 1) - 1;
    const start = this.text.lastIndexOf("\n", startOf(first)) + 1;
    const lines = this.text.slice(start, endOf(last)).split("\n");
    const inside = (line: string): boolean => line.slice(0, columns).trim() === "";
    return lines.map((line) => (inside(line) ? line.slice(columns) : line.trimStart())).join("\n");
  }

  private rawOf(block: Placed): string {
    return this.text.slice(startOf(block), endOf(block));
  }

  private take(block: Placed): void {
    this.takeRange(startOf(block), endOf(block));
  }

  private takeRange(start: number, end: number): void {
    const last = this.placeOf(end).line;
    for (let { line } = this.placeOf(start); line <= last; line++) this.taken.add(line);
  }
}

/** A letter or number other than x is a mark of another kind: `[P]`, `[1]`. */
const BOX = /^\[([xX]|[^\p{L}\p{N}])\](?:\s+|$)/u;

/** A line that begins a block, whatever is above it. */
const BEGINS = /^(?:#{1,6} +\S|[-*+] +\S)/u;
const FENCE = /^ {0,3}(`{3,}|~{3,})/u;
/** The lines of a piece, after which the next one begins as soon as it can. */
const PIECE = 200;

/** The blocks of a text. The parser takes time quadratic in the number of lists, so it gets a long text in pieces. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let [start, at, lines] = [0, 0, 0];
  /** The end of the code or comment that the line is in. */
  let until: string | undefined;
  const take = (end: number): void => {
    for (const block of fromMarkdown(text.slice(start, end)).children) blocks.push(moved(block, start));
    [start, lines] = [end, 0];
  };
  for (const line of text.split("\n")) {
    if (until === undefined && lines >= PIECE && BEGINS.test(line)) take(at);
    const mark = FENCE.exec(line)?.[1];
    if (until === undefined) until = mark ?? (/^ {0,3}<!--(?!.*-->)/u.test(line) ? "-->" : undefined);
    else if (
      until === "-->" ? line.includes(until) : mark?.startsWith(until) === true && line.trim() === mark
    )
      until = undefined;
    at += line.length + 1;
    lines += 1;
  }
  take(text.length);
  return blocks;
}

/** The block with the offsets that it has in the whole text. */
function moved(block: Block, by: number): Block {
  if (by === 0) return block;
  const nodes: Placed[] = [block];
  for (const node of nodes) {
    for (const end of [node.position?.start, node.position?.end])
      if (end?.offset !== undefined) end.offset += by;
    if ("children" in node && Array.isArray(node.children)) nodes.push(...(node.children as Placed[]));
  }
  return block;
}

function startOf({ position }: Placed): number {
  return position?.start.offset ?? 0;
}

function endOf({ position }: Placed): number {
  return position?.end.offset ?? 0;
}

function fieldsOf(item: ItemLine, state: WorkState, outer: readonly string[] = []): TaskDraft {
  const { status, blockers = [], tags = [] } = state;
  return { ...item, status, blockers, tags: [...new Set([...outer, ...tags, ...item.tags])] };
}

/** Properties that a heading, or an item without a box, gives to the tasks below it. */
interface Around {
  tags: readonly string[];
  priority?: number;
  state?: WorkState;
}

function joined(outer: Around, inner: Around): Around {
  return { ...outer, ...inner, tags: [...outer.tags, ...inner.tags] };
}

/** Headings that only say that tasks follow. */
const PLAIN =
  /^(?:to-?do'?s?|to do|tasks?|task list|backlog|checklist|items|done|completed|next|later|now|open|plan)$/u;
/** A longer heading is a sentence. */
const LONGEST_HEADING = 100;

/** `## Login (P1)`, `## High priority`, `## Doing`, `## Phase 2: Login`. */
function aroundIn(heading: string): Around {
  const words = bareHeading(heading);
  if (words.length > LONGEST_HEADING) return { tags: [] };
  const whole = priorityIn(words);
  if (whole !== undefined) return { tags: [], priority: whole };
  const [mark = "", front, back] = /^(P[0-5])\b[\s:–—-]*|\s*[[(]([^\])]+)[\])]$/iu.exec(words) ?? [];
  // Phases come one after the other, whatever the priority of the work in them.
  const priority = /^phase\b/iu.test(words) ? undefined : priorityIn(front ?? back ?? "");
  const rest = priority === undefined ? words : words.replace(mark, "");
  const state = stateFor(rest);
  if (state !== undefined && (state.status === "doing" || state.status === "blocked"))
    return { tags: [], state, ...given({ priority }) };
  const name = numberIn(rest)?.title ?? rest;
  const tag = PLAIN.test(name.toLowerCase()) ? "" : slug(name);
  return { tags: tag === "" ? [] : [tag], ...given({ priority }) };
}

/** Turns a text into a tag: `User login` → `user-login`; empty if no letter is left. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");
}
