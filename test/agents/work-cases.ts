// Work of agents without faults: the backlog, the model's answers, and the ending of the run.
import type { Scenario, Step } from "../model-server/scenario.js";
import type { TaskDraft } from "../rig/rig.js";
import { DONE, madeAll, MAKE, report, unless, type Case, type Scene } from "./case.js";

const once = (...steps: Step[]): Scenario => ({ sessions: [steps] });

/** The commands of the log, with what became of them. */
function commands({ rig }: Scene): { command: string; exit?: unknown }[] {
  return rig.events().flatMap((line) => {
    if (line.type !== "command" || !("exit_code" in line || "duration_ms" in line)) return [];
    return [{ command: String(line["command"]), exit: line["exit_code"] }];
  });
}

/** More work than any limit lets pass. */
const ENDLESS = once(
  // Gemini ends by itself where it finds the same call again and again.
  ...Array.from({ length: 40 }, (_, at): Step => ({ do: "shell", command: `true ${at}` })),
);

/** Six tasks that depend on each other, and the order they are taken in. */
export const SIX: readonly TaskDraft[] = [
  { id: "T1" },
  { id: "T2", depends_on: ["T1"] },
  { id: "T3", depends_on: ["T1"] },
  { id: "T4", depends_on: ["T2", "T3"] },
  { id: "T5", priority: 1 },
  { id: "T6", depends_on: ["T4", "T5"] },
];
const ORDER = ["T5", "T1", "T2", "T3", "T4", "T6"];

const WRITE_BY_SHELL: Step = { do: "shell", command: "echo x > made.txt" };
/** Of one that offers no shell. */
const WRITE: Step = { do: "write", path: "made.txt", content: "x\n" };
/** Codex prints nothing of a command that its sandbox refused at once; of the others the model can ask for none. */
const UNTOLD: ReadonlySet<string> = new Set(["codex", "gemini", "opencode"]);

/** They say what it cost. */
const PRICED = new Set(["claude", "opencode", "opencode-acp"]);

/** All six are done, in their order, and what was used is known. */
export function didSix(scene: Scene): string[] {
  const events = scene.rig.events();
  const order = events.flatMap((line) => (line.type === "agent_started" ? [String(line["task_id"])] : []));
  const used = events.filter(({ type }) => type === "usage");
  const priced = used.filter(({ agent }) => PRICED.has(String(agent)));
  const costs = priced.map((line) => Number(line["cost_usd"]));
  return [
    ...madeAll(scene, ORDER),
    ...unless(order.join() === ORDER.join(), `the order was ${order.join()}`),
    ...unless(used.length === 6, `${used.length} usage events instead of 6`),
    ...unless(
      costs.every((cost) => cost > 0),
      "a cost is missing",
    ),
  ];
}

export const WORK_CASES: readonly Case[] = [
  {
    name: "success",
    about: "Six tasks that depend on each other; each runs a command and reports through the schema.",
    tasks: SIX,
    scenario: once(MAKE, DONE),
    check: didSix,
    wanted: "complete",
  },
  {
    name: "files",
    about: "Files are written and read with the client's own tools.",
    scenario: once(
      { do: "write", path: "notes.txt", content: "line one\nline two\n" },
      { do: "read", path: "notes.txt" },
      DONE,
    ),
    check: ({ rig, server }) => [
      ...unless(rig.read("notes.txt") === "line one\nline two\n", "notes.txt is not what was written"),
      ...unless(/line two/.test(server.seen.at(-1)?.last ?? ""), "the model was not given what was read"),
      ...unless(
        rig.events().some(({ type }) => type === "tool_use"),
        "no tool_use event",
      ),
    ],
    wanted: "complete",
  },
  {
    name: "tool-failure",
    about: "A command fails, and the agent continues.",
    scenario: once({ do: "shell", command: "echo oops >&2; exit 3" }, DONE),
    check: (scene) =>
      unless(
        // Gemini tells no exit code.
        commands(scene).some(({ exit }) => exit === 3 || scene.agent.startsWith("gemini")),
        "no command event with exit code 3",
      ),
    wanted: "complete",
  },
  {
    name: "denied",
    about: "`permissions: read-only`, and the agent tries to write.",
    agent: () => ({ permissions: "read-only" }),
    // The output shows the text that was written.
    settings: { git: { on_failure: "keep" } },
    scenario: (agent) =>
      once(agent === "gemini-acp" ? WRITE : WRITE_BY_SHELL, report("blocked", ["may not write"])),
    check: (scene) => [
      ...unless(!scene.rig.git("status", "--porcelain").includes("made.txt"), "the file was written"),
      ...unless(
        UNTOLD.has(scene.agent) ||
          scene.rig.events().some(({ type, reason }) => type === "error" && reason === "refused"),
        "nothing tells that it was refused",
      ),
    ],
    wanted: "blocked",
    // They offer the model nothing it could write with; the scripted one takes that for a bad request.
    wantedOf: { gemini: "blocked: bad-request", opencode: "blocked: bad-request" },
  },
  {
    name: "prose",
    about: "The final message holds no summary, and asked for it the agent says so again.",
    scenario: once(
      { do: "say", text: "All done, trust me." },
      { do: "say", text: "As I said, it is done." },
      { do: "say", text: "Really." },
    ),
    wanted: "blocked: no-summary",
  },
  {
    name: "max-turns",
    about: "The agent never comes to an end; `max_turns: 3`, which claude holds by a flag of its own.",
    agent: () => ({ max_turns: 3 }),
    scenario: ENDLESS,
    wanted: "blocked: turns",
  },
  {
    name: "max-events",
    about: "The agent never comes to an end; `max_events: 20`.",
    agent: () => ({ max_events: 20 }),
    scenario: ENDLESS,
    wanted: "blocked: events",
  },
  {
    name: "max-output",
    about: "The agent never comes to an end; `max_output: 8KB`.",
    agent: () => ({ max_output: "8KB" }),
    scenario: ENDLESS,
    wanted: "blocked: output",
  },
  {
    name: "own-budget",
    about: "The agent costs too much; claude's own `--max-budget-usd 0.05`.",
    only: ["claude"],
    agent: () => ({ args: ["--max-budget-usd", "0.05"] }),
    scenario: { ...ENDLESS, usage: { input: 20_000, cached: 0, output: 1000, reasoning: 0 } },
    wanted: "blocked: budget",
  },
];
