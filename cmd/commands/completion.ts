// `looper completion SHELL`: the script that a shell reads to complete the words of looper.
import { UserError } from "../../src/system/errors.js";
import { nearest } from "../../src/system/nearest.js";
import { didYouMean } from "../../src/todo/problem.js";
import type { CompletionAnswer } from "../../src/ui/shapes/project.js";
import { scriptFor } from "../completion/scripts.js";
import { printJson } from "../project.js";
import { hasFlag, type CommandEnd, type Shell, type Typed } from "../shell.js";
import { SHELLS, type CompletedShell } from "../words.js";

/** Prints it. Needs no project, and no settings. */
export async function completion(shell: Shell, typed: Typed): Promise<CommandEnd> {
  const name = shellNamed(typed.operands[0], shell.env["SHELL"] ?? "");
  const answer: CompletionAnswer = { shell: name, script: scriptFor(name) };
  if (hasFlag(typed, "--json")) await printJson(shell, answer);
  else await shell.out.write(answer.script);
  return "ok";
}

function shellNamed(word: string | undefined, used: string): CompletedShell {
  if (word === undefined) {
    const own = SHELLS.find((one) => one === used.split(/[/\\]/).at(-1)) ?? "bash";
    throw new UserError(
      "usage",
      `no shell is named; there are ${SHELLS.join(", ")}`,
      `looper completion ${own}; looper help completion shows where its script belongs`,
    );
  }
  const found = SHELLS.find((one) => one === word);
  if (found !== undefined) return found;
  // `pwsh` is what it is called where it is not on Windows.
  const near = word === "pwsh" ? "powershell" : nearest(word, SHELLS);
  throw new UserError(
    "usage",
    `there is no completion for ${word}`,
    didYouMean(near, `there is for ${SHELLS.join(", ")}`),
  );
}
