// The built-in engine's own command. Cheap to load: what it does is imported only when it is asked for.
import { MODES } from "../../../src/config/settings/modes.js";
import { EFFORTS } from "../../../src/config/settings/efforts.js";
import { JSON_FLAG, TRUST, type CommandDefinition } from "../../context/definition.js";
import { CHAPO_LISTS, CHAPO_VERBS, VOCABULARIES } from "../../context/words.js";

/** In the order of the help. */
export const CHAPO_COMMANDS: readonly CommandDefinition[] = [
  {
    name: "chapo",
    operands: [
      {
        spelled: "[message...]",
        help: "the message, - for stdin; or a list: pending, prompts, sessions, tools; or approve, reject, steer, undo SESSION",
        completes: [...CHAPO_LISTS, ...CHAPO_VERBS],
      },
    ],
    help: "work with the built-in engine (needs only a model's key)",
    flags: [
      {
        spelled: "--session <id>",
        help: "resume a session; last is the newest",
        completes: "session",
      },
      {
        spelled: "--provider <name>",
        help: "anthropic, openai, gemini, openai-compatible or scripted",
        completes: ["anthropic", "openai", "gemini", "openai-compatible", "scripted"],
      },
      { spelled: "--model <model>", help: "the model, or provider/model" },
      {
        spelled: "--effort <level>",
        help: "how much the model thinks: none, low, medium, high, max",
        completes: EFFORTS,
      },
      {
        spelled: "--tools <names>",
        help: "names of the tools: chapo, claude, anvil",
        completes: VOCABULARIES,
      },
      { spelled: "--max-iterations <n>", help: "model turns for one message (default: 25)" },
      {
        spelled: "--skill <id>",
        help: "use a skill of .looper/skills; repeatable",
        completes: "skill",
        repeatable: true,
      },
      {
        spelled: "--mode <mode>",
        help: "what runs, asks or is refused, e.g. plan, acceptEdits, trusted",
        completes: MODES,
      },
      { spelled: "-m, --message <text>", help: "approve, reject: a remark for the model" },
      { spelled: "--args <json>", help: "approve: run the call with these arguments" },
      { spelled: "--args-file <file>", help: "approve: the same, from a file of JSON", completes: "file" },
      { spelled: "--serve-stdio", help: "serve the Agent Client Protocol" },
      TRUST,
      JSON_FLAG,
    ],
    examples: [
      {
        line: 'looper chapo "Fix the login bug"',
        help: "work on one request; asks before each change",
      },
      {
        line: 'looper chapo --session last "And add a test for it"',
        help: "resume the newest session",
      },
      { line: "looper chapo pending", help: "list the calls that wait for your answer" },
      { line: 'looper chapo reject last -m "Use a branch"', help: "refuse the call that waits, and say why" },
      { line: "looper chapo tools", help: "list the tools, their arguments and which ones ask first" },
    ],
    load: async () => (await import("../../commands/chapo/chapo.js")).chapo,
  },
];
