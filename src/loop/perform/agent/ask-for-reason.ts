// Decides whether an agent is asked why it changed existing tests or configuration, and what its answer is. Pure.
// perform-agent.ts asks it; prompts/compose.ts has the question.
import type { AgentResult, Session } from "../../../agents/agent.js";
import { given } from "../../../system/given.js";
import { stripControlSequences } from "../../../system/text/control-sequences.js";
import { shorten } from "../../../system/text/cut.js";

/** The longest reason, in characters: it is foreign text. */
const MOST = 300;

/** The session to ask in; `undefined` if the agent did not report done, gave a reason, or cannot be asked again. */
export function findSessionToAskWhy(result: AgentResult): Session | undefined {
  if (result.outcome !== "ok" || !("found" in result.report)) return undefined;
  const { status, changes_checks: said } = result.report.found;
  return status === "done" && cleanReason(said) === undefined ? result.session : undefined;
}

/** The first end, with the reason from the second. Nothing else of the second counts: the work was reported before. */
export function endAfterAskingWhy<R extends AgentResult>(first: R, second: AgentResult): R {
  if (first.outcome !== "ok" || !("found" in first.report) || second.outcome !== "ok") return first;
  const said = "found" in second.report ? second.report.found.changes_checks : plainText(second.lastMessage);
  const found = { ...first.report.found, ...given({ changes_checks: said }) };
  return { ...first, report: { found } };
}

/** An answer in words instead of a report. */
function plainText(message: string): string | undefined {
  return /[{}]/u.test(message) ? undefined : message;
}

/** A reason on one line, without control characters; `undefined` if there is none. */
export function cleanReason(said: string | undefined): string | undefined {
  const text = stripControlSequences(said ?? "")
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, " ")
    .trim();
  return text === "" ? undefined : shorten(text, MOST);
}
