// The type of `verify.hidden`. Leaves finding the checks of a project to src/loop/start/before/find-hidden-checks.ts.
import { convertWith, eitherType, listType, objectType, textType } from "./value-type.js";
import { oneOrMore } from "./value-types.js";

/** One hidden check as it is spelled. */
export interface SpelledHiddenCheck {
  command: string;
  /** A file or folder outside the project, whose content is copied into the room. */
  files?: string;
  /** The folder of the room that it is copied into. */
  into?: string;
  /** The only project it is for. */
  project?: string;
  /** The only tasks it is for. */
  tasks?: readonly string[];
}

const rule = "a command, or {command, files?, into?, project?, tasks?}";
const filled = textType(rule, { filled: true });
const whole = objectType(
  rule,
  { command: filled },
  { files: filled, into: filled, project: filled, tasks: oneOrMore },
);

/** A list of hidden checks. */
export const hiddenChecks = listType(
  eitherType(
    rule,
    convertWith(filled, (command): SpelledHiddenCheck => ({ command }), rule),
    convertWith(whole, (check): SpelledHiddenCheck => check, rule),
  ),
  `a list, each item ${rule}`,
);
