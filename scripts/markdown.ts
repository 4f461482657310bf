// Markdown as the generated parts of the documents need it: code, tables, and text wrapped at 100 columns. Pure.

const WIDTH = 100;

/** A table with a row of headings. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeBars).join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** A bar would end the cell. */
function escapeBars(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** A list, its items wrapped. */
export function list(items: readonly string[]): string {
  return items.map((item) => wrap(item, "- ", "  ")).join("\n");
}

/** A paragraph wrapped at 100 columns. Code spans and links stay on one line, and no line begins like a list. */
export function wrap(text: string, first = "", others = ""): string {
  const words = text.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g) ?? [];
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of words) {
    const fits = line.length + (isEmpty ? 0 : 1) + word.length <= WIDTH;
    if (isEmpty || fits || /^(?:\d+\.|[-+*#>]+)$/.test(word)) line += (isEmpty ? "" : " ") + word;
    else {
      lines.push(line);
      line = others + word;
    }
    isEmpty = false;
  }
  return [...lines, line].join("\n");
}
