// The scenario of a torture: tasks with behaviours (agent.sh), settings, and the outcome they must have however often
// it is killed. Pure; leaves writing it to disk to place.ts.

/** The behaviour of the agent with a task; `adds` also adds a follow-up, which is then done. */
export type Behaviour =
  | "done"
  | "nothing"
  | "retry"
  | "gate"
  | "breaks"
  | "blocked"
  | "never"
  | "adds"
  | "orphan"
  | "commits"
  | "removes";

export interface Scene {
  tasks: readonly { id: string; behaviour: Behaviour; dependsOn?: readonly string[] }[];
  /** Titles of tasks a person adds meanwhile: each is done. */
  added?: readonly string[];
  /** Whether git knows the task file. */
  tracked: boolean;
  hooks: boolean;
  gate: boolean;
  /** Seconds an agent takes once it has written something. */
  pause?: number;
  /** The workflow of every task; their agent is then workflows/stages.sh. */
  workflow?: string;
}

/** As small as can be, with every stage in it: each call of it is a place where it is killed. */
export const ALL_STAGES: Scene = {
  tasks: [
    { id: "T1", behaviour: "gate" },
    { id: "T2", behaviour: "blocked", dependsOn: ["T1"] },
    { id: "T3", behaviour: "nothing" },
  ],
  tracked: true,
  hooks: true,
  gate: true,
};

export function titleOf(id: string): string {
  return `Do ${id}`;
}

/** The backlog expected at the end: status by title. */
export function finalStatuses({ tasks, added = [] }: Scene): Record<string, "done" | "blocked"> {
  const byTask = tasks.flatMap(({ id, behaviour }) => {
    const status = behaviour === "blocked" || behaviour === "never" ? "blocked" : "done";
    const own = [titleOf(id), status] as const;
    return behaviour === "adds" ? [own, [`Follow-up of ${id}`, "done"] as const] : [own];
  });
  return Object.fromEntries([...byTask, ...added.map((title) => [title, "done"] as const)]);
}

/** How many commits each title must have. */
export function finalCommits(scene: Scene): Record<string, number> {
  const statuses = Object.entries(finalStatuses(scene));
  const empty = scene.tracked ? [] : scene.tasks.filter(({ behaviour }) => behaviour === "nothing");
  const without = new Set(empty.map(({ id }) => titleOf(id)));
  return Object.fromEntries(
    statuses
      .filter(([title, status]) => status === "done" && !without.has(title))
      .map(([title]) => [title, 1]),
  );
}

/** The exit code of a run to its end. */
export function finalCode(scene: Scene): number {
  return Object.values(finalStatuses(scene)).includes("blocked") ? 1 : 0;
}

/** A scene of three to five tasks, each of any behaviour. `chance`: numbers in [0, 1). */
export function randomScene(chance: () => number): Scene {
  const usual: Behaviour[] = [
    "done",
    "nothing",
    "retry",
    "blocked",
    "never",
    "adds",
    "orphan",
    "commits",
    "removes",
  ];
  const hasGate = chance() < 0.5;
  const behaviours: Behaviour[] = hasGate ? [...usual, "gate", "gate"] : usual;
  const pick = <T>(list: readonly [T, ...T[]] | readonly T[]): T | undefined =>
    list[Math.floor(chance() * list.length)];
  const count = 3 + Math.floor(chance() * 3);
  const tasks: { id: string; behaviour: Behaviour; dependsOn?: string[] }[] = [];
  for (let number = 1; number <= count; number++) {
    // A task that depends on one that is never done would never be begun.
    const before = tasks.filter(({ behaviour }) => behaviour !== "blocked" && behaviour !== "never");
    const needs = chance() < 0.4 ? pick(before)?.id : undefined;
    const behaviour = pick(behaviours) ?? "done";
    tasks.push({ id: `T${number}`, behaviour, ...(needs === undefined ? {} : { dependsOn: [needs] }) });
  }
  return { tasks, tracked: chance() < 0.7, hooks: chance() < 0.5, gate: hasGate };
}
