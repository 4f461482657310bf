// `looper completion SHELL`: prints the completion script of a shell. It needs neither project nor settings.
import { Argument } from "commander";
import { usageError } from "../../src/system/errors.js";
import { nearest } from "../../src/system/text/nearest.js";
import { didYouMean } from "../../src/todo/model/problem.js";
import type { CompletionAnswer } from "../../src/ui/shapes/project.js";
import { JSON_OPTION, type AnsweringCommand } from "../context/command.js";
import { SCRIPTS, SHELLS, type CompletedShell } from "../context/completion-scripts.js";

export const command: AnsweringCommand<{ shell?: string }, { json: CompletionAnswer }> = {
  arguments: [new Argument("[shell]", SHELLS.join(", "))],
  options: [JSON_OPTION],
  examples: [
    ["looper completion bash >> ~/.bashrc", "install it for bash, from the next shell on"],
    ["looper completion zsh >> ~/.zshrc", "install it for zsh, below the line that calls compinit"],
    [
      "mkdir -p ~/.config/fish/completions && looper completion fish > ~/.config/fish/completions/looper.fish",
      "install it for fish",
    ],
  ],
  answer: ({ env }, request) => {
    const shell = shellNamed(request.shell, env["SHELL"] ?? "");
    return Promise.resolve({ json: { shell, script: SCRIPTS[shell] } });
  },
  print: ({ out }, { json }) => out.write(json.script),
};

function shellNamed(word: string | undefined, used: string): CompletedShell {
  if (word === undefined) {
    const last = used.split(/[/\\]/).at(-1);
    const own = SHELLS.find((one) => one === last) ?? "bash";
    throw usageError(
      `cannot choose a completion script: no shell is given (${SHELLS.join(", ")})`,
      `run \`looper completion ${own}\`; \`looper help completion\` shows where to install it`,
    );
  }
  const found = SHELLS.find((one) => one === word.trim().toLowerCase());
  if (found !== undefined) return found;
  throw usageError(`unknown shell ${word}`, didYouMean(nearest(word, SHELLS), `use ${SHELLS.join(", ")}`));
}
