// Reads a document of requirements in Markdown. Its tasks are the first of these that it has: headings with an id or number
// of their own (`### US-001: …`, `### Feature 2: …`); items under headings about requirements, stories, features or tasks;
// numbered items; sections. The text below a task is its details; other text is left out, and a note names its heading.
import { given } from "../../../system/given.js";
import { never } from "../../../system/never.js";
import { readItem } from "./item-line.js";
import type { Drafted, TaskDraft } from "./draft.js";
import { dedent, slug, type MarkdownLine } from "./markdown-lines.js";

type Item = Extract<MarkdownLine, { kind: "item" }>;

/** A heading, and the text between it and the next one. */
interface Section {
  level: number;
  title: string;
  lines: readonly MarkdownLine[];
}

/** `US-001: …`, `FR-2 – …`, `User story 3: …`. */
const NUMBERED =
  /^(?:[*_]{1,2})?(?:([A-Za-z]{1,10}-?\d+(?:\.\d+)*)|(?:user story|story|requirement|feature|task|epic|milestone|phase|step)\s+#?(\d+(?:\.\d+)*))(?:[*_]{1,2})?\s*[:.)–—-]+\s*(.+)$/iu;
const WORK =
  /requirement|user stor|feature|task|deliverable|functional|backlog|to-?do|implementation|milestone|in scope|must.have|should.have/iu;
const NO_WORK =
  /non-?\s?goals?|non-functional|out of scope|not in scope|won.?t|future|metric|question|assumption|risk/iu;
const FRAME =
  /^(?:\d+[.)]?\s*)?(?:introduction|overview|summary|background|context|goals?|objectives?|problem.*|motivation|vision|purpose|success.*|open questions?|questions?|non-?\s?goals?|out of scope|technical considerations?|design considerations?|considerations?|constraints?|assumptions?|risks?|dependencies|references?|glossary|appendix.*|timeline|stakeholders?|personas?|users?|target audience|audience|metrics|table of contents|contents|license|changelog)$/iu;

export function readPrd(lines: readonly MarkdownLine[]): Drafted {
  const sections = sectionsOf(lines);
  const found = byNumber(sections) ?? byItems(sections) ?? byNumbers(sections) ?? bySection(sections);
  const { drafts, used, fromItems = false } = found ?? { drafts: [], used: new Set<Section>() };
  const left = sections.filter(
    (section) => !used.has(section) && section.lines.some(({ kind }) => kind !== "blank"),
  );
  const titles = left.map(({ title }) => (title === "" ? "the beginning" : title));
  return {
    format: "a document in Markdown",
    drafts,
    left: countLeft(lines, drafts, fromItems),
    notes: titles.length === 0 ? [] : [`of the document, not taken over as tasks: ${titles.join("; ")}`],
  };
}

interface Found {
  drafts: TaskDraft[];
  used: Set<Section>;
  /** Whether the titles are items instead of headings. */
  fromItems?: true;
}

