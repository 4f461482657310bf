// The glossary of effects: what each does, and the events it can end in. docs/EVENTS.md is made from it. The types demand
// an entry for every effect. Leaves the shapes to effects.ts.
import type { StepEvent } from "../src/logging/events/events.js";
import type { Effect } from "../src/loop/step/effects.js";

/** One effect as the glossary explains it. */
interface EffectEntry {
  /** One sentence that begins with a verb. */
  sentence: string;
  /** The events it can end in, beside `effect_failed`. */
  endsIn: readonly StepEvent["type"][];
}

/** Every effect that `step` can ask for. */
export const EFFECT_GLOSSARY: Readonly<Record<Effect["kind"], EffectEntry>> = {
  "read-backlog": {
    sentence: "Reads the task file.",
    endsIn: ["backlog_read", "backlog_invalid"],
  },
  ask: {
    sentence: "Asks the user whether an agent may draft a backlog.",
    endsIn: ["answered"],
  },
  "change-backlog": {
    sentence:
      "Applies changes to the task file through the store; without changes it looks for edits of others.",
    endsIn: ["backlog_changed", "backlog_invalid"],
  },
  checkpoint: {
    sentence: "Saves the working tree and the index under a ref before an agent starts.",
    endsIn: ["checkpoint"],
  },
  preflight: {
    sentence: "Runs the checks once before the first task is claimed.",
    endsIn: ["preflight_finished"],
  },
  "run-baseline": {
    sentence:
      "Runs the checks before the agent, or takes their results from an earlier measurement of the same tree.",
    endsIn: ["baseline_finished"],
  },
  "run-agent": {
    sentence: "Starts an agent with its prompt, and reads its events to the end.",
    endsIn: ["agent_finished"],
  },
  adopt: {
    sentence: "Checks a drafted or repaired task file, and puts it in place.",
    endsIn: ["adopted"],
  },
  snapshot: {
    sentence:
      "Saves what the attempt left in the working tree, and puts HEAD back where the attempt found it.",
    endsIn: ["snapshot"],
  },
  "run-gate": {
    sentence: "Runs the checks on the attempt's work.",
    endsIn: ["gate_finished"],
  },
  "save-work": {
    sentence: "Ends a visit of a stage: writes its output, and saves the task's work under a ref of its own.",
    endsIn: ["work_saved"],
  },
  "ask-person": {
    sentence: "Asks the person at the terminal an open question.",
    endsIn: ["person_asked"],
  },
  "pick-agent": {
    sentence: "Asks the module of `schedule.strategy` for the agent of the next iteration.",
    endsIn: ["agent_picked"],
  },
  restore: {
    sentence: "Saves the work as a rescue, and puts the working tree and the index back to the checkpoint.",
    endsIn: ["restored"],
  },
  commit: {
    sentence: "Runs the commit protocol: the commit and the changed task file take effect together.",
    endsIn: ["committed"],
  },
  "finish-pending": {
    sentence: "Finishes a commit that a killed run had built.",
    endsIn: ["committed"],
  },
  "commit-backlog": {
    sentence:
      "Takes over the last edits of the task file at the end of a run, and commits it alone if git tracks it and it changed.",
    endsIn: ["committed"],
  },
  "run-hook": {
    sentence: "Runs one hook.",
    endsIn: ["hook_finished"],
  },
  stop: {
    sentence: "Tells a running agent to end.",
    endsIn: ["stop_sent"],
  },
  finish: {
    sentence: "Cleans old logs, commits what is left to commit, and writes the last line.",
    endsIn: ["run_ended"],
  },
};
