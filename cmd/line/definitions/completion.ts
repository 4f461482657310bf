// The commands that shells use to complete words. Cheap to load: what they do is imported only when it is asked for.
import { COMMON_FLAGS, JSON_FLAG, type CommandDefinition } from "../../context/definition.js";
import { SHELLS } from "../../context/words.js";

/** In the order of the help. `all`: every command there is, these among them. */
export function completionCommands(all: () => readonly CommandDefinition[]): CommandDefinition[] {
  return [
    {
      name: "completion",
      operands: [{ spelled: "[shell]", help: SHELLS.join(", "), completes: SHELLS }],
      help: "print the completion script for your shell",
      flags: [JSON_FLAG],
      examples: [
        { line: "looper completion bash >> ~/.bashrc", help: "install it for bash, from the next shell on" },
        {
          line: "looper completion zsh >> ~/.zshrc",
          help: "install it for zsh, below the line that calls compinit",
        },
        {
          line: "mkdir -p ~/.config/fish/completions && looper completion fish > ~/.config/fish/completions/looper.fish",
          help: "install it for fish",
        },
        { line: "looper completion powershell >> $PROFILE", help: "install it for PowerShell, typed there" },
      ],
      load: async () => (await import("../../commands/completion/completion.js")).completion,
    },
    {
      name: "__complete",
      operands: [
        { spelled: "<shell>", help: "the shell" },
        { spelled: "[words...]", help: "the words so far" },
      ],
      help: "list what may be typed next; used by the completion scripts",
      flags: [],
      hidden: true,
      load: async () =>
        (await import("../../commands/completion/complete.js")).completer({
          commands: all(),
          common: COMMON_FLAGS,
        }),
    },
  ];
}
