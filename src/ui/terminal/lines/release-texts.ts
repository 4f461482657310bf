// An ended release in a few sentences, for `looper status` and the end of `looper push`. Pure. Small: every status reads it.
import { never } from "../../../system/never.js";
import { listSome } from "../../../system/text/cut.js";
import type { ReleaseDone } from "../../answers/project/release.js";
import { clean } from "../../text.js";

/** How many commands are named. */
const NAMED = 10;

/** An ended release in `looper status`: the result, why it stopped, and what to do next. Not cut. */
export function releaseTexts(answer: ReleaseDone): string[] {
  const { outcome, version, tag, why, rescue } = answer;
  const made = `${clean(version ?? "")}, tag ${clean(tag ?? "")}`;
  switch (outcome) {
    case "released":
      return [
        `released ${made}`,
        ...(why === null ? [] : [`not published: ${clean(why)}`, "looper push tries it again"]),
      ];
    case "made":
      return [
        `made ${made}, here only: ${clean(why ?? "it is not pushed")}`,
        "looper push continues from here",
      ];
    case "not-released":
      return [
        ...whyNotReleased(answer).map((line, at) => (at === 0 ? `not released: ${line}` : line)),
        `the tree is as before; ${remedyOf(answer)}`,
        ...(rescue === null ? [] : [`what the agent changed is kept: git show ${clean(rescue)}`]),
      ];
    default:
      return never(outcome);
  }
}

function remedyOf({ checks, problems }: ReleaseDone): string {
  const failed = checks.filter(({ passed }) => !passed).map(({ command }) => command);
  if (failed.length > 0) return `make ${listSome(failed.map(clean), NAMED)} pass, then run looper push again`;
  return problems.length > 0 ? "mend this, then run looper push again" : "run looper push again";
}

/** The reasons, each a sentence; never empty. */
export function whyNotReleased({ problems, why }: ReleaseDone): string[] {
  const [first, ...more] = problems.map(({ message }) => clean(message));
  const known = why ?? "";
  return first === undefined || !known.includes(first) ? [clean(known)] : [first, ...more];
}
