// The lines around the editor that say what waits: the message that was sent, those that are queued, and the hints. Pure.
import { clean, cut, hang, showBlock, wrap } from "../../../../src/ui/text.js";
import { markdownLines } from "../../../../src/ui/terminal/talk/markdown.js";
import type { TalkScreen } from "../../../../src/ui/terminal/talk/talk-lines.js";
import { plural } from "../../../../src/ui/view/words/amounts.js";
import { keysLine, type TalkQuestion } from "./question.js";
import type { Reply } from "../../../../src/chapo/engine/calls/pending.js";

const MOST_ECHOED = 12;
const MOST_QUEUED = 3;

/** A message as it is printed when it is sent. */
export function echoLines(message: string, { colours, columns }: TalkScreen): string[] {
  const lines = showBlock(message).flatMap((line) =>
    wrap(line.replaceAll("\t", "    "), Math.max(10, columns - 2)),
  );
  const shown = lines
    .slice(0, MOST_ECHOED)
    .map((line, at) => colours.bold(`${at === 0 ? "> " : "  "}${line}`));
  const more = lines.length - shown.length;
  return ["", ...shown, ...(more > 0 ? [colours.dim(`  … ${plural(more, "more line")}`)] : [])];
}

/** The most texts of a conversation that are shown when it is resumed. */
const MOST_SAID = 6;
const MOST_LINES_SAID = 40;

/** The end of a conversation that is resumed, so that a person sees where it is. */
export function saidLines(
  said: readonly { role: "user" | "assistant"; text: string }[],
  screen: TalkScreen,
): string[] {
  const before = said.length - MOST_SAID;
  const lines = said.slice(-MOST_SAID).flatMap(({ role, text }) => {
    if (role === "user") return echoLines(text, screen);
    const block = markdownLines(text.trim(), screen.colours, screen.columns);
    const more = block.length - MOST_LINES_SAID;
    return ["", ...(more > 0 ? [screen.colours.dim("…")] : []), ...block.slice(-MOST_LINES_SAID)];
  });
  return before > 0 ? [screen.colours.dim(`… ${plural(before, "earlier message")}`), ...lines] : lines;
}

const KEYS: readonly (readonly [string, string])[] = [
  ["Enter", "send the message; while the model works, with its next request"],
  ["Ctrl-J", "begin a new line"],
  ["Up, Down", "recall earlier messages"],
  ["Tab", "complete a file after @, or a command after /"],
  ["Esc", "interrupt; what is queued is sent next"],
  ["Ctrl-C", "interrupt, then clear the editor, then end"],
  ["Ctrl-D", "end"],
  ["/exit", "end"],
  ["shot.png", "the path of an image in a message sends the image"],
];

/** The keys, which /help adds at a terminal. */
export function keyLines({ colours, columns }: TalkScreen): string[] {
  const width = Math.max(...KEYS.map(([key]) => key.length));
  return [
    "",
    colours.bold("Keys:"),
    ...KEYS.flatMap(([key, effect]) => hang(`${key.padEnd(width)}  ${effect}`, columns)),
  ];
}

/** The messages that are sent next. */
export function queuedLines(queue: readonly string[], { colours, columns }: TalkScreen): string[] {
  const more = queue.length - MOST_QUEUED;
  return [
    ...queue
      .slice(0, MOST_QUEUED)
      .map((text) => colours.dim(cut(`queued: ${clean(text.slice(0, 500))}`, columns - 1))),
    ...(more > 0 ? [colours.dim(`and ${more} more`)] : []),
  ];
}

/** The notice, and how the open question is answered. */
export function hintLines(
  {
    notice,
    question: open,
  }: { notice: string; question?: Pick<TalkQuestion, "question" | "mode"> & { isTyping: boolean } },
  { colours, columns }: TalkScreen,
): string[] {
  const lines = notice === "" ? [] : wrap(clean(notice), columns - 1).map((line) => colours.yellow(line));
  if (open === undefined) return lines;
  return [...lines, colours.bold(cut(questionHint(open, columns), columns - 1))];
}

function questionHint(
  { question, mode, isTyping }: Pick<TalkQuestion, "question" | "mode"> & { isTyping: boolean },
  columns: number,
): string {
  if (mode === "remark") return "Say why not: Enter sends it, Esc goes back";
  if (mode === "edit") return "Change the call: Enter runs it, Esc goes back";
  return isTyping
    ? "A call waits for you: Enter queues the message, then answer"
    : keysLine(question, columns);
}

/** The answer to a question, as it is printed. */
export function describeReply(reply: Reply): string {
  if (reply.verdict === "reject")
    return reply.remark === undefined ? "  refused" : `  refused: ${clean(reply.remark)}`;
  if (reply.args !== undefined) return "  allowed as edited";
  if (reply.edits === true) return "  every edit of the file is allowed for this session";
  return reply.always === true ? "  allowed for this session" : "  allowed";
}
