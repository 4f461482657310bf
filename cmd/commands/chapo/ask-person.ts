// Asks a person whether a call may run, and shows all that it would do. Leaves the text to ui/terminal/lines/chapo-lines.ts.
import type { UserQuestion, Reply } from "../../../src/chapo/engine/calls/pending.js";
import { questionLines, readReply } from "../../../src/ui/terminal/lines/chapo-lines.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { clean } from "../../../src/ui/text.js";
import { nameOfUser } from "../../lookup/name-of-user.js";
import type { CommandContext } from "../../context/command-context.js";

/** Anything but a clear yes is a no. */
export async function askPerson(context: CommandContext, question: UserQuestion): Promise<Reply> {
  const { err } = context;
  const allowed = `y/n${question.mayRemember ? "/always" : ""}${question.edits === undefined ? "" : "/edits"}`;
  const lines = questionLines(question, {
    colours: coloursFor(err.colour),
    ...(err.isTerminal ? { columns: err.columns() } : {}),
  });
  await context.report({ level: "warn", lines });
  for (;;) {
    const answer = await context.ask(`Allow this? (${allowed})`, allowed);
    const reply: Reply | undefined =
      answer === undefined || answer.trim() === "" ? { verdict: "reject" } : readReply(answer, question);
    if (reply !== undefined) return { ...reply, by: nameOfUser(context.env), via: "terminal" };
    await context.report({ level: "warn", lines: [`${clean(answer ?? "")} is not one of ${allowed}`] });
  }
}
