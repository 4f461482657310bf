// `looper completion SHELL`: prints the script of a shell, assets/completion/looper.SHELL, which asks `looper
// __complete` at a Tab. It needs neither project nor settings. Contract: a script never evaluates typed or
// answered text, and prints nothing when the program is missing or fails.
import path from "node:path";
import { Argument } from "commander";
import { usageError } from "../../src/system/errors.js";
import { hintOn } from "../../src/system/text/nearest.js";
import type { CompletionAnswer } from "../../src/ui/shapes/project.js";
import { JSON_OPTION, type AnsweringCommand } from "../context/command.js";
import { SHELLS } from "../context/words.js";

export const command: AnsweringCommand<{ shell?: string }> = {
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
  answer: async ({ env, ports, promptsFolder }, request) => {
    const shell = shellNamed(request.shell, env["SHELL"] ?? "");
    const file = path.join(path.dirname(promptsFolder), "assets", "completion", `looper.${shell}`);
    const json: CompletionAnswer = { shell, script: new TextDecoder().decode(await ports.files.read(file)) };
    return { json, lines: [json.script.trimEnd()] };
  },
};

function shellNamed(word: string | undefined, used: string): CompletionAnswer["shell"] {
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
  throw usageError(`unknown shell ${word}`, hintOn(word, SHELLS, `use ${SHELLS.join(", ")}`));
}
