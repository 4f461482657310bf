// A person's answer to a question as they type it at the prompt of a run: a word for the outcome, then a remark. Pure.
import { nearest } from "../../system/text/nearest.js";
import type { Question } from "../../workflow/progress.js";
import { noOf, yesOf } from "../../workflow/question.js";
import { clean } from "../text.js";

/** `again`: the line is not an answer, and why. */
export type TypedReply =
  | { how: "outcome"; outcome: string; remark: string }
  | { how: "text"; text: string }
  | { how: "again"; why: string };

/** The outcome of a person who changed what is shown. */
const EDIT = "edit";

/** Reads a line. A word of the question's own outcomes wins over y and n. */
export function readTyped(line: string, question: Question): TypedReply {
  const text = line.trim();
  if (text === "") return { how: "again", why: `type ${wordsText(question)}; Ctrl-D leaves it open` };
  if (question.outcomes.length === 0) return { how: "text", text };
  const [word = ""] = text.split(/\s+/u);
  const remark = text.slice(word.length).trim();
  const outcome = outcomeOf(word.toLowerCase(), question);
  if (outcome !== undefined && outcome !== EDIT) return { how: "outcome", outcome, remark };
  if (outcome === EDIT)
    return { how: "again", why: `in another shell: looper answer ${clean(question.id)} edit --edit FILE` };
  const near = nearest(word, [...question.outcomes]);
  const hint = near === undefined ? `type ${wordsText(question)}` : `did you mean ${near}?`;
  return { how: "again", why: `${clean(word)} is not an answer; ${hint}` };
}

function outcomeOf(word: string, question: Question): string | undefined {
  if (question.outcomes.includes(word)) return word;
  if (word === "y" || word === "yes") return yesOf(question);
  if (word === "n" || word === "no") return noOf(question);
  return word === "e" && question.outcomes.includes(EDIT) ? EDIT : undefined;
}

/** The words that can be typed: `y, n, edit, revise`; with what each is for. */
export function typedWords(question: Question): string[] {
  const [yes, no] = [yesOf(question), noOf(question)];
  if (yes === undefined) return ["your answer"];
  const others = question.outcomes.filter((one) => one !== yes && one !== no);
  return [
    yes === "yes" ? "y" : `y (${clean(yes)})`,
    ...(no === undefined ? [] : [no === "no" ? "n" : `n (${clean(no)})`]),
    ...others.map(clean),
  ];
}

function wordsText(question: Question): string {
  return typedWords(question).join(", ");
}

/** The line above the cursor. */
export function promptText(question: Question): string {
  return question.outcomes.length === 0 ? "Your answer" : `${wordsText(question)}; a remark may follow`;
}
