// Fills a template: `{{name}}` becomes a value, `{{#name}} … {{/name}}` stays when the value is not empty.
// Leaves what the values hold to compose.ts, and where templates lie to store.ts.
import { type UserError, usageError } from "../system/errors.js";

/** A Markdown text with variables. */
export interface Template {
  /** As shown to people: a file, or the name of a bundled template. */
  name: string;
  text: string;
}

/** A value for each name a template may use. */
export type Variables = Readonly<Record<string, string>>;

/** A block's tag alone on its line takes the whole line with it. */
const TAG = /^[ \t]*\{\{[ \t]*([#/])[ \t]*(\w+)[ \t]*\}\}[ \t]*(?:\r?\n|$(?![\s\S]))|\{\{([^\n]*?)\}\}/gm;
const INNER = /^\s*([#/]?)\s*(\w+)\s*$/;

interface Block {
  name: string;
  line: number;
  shown: boolean;
}

/**
 * The template with every variable filled in; values go in as they are and are not looked at again. A name that is
 * no variable, and a block that does not close, are `usage` errors naming template and line.
 */
export function render(template: Template, variables: Variables): string {
  const { text } = template;
  const blocks: Block[] = [];
  const parts: string[] = [];
  const shown = () => blocks.every((block) => block.shown);
  let from = 0;
  for (const match of text.matchAll(TAG)) {
    if (shown()) parts.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    const line = lineAt(text, match.index + match[0].indexOf("{{"));
    const [, aloneMark, aloneName, inner = ""] = match;
    const [, mark = aloneMark, name = aloneName] = INNER.exec(inner) ?? [];
    const value = name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (name === undefined || value === undefined)
      throw wrong(
        template,
        line,
        `{{${(name ?? inner).trim()}}} is not a variable of this prompt; known: ${Object.keys(variables).join(", ")}`,
      );
    if (mark === "#") blocks.push({ name, line, shown: value !== "" });
    else if (mark === "/") closeBlock(template, line, { name, open: blocks.pop() });
    else if (shown()) parts.push(value);
  }
  const [open] = blocks;
  if (open !== undefined) throw wrong(template, open.line, `{{#${open.name}}} is not closed`);
  return parts.join("") + text.slice(from);
}

function closeBlock(template: Template, line: number, tag: { name: string; open: Block | undefined }): void {
  if (tag.open?.name === tag.name) return;
  const expected = tag.open === undefined ? "no block is open" : `{{#${tag.open.name}}} is open`;
  throw wrong(template, line, `{{/${tag.name}}} closes nothing: ${expected}`);
}

function wrong(template: Template, line: number, what: string): UserError {
  return usageError(`${template.name}:${String(line)}: ${what}`, "correct the template");
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
