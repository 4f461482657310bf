// Several clients in one run: they take turns, one takes over for another, all of them are down.
import { inHand, DONE, madeAll, MAKE, unless, type Case, type Scene } from "./case.js";
import { didSix, SIX } from "./work-cases.js";

/** The agents that were started, in order. */
function agents({ rig }: Scene): string {
  const started = rig.events().filter(({ type }) => type === "agent_started");
  return started.map(({ agent }) => String(agent)).join(" ");
}

export const PAIR_CASES: readonly Case[] = [
  {
    name: "odd-even",
    about: "The six tasks of `success`, codex and claude taking turns.",
    together: ["codex", "claude"],
    tasks: SIX,
    settings: { schedule: { strategy: "odd-even", odd: "codex", even: "claude" } },
    scenario: { sessions: [[MAKE, DONE]] },
    check: (scene) => [
      ...didSix(scene),
      ...unless(
        agents(scene) === Array(3).fill("codex claude").join(" "),
        `the agents were ${agents(scene)}`,
      ),
    ],
    wanted: "complete",
  },
  {
    name: "limit-switch",
    about: "Codex meets a limit in its first task; claude takes over, and does the others too.",
    together: ["codex", "claude"],
    tasks: [{ id: "T1" }, { id: "T2" }, { id: "T3" }],
    settings: { schedule: { strategy: "round-robin", agents: ["codex", "claude"] } },
    scenario: {
      sessions: [
        [{ do: "fail", how: { fault: "refused", problem: "rate-limit" } }, MAKE, DONE],
        [MAKE, DONE],
      ],
    },
    check: (scene) => [
      ...madeAll(scene, ["T1", "T2", "T3"]),
      ...unless(agents(scene) === "codex claude claude claude", `the agents were ${agents(scene)}`),
    ],
    wanted: "complete: rate-limited",
  },
  {
    name: "all-down",
    about: "Every provider answers 500: the run waits and says so, and one Ctrl-C ends it at once.",
    together: ["codex", "claude"],
    args: ["--json"],
    settings: { schedule: { strategy: "round-robin", agents: ["codex", "claude"] } },
    scenario: { sessions: [[{ do: "fail", how: { fault: "refused", problem: "server" }, times: "always" }]] },
    meanwhile: async (program) => {
      await program.says(/"type":"waiting"/);
      program.signal("SIGINT");
    },
    check: (scene) => {
      const at = (type: string) =>
        Date.parse(scene.rig.events().find((line) => line.type === type)?.timestamp ?? "");
      const took = at("run_ended") - at("run_interrupted");
      return [...inHand(scene), ...unless(took < 1000, `it ended ${took} ms after the Ctrl-C`)];
    },
    wanted: "interrupted: overloaded",
  },
];
