// The commands that shells use to complete words. Cheap to load: what they do is imported only when it is asked for.
import { COMMON_FLAGS, JSON_FLAG, type CommandDefinition } from "../../context/definition.js";
import { SHELLS } from "../../context/words.js";

/** In the order of the help. `all`: every command there is, these among them. */
export function completionCommands(all: () => readonly CommandDefinition[]): CommandDefinition[] {
  return [
    {
      name: "completion",
      operands: [{ spelled: "[shell]", says: SHELLS.join(", "), completes: SHELLS }],
      says: "print the script with which a shell completes commands, flags, tasks, runs",
      flags: [JSON_FLAG],
      examples: [
        { line: "looper completion bash >> ~/.bashrc", says: "once; it is there in the next shell" },
        { line: "looper completion zsh >> ~/.zshrc", says: "once, below the line that calls compinit" },
        {
          line: "mkdir -p ~/.config/fish/completions && looper completion fish > ~/.config/fish/completions/looper.fish",
          says: "once, for fish",
        },
        { line: "looper completion powershell >> $PROFILE", says: "once, typed in PowerShell" },
      ],
      load: async () => (await import("../../commands/completion/completion.js")).completion,
    },
    {
      name: "__complete",
      operands: [
        { spelled: "<shell>", says: "the shell that asks" },
        { spelled: "[words...]", says: "the words so far" },
      ],
      says: "asked by these scripts: what may be typed next",
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
