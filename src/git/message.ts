// The message of a task's commit. What it says comes from agents and backlogs and is hostile: nothing in it may pass for
// one of our trailers.

export interface CommitTexts {
  title: string;
  /** What the agent reported; may be empty. */
  summary: string;
  task: string;
  run: string;
  agent: string;
}

const LONGEST_TITLE = 100;

/** Title, summary and the trailer block, ending in a newline. */
export function formatMessage(texts: CommitTexts): string {
  const title = cleanLine(firstLine(texts.title)).slice(0, LONGEST_TITLE).trim();
  const summary = cleanLines(texts.summary)
    .map((line) => (isRisky(line) ? `  ${line}` : line))
    .join("\n")
    .replace(/^\n+|\s+$/g, "");
  const trailers = [
    `Looper-Task: ${cleanLine(texts.task)}`,
    `Looper-Run: ${cleanLine(texts.run)}`,
    `Looper-Agent: ${cleanLine(texts.agent)}`,
  ].join("\n");
  // Elsewhere than in the last paragraph git takes nothing for a trailer: "fix: x" may stay, what looks like ours not.
  const subject = title === "" || /^(?:looper-|---)/i.test(title) ? `Task ${title}`.trim() : title;
  return `${[subject, ...(summary === "" ? [] : [summary]), trailers].join("\n\n")}\n`;
}

/** It could be read as a trailer, or as the `---` that ends a message. */
function isRisky(line: string): boolean {
  return /^(?:[\p{L}\p{N}_-]+\s*:|---|\(cherry picked from )/u.test(line);
}

function firstLine(text: string): string {
  return cleanLines(text).find((line) => line.trim() !== "") ?? "";
}

function cleanLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).map(cleanLine);
}

function cleanLine(line: string): string {
  return line.replace(/\t/g, "  ").replace(/[\p{Cc}\u2028\u2029]/gu, "");
}