/** The lines that are neither a title nor in details; headings do not count. */
function countLeft(lines: readonly MarkdownLine[], drafts: readonly TaskDraft[], fromItems: boolean): number {
  const all = lines.filter(({ kind }) => kind === "item" || kind === "text").length;
  const told = drafts.flatMap(({ details = "" }) => details.split("\n"));
  const taken = told.filter((line) => line.trim() !== "" && !/^#{1,6} /u.test(line)).length;
  return Math.max(0, all - taken - (fromItems ? drafts.length : 0));
}

function sectionsOf(lines: readonly MarkdownLine[]): Section[] {
  const sections: { level: number; title: string; lines: MarkdownLine[] }[] = [
    { level: 0, title: "", lines: [] },
  ];
  for (const line of lines) {
    if (line.kind === "heading") sections.push({ level: line.level, title: bare(line.text), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

function bare(text: string): string {
  return text.replaceAll(/^[*_]{1,2}|[*_]{1,2}$/g, "").trim();
}

/** Headings with the number of a requirement; deeper text below them belongs to them. */
function byNumber(sections: readonly Section[]): Found | undefined {
  const used = new Set<Section>();
  const drafts = sections.flatMap((section, at): TaskDraft[] => {
    const [, id, number, title] = NUMBERED.exec(section.title) ?? [];
    if (title === undefined || used.has(section)) return [];
    const below = deeper(sections, at);
    for (const one of [section, ...below]) used.add(one);
    const body = [section, ...below].flatMap((one) => [
      ...(one === section ? [] : [`${"#".repeat(one.level)} ${one.title}`, ""]),
      ...textOf(one.lines),
    ]);
    const name = id ?? number;
    const { title: words, priority, tags, dependsOn, blockers } = readItem(bare(title), false);
    const rest = { tags, dependsOn, blockers, ...given({ priority }) };
    return [{ ...given({ id: name }), title: words, ...rest, details: dedent(body, 0) }];
  });
  return drafts.length === 0 ? undefined : { drafts, used };
}

function deeper(sections: readonly Section[], at: number): Section[] {
  const level = sections[at]?.level ?? 0;
  const end = sections.findIndex((section, other) => other > at && section.level <= level);
  return sections.slice(at + 1, end === -1 ? undefined : end);
}

/** Items under headings about work. */
function byItems(sections: readonly Section[]): Found | undefined {
  const at = sections.flatMap((section, place) => {
    const above = [section, ...parents(sections, place)];
    const promises =
      above.some(({ title }) => WORK.test(title)) && !above.some(({ title }) => NO_WORK.test(title));
    return promises && section.level > 0 ? [section] : [];
  });
  return itemsOf(at, () => true);
}

function parents(sections: readonly Section[], at: number): Section[] {
  const found: Section[] = [];
  let level = sections[at]?.level ?? 0;
  for (let place = at - 1; place >= 0 && level > 1; place--) {
    const section = sections[place];
    // The document's own title does not count.
    if (section === undefined || section.level >= level || section.level < 2) continue;
    found.push(section);
    ({ level } = section);
  }
  return found;
}

/** Numbered items anywhere in the document. */
function byNumbers(sections: readonly Section[]): Found | undefined {
  return itemsOf(
    sections.filter(({ title }) => !NO_WORK.test(title)),
    ({ ordered }) => ordered,
  );
}

function itemsOf(sections: readonly Section[], wanted: (item: Item) => boolean): Found | undefined {
  const used = new Set<Section>();
  const drafts: TaskDraft[] = [];
  for (const section of sections) {
    const outer = Math.min(...section.lines.map((line) => (line.kind === "item" ? line.indent : Infinity)));
    let open: { item: Item; body: string[] } | undefined;
    for (const line of section.lines) {
      if (line.kind === "item" && line.indent <= outer + 1) {
        if (open !== undefined) drafts.push(itemDraft(open, section));
        open = wanted(line) ? { item: line, body: [] } : undefined;
      } else if (open !== undefined && isTableBeside(line, open.item)) {
        drafts.push(itemDraft(open, section));
        open = undefined;
      } else open?.body.push(rawOf(line));
    }
    if (open !== undefined) drafts.push(itemDraft(open, section));
    if (section.lines.some((line) => line.kind === "item" && wanted(line))) used.add(section);
  }
  return drafts.length === 0 ? undefined : { drafts, used, fromItems: true };
}

/** A table row that is indented less than the item's words belongs to the document and counts as left out. */
function isTableBeside(line: MarkdownLine, item: Item): boolean {
  return line.kind === "text" && line.indent < item.content && line.raw.trimStart().startsWith("|");
}

function itemDraft({ item, body }: { item: Item; body: readonly string[] }, { title }: Section): TaskDraft {
  const plain = item.text.replace(/^\*\*([^*:]+?):?\*\*:?\s*/u, (_whole, bold: string) => `${bold}: `);
  const {
    id,
    priority,
    tags,
    dependsOn,
    blockers,
    title: words,
  } = readItem(plain.replace(/:\s*$/u, ""), false);
  const tag = slug(title.replace(/^[\d.)\s]+/u, ""));
  return {
    ...given({ id }),
    title: words,
    ...given({ priority }),
    tags: tag === "" ? tags : [tag, ...tags],
    dependsOn,
    blockers,
    details: dedent(body, item.content),
  };
}

/** Sections with text, in a document without lists of work. */
function bySection(sections: readonly Section[]): Found | undefined {
  const used = new Set<Section>();
  const drafts = sections.flatMap((section, at): TaskDraft[] => {
    const says = section.lines.some(({ kind }) => kind !== "blank");
    const above = [section, ...parents(sections, at)];
    if (section.level < 2 || !says || above.some(({ title }) => FRAME.test(title) || NO_WORK.test(title)))
      return [];
    used.add(section);
    return [
      {
        title: section.title.replace(/^\d+(?:\.\d+)*[.)]?\s+/u, ""),
        details: dedent(textOf(section.lines), 0),
      },
    ];
  });
  return drafts.length === 0 ? undefined : { drafts, used };
}

function textOf(lines: readonly MarkdownLine[]): string[] {
  return lines.map(rawOf);
}

function rawOf(line: MarkdownLine): string {
  switch (line.kind) {
    case "blank":
      return "";
    case "heading":
      return `${"#".repeat(line.level)} ${line.text}`;
    case "item":
    case "text":
      return line.raw;
    default:
      return never(line);
  }
}

/** Whether a document has headings with numbers of requirements; boxes below them are acceptance criteria. */
export function hasNumberedHeadings(lines: readonly MarkdownLine[]): boolean {
  return lines.some((line) => line.kind === "heading" && NUMBERED.test(bare(line.text)));
}
