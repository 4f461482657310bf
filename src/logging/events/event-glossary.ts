// The glossary of events: when each occurs, what it carries, and a line as an example. docs/EVENTS.md is made from it.
// The types demand an entry for every event. Leaves the shapes to events.ts and told-events.ts.
import type { RunEvent, StepEvent } from "./events.js";
import { COMMIT, DIGEST, job, stamp, T1, type EventEntry } from "./glossary-parts.js";
import { TOLD_GLOSSARY } from "./told-event-glossary.js";

const STEP_GLOSSARY: { readonly [Type in StepEvent["type"]]: EventEntry<Type> } = {
  run_started: {
    sentence:
      "The first line of every log: the version, the project, the rules the run decides by, its agents, and where HEAD is.",
    example: {
      ...stamp(1),
      type: "run_started",
      run: "2026-01-31_08-30-00",
      version: "0.1.0",
      project: "/home/ann/shop",
      todo_file: "/home/ann/shop/to-do.json",
      rules: {
        max_iterations: 50,
        max_attempts: 2,
        max_reviews: 3,
        delay_ms: 0,
        apply_summary: true,
        review: true,
        completion_marker: true,
        schedule: ["claude"],
        roles: {},
        on_limit: "switch",
        budget: {},
        hooks: { pre_iteration: [], post_iteration: [], on_blocked: [], on_run_end: [] },
        commit: "runner",
        on_failure: "restore",
        baseline: true,
        verify_from_agents: false,
        bootstrap: "allowed",
        workers: 1,
      },
      agents: [{ name: "claude", kind: "claude", binary: "/usr/bin/claude", permissions: "workspace" }],
      git: true,
      head: COMMIT,
      branch: "main",
      warnings: [],
    },
  },
  recovered: {
    sentence:
      "The run has cleaned up after dead runs: the processes it killed, the git locks it removed, an unfinished commit, agents that are still limited, and earlier reports on unfinished tasks.",
    example: { ...stamp(2), type: "recovered", killed: 0, left: [], locks_removed: [] },
  },
  work_saved: {
    sentence:
      "A visit of a stage has ended: its output is written, and the task's work is saved under a ref of its own.",
    example: {
      ...stamp(16),
      type: "work_saved",
      ...job,
      stage: "implement",
      visit: 1,
      work: { commit: COMMIT, base: COMMIT },
      shelved: false,
      paths: 2,
      warnings: [],
    },
  },
  person_asked: {
    sentence: "The person at the terminal has answered an open question, or left it open.",
    example: { ...stamp(16), type: "person_asked", task_id: T1, outcome: "answered" },
  },
  backlog_read: {
    sentence:
      "The run has read the backlog; carries a digest of its rows, and the name of the index file that holds them.",
    example: { ...stamp(3), type: "backlog_read", digest: DIGEST, tasks: 2, index: "index-1.json" },
  },
  backlog_invalid: {
    sentence: "The task file is missing, empty or broken; carries the first 50 problems.",
    example: {
      ...stamp(3),
      type: "backlog_invalid",
      what: "broken",
      problems: [
        { rule: "json", pointer: "", line: 4, column: 1, message: "a comma is missing before this value" },
      ],
      count: 1,
    },
  },
  answered: {
    sentence: "The user answered the question whether an agent may draft a backlog.",
    example: { ...stamp(4), type: "answered", yes: true },
  },
  adopted: {
    sentence:
      "A draft or a repair of the task file was checked; carries whether it replaced the file, and why not.",
    example: { ...stamp(9), type: "adopted", job: 1, phase: "bootstrap", agent: "claude", adopted: true },
  },
  backlog_changed: {
    sentence:
      "The store has applied changes to the task file; carries the rows that differ, what was refused, and edits of others.",
    example: {
      ...stamp(5),
      type: "backlog_changed",
      ...job,
      updated: [{ id: T1, from: "todo", to: "doing" }],
      refused: [],
      warnings: [],
      rows: [{ id: T1, status: "doing", priority: 1, depends_on: [] }],
      removed: [],
      digest: DIGEST,
    },
  },
  checkpoint: {
    sentence:
      "The working tree and the index of a claimed task are saved under a ref; carries the commit, and how many paths were changed before.",
    example: {
      ...stamp(7),
      type: "checkpoint",
      ...job,
      base: "98707469334aebaf5463638f4305bb6b4d9e4b85",
      head: COMMIT,
      reused: false,
      dirty: 0,
    },
  },
  baseline_finished: {
    sentence: "The checks ran before the agent; carries which of them passed.",
    example: {
      ...stamp(8),
      type: "baseline_finished",
      ...job,
      outcome: "measured",
      commands: [{ command: "npm test", passed: true, tests: 41 }],
      duration_ms: 2310,
    },
  },
  preflight_finished: {
    sentence:
      "The checks ran once before the first task was claimed; carries which of them cannot run or fail.",
    example: {
      ...stamp(4),
      type: "preflight_finished",
      outcome: "measured",
      commands: [{ command: "npm test", passed: true }],
      duration_ms: 2310,
    },
  },
  agent_finished: {
    sentence:
      "An agent's process has ended; carries its report, or the reason of its failure, with exit code and usage.",
    example: {
      ...stamp(14),
      type: "agent_finished",
      ...job,
      outcome: "ok",
      report: { found: { task_id: T1, status: "done" } },
      usage: { input_tokens: 5120, output_tokens: 840, cost_usd: 0.021 },
      exit_code: 0,
      duration_ms: 61_250,
    },
  },
  snapshot: {
    sentence:
      "The working tree after an attempt is saved; carries the number of changed paths, and whether HEAD had moved.",
    example: { ...stamp(15), type: "snapshot", ...job, changed: 3, head: "same", warnings: [] },
  },
  gate_finished: {
    sentence: "The checks ran on an attempt; carries the verdict, with the result of every command.",
    example: {
      ...stamp(16),
      type: "gate_finished",
      ...job,
      verdict: "passed",
      cold: true,
      commands: [],
      tampered: [],
      evidence: "",
      proof: {
        fail_to_pass: [],
        new_tests: [{ command: "npm test", name: "cart > rounds to cents" }],
        pass_to_pass: 41,
      },
      warnings: [],
      duration_ms: 2280,
    },
  },
  restored: {
    sentence:
      "The working tree is back at the checkpoint; carries the changed paths, and the rescue that has the work.",
    example: {
      ...stamp(17),
      type: "restored",
      ...job,
      paths: ["src/cart.ts"],
      rescue: "refs/looper/rescue/2026-01-31_08-30-00/T1-1",
    },
  },
  committed: {
    sentence: "A task's commit is in HEAD and the task file says done; carries the commit.",
    example: {
      ...stamp(17),
      type: "committed",
      ...job,
      commit: COMMIT,
      updated: [{ id: T1, from: "doing", to: "done" }],
      refused: [],
      warnings: [],
      rows: [{ id: T1, status: "done", priority: 1, depends_on: [] }],
      removed: [],
      digest: DIGEST,
    },
  },
  hook_finished: {
    sentence: "A hook has ended; carries its command, its exit code and its output.",
    example: {
      ...stamp(18),
      type: "hook_finished",
      ...job,
      hook: "post_iteration",
      command: "./notify.sh",
      outcome: "ok",
      exit_code: 0,
      output: "",
      duration_ms: 35,
    },
  },
  effect_failed: {
    sentence: "An effect could not be performed, for instance because the disk is full; carries the error.",
    example: {
      ...stamp(7),
      type: "effect_failed",
      ...job,
      effect: "checkpoint",
      error: "no space left on device",
      hint: "free some space, then run again",
    },
  },
  run_interrupted: {
    sentence: "A signal, or `looper stop`, asked the run to end.",
    example: { ...stamp(10), type: "run_interrupted", signal: "SIGINT", terminal: true },
  },
  edited: {
    sentence: "A command has edited the task file, so the run reads it again.",
    example: { ...stamp(10), type: "edited" },
  },
  stop_sent: {
    sentence: "The run has told an agent to end.",
    example: { ...stamp(11), type: "stop_sent", ...job, how: "now" },
  },
  woke: {
    sentence: "The timer that `step` asked for has fired.",
    example: { ...stamp(12), type: "woke" },
  },
  run_ended: {
    sentence:
      "The last line of a log: the ending, the totals of the run, and in `rejected` the tasks that a person rejected, if any.",
    example: {
      ...stamp(20),
      type: "run_ended",
      ending: "complete",
      totals: {
        done: 1,
        tasks: 1,
        iterations: 1,
        duration_ms: 70_100,
        input_tokens: 5120,
        output_tokens: 840,
        cost_usd: 0.021,
      },
    },
  },
};

/** Every event that a log can hold. */
export const EVENT_GLOSSARY: { readonly [Type in RunEvent["type"]]: EventEntry<Type> } = {
  ...STEP_GLOSSARY,
  ...TOLD_GLOSSARY,
};
