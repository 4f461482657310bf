// `looper __complete`: called by the scripts of `looper completion` at each Tab. Never fails and prints no error: when
// the project is broken it offers nothing. Leaves the answer to cmd/completion/.
import { given } from "../../../src/system/given.js";
import { never } from "../../../src/system/never.js";
import { answerForBash, answerInWords, type Offer } from "../../completion/answer.js";
import { readBashLine } from "../../completion/bash-line.js";
import type { CandidateKind } from "../../completion/narrow.js";
import { findPoint, type Completion, type Grammar, type Point } from "../../completion/point.js";
import type { Command, CommandContext } from "../../context/command-context.js";
import { SHELLS } from "../../context/words.js";

/**
 * Creates the command. Its words are the shell, then for bash the line and the part it replaces, for PowerShell all words in
 * base64, for others the words; the last word is the one being typed.
 */
export function completer(grammar: Grammar): Command {
  return async (context, { operands }) => {
    const [name, ...words] = operands;
    const asking = SHELLS.find((one) => one === name);
    if (asking !== undefined) await context.out.write(await answer(asking));
    return "ok";

    function answer(asked: (typeof SHELLS)[number]): Promise<string> {
      switch (asked) {
        case "bash":
          return forBash(context, grammar, words);
        case "powershell":
          return inWords(context, grammar, decode(words[0] ?? ""));
        case "fish":
        case "zsh":
          return inWords(context, grammar, words);
        default:
          return never(asked);
      }
    }
  };
}

function decode(base64: string): string[] {
  return Buffer.from(base64, "base64").toString("utf8").split("\0");
}

async function forBash(
  context: CommandContext,
  grammar: Grammar,
  [line = "", piece = ""]: string[],
): Promise<string> {
  const read = readBashLine(line, piece);
  const point = findPoint(read.words.slice(1), read.current, grammar);
  if (!read.redirected) return answerForBash(await offerAt(context, point), read);
  const files = { candidates: [], lead: "", typed: read.current, files: "files", more: false } as const;
  return answerForBash(files, read);
}

async function inWords(context: CommandContext, grammar: Grammar, words: readonly string[]): Promise<string> {
  return answerInWords(await offerAt(context, findPoint(words.slice(0, -1), words.at(-1) ?? "", grammar)));
}

async function offerAt(context: CommandContext, point: Point): Promise<Offer> {
  const { lead, typed, words, completes } = point;
  if (completes === undefined) return { candidates: words, lead, typed, more: false };
  if (typeof completes === "object")
    return { candidates: [...words, ...completes.map((value) => ({ value }))], lead, typed, more: false };
  const { narrow } = await import("../../completion/narrow.js");
  const wanted = narrow(point, completes);
  const found = wanted.kind === undefined ? [] : await lookUp(context, point, wanted.kind, wanted.typed);
  const files = filesOf(wanted.kind);
  return {
    candidates: [...wanted.words, ...found.filter(({ value }) => !wanted.used.includes(value))],
    lead: wanted.lead,
    typed: wanted.typed,
    more: wanted.more,
    ...given({ files }),
  };
}

function filesOf(kind: CandidateKind | undefined): "files" | "folders" | undefined {
  if (kind === "folder") return "folders";
  return kind === "file" || kind?.endsWith("-or-file") === true ? "files" : undefined;
}

/** A hostile project may name a task `--force`: it is not offered where it would be read as a flag. */
async function lookUp(
  context: CommandContext,
  point: Point,
  kind: CandidateKind,
  typed: string,
): Promise<Completion[]> {
  const { valuesOf } = await import("../../completion/values.js");
  const { folder, file, dashIsFlag } = point;
  const place = {
    typed,
    ...given({ folder, file }),
  };
  try {
    const found = await valuesOf(context, kind, place);
    return found.filter(({ value }) => !dashIsFlag || !value.startsWith("-"));
  } catch {
    // Other commands report this error. Here it would interrupt a person who is typing.
    return [];
  }
}
