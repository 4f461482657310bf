// `looper completion SHELL`: prints the completion script of a shell.
import { UserError } from "../../../src/system/errors.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { didYouMean } from "../../../src/todo/model/problem.js";
import type { CompletionAnswer } from "../../../src/ui/shapes/project.js";
import { scriptFor } from "../../completion/scripts.js";
import { printJson } from "../../lookup/project.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { SHELLS, type CompletedShell } from "../../context/words.js";

/** Prints the script. Needs neither project nor settings. */
export async function completion(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const name = shellNamed(typed.operands[0], context.env["SHELL"] ?? "");
  const answer: CompletionAnswer = { shell: name, script: scriptFor(name) };
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else await context.out.write(answer.script);
  return "ok";
}

function shellNamed(word: string | undefined, used: string): CompletedShell {
  if (word === undefined) {
    const last = used.split(/[/\\]/).at(-1);
    const own = last === "pwsh" ? "powershell" : (SHELLS.find((one) => one === last) ?? "bash");
    throw new UserError(
      "usage",
      `cannot choose a completion script: no shell is given (${SHELLS.join(", ")})`,
      `run \`looper completion ${own}\`; \`looper help completion\` shows where to install it`,
    );
  }
  const name = word.trim().toLowerCase();
  // PowerShell's program is called `pwsh` outside Windows.
  const found = name === "pwsh" ? "powershell" : SHELLS.find((one) => one === name);
  if (found !== undefined) return found;
  throw new UserError(
    "usage",
    `unknown shell ${word}`,
    didYouMean(nearest(word, SHELLS), `use ${SHELLS.join(", ")}`),
  );
}
