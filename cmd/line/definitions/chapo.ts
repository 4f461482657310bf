// The built-in engine's own command. Cheap to load: what it does is imported only when it is asked for.
import { JSON_FLAG, type CommandDefinition } from "../../context/definition.js";
import { CHAPO_LISTS, TRUST_MODES, VOCABULARIES } from "../../context/words.js";

/** In the order of the help. */
export const CHAPO_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "chapo",
    operands: [
      {
        spelled: "[message...]",
        says: "what it is to do, - for stdin; or a list: prompts, sessions, tools (default: a prompt line)",
        completes: CHAPO_LISTS,
      },
    ],
    says: "work with the built-in engine: it needs a model's key, and no other program",
    flags: [
      {
        spelled: "--session <id>",
        says: "go on with a session, or the newest with `last`",
        completes: "session",
      },
      {
        spelled: "--provider <name>",
        says: "anthropic, openai, gemini, openai-compatible or scripted",
        completes: ["anthropic", "openai", "gemini", "openai-compatible", "scripted"],
      },
      { spelled: "--model <model>", says: "the model, or provider/model" },
      {
        spelled: "--tools <names>",
        says: "what the tools are called: chapo, claude, anvil",
        completes: VOCABULARIES,
      },
      { spelled: "--max-iterations <n>", says: "turns of the model for one message (default: 25)" },
      {
        spelled: "--skill <id>",
        says: "work by a skill of .looper/skills; repeatable",
        completes: "skill",
        repeatable: true,
      },
      {
        spelled: "--trust-mode <mode>",
        says: "default: what changes something is asked about; trusted: everything runs",
        completes: TRUST_MODES,
      },
      { spelled: "--trust", says: "trust what this project's files name" },
      JSON_FLAG,
    ],
    examples: [
      {
        line: 'looper chapo "Fix the login bug"',
        says: "reads, edits, tests, answers; asks before it changes anything",
      },
      {
        line: 'looper chapo --session last "And add a test for it"',
        says: "goes on where the newest session stopped",
      },
      { line: "looper chapo tools", says: "every tool: whose it is, what it takes, whether it asks first" },
    ],
    load: async () => (await import("../../commands/chapo/chapo.js")).chapo,
  },
];
