// The cost of an iteration and of a visit of a stage, counted in the real program: processes, and waits for the disk. It is what a
// longer run takes more than a shorter one; both begin and end alike. Times are the bench's.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { nodeClock } from "../../src/system/clock.js";
import { nodeProcesses } from "../../src/system/processes/processes.js";
import { exhaustively } from "../rig/exhaustive.js";
import { story, type Rig } from "../rig/rig.js";

const COUNTED = fileURLToPath(new URL("../fakes/counted.cjs", import.meta.url));
const TASKS = 4;
const FEW = 1;
const MANY = 3;
const DONE = `echo '{"task_id":"'"$LOOPER_TASK_ID"'","status":"done","summary":"Did it."'"\${LOOPER_STAGE:+,\\"outcome\\":\\"done\\"}"'}'`;

/** Counts how often each line occurs in a file, and removes the file. */
function tally(file: string): Map<string, number> {
  const counts = new Map<string, number>();
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  rmSync(file, { force: true });
  for (const line of text.split("\n").filter((line) => line !== ""))
    counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

interface Counted {
  tasks: number;
  git: boolean;
  work: string;
  /** The workflow of the user that the tasks go through, instead of `default`. */
  workflow?: string;
}

/** Does so many tasks, in a project made for them. */
async function run(rig: Rig, { tasks, git, work, workflow }: Counted): Promise<void> {
  const agent = path.join(rig.root, "agent.sh");
  writeFileSync(agent, `#!/bin/sh\ncat >/dev/null\n${work}\n${DONE}\n`, { mode: 0o755 });
  rig.settings({ agents: { sh: { kind: "command", binary: agent } }, schedule: { agent: "sh" } });
  rmSync(path.join(rig.project, ".git"), { recursive: true, force: true });
  const listed = workflow === undefined ? TASKS : tasks;
  rig.writeBacklog(Array.from({ length: listed }, (_, at) => ({ id: `T${at}` })));
  if (git) rig.gitInit();
  rmSync(path.join(rig.root, "counted"), { force: true });
  const limit = ["--max-iterations", String(tasks)];
  const args = ["run", "--no-review", ...(workflow === undefined ? limit : ["--workflow", workflow])];
  const env = { NODE_OPTIONS: `--require=${COUNTED}`, COUNTED: path.join(rig.root, "counted") };
  expect(await rig.run(args, { env })).toMatchObject({ code: workflow === undefined ? 1 : 0 });
}

/** Counts the git processes in `gits`, beside those that the program counts itself. */
function watchGits(rig: Rig): (of: Counted) => Promise<Map<string, number>> {
  const seen = path.join(rig.root, "gits");
  const real = rig.git("--exec-path").trim();
  const git = `#!/bin/sh\necho git >>"${seen}"\nexec "${real}/git" "$@"\n`;
  writeFileSync(path.join(rig.root, "bin", "git"), git, { mode: 0o755 });
  return async (of) => {
    await run(rig, of);
    const gits = tally(seen);
    for (const [name, count] of tally(path.join(rig.root, "counted"))) gits.set(name, count);
    return gits;
  };
}

/** A workflow of the user: a work stage, and behind it so many stages of a kind. */
function writeWorkflow(rig: Rig, kind: "work" | "analyze", more: number): string {
  const folder = path.join(rig.root, "config/looper/workflows");
  mkdirSync(folder, { recursive: true });
  const kinds = ["work", ...Array.from({ length: more }, () => kind)];
  const stages = kinds.map((own, at) => {
    const prompt = own === "work" ? "implement" : "review-task";
    const next = at === more ? "finish" : `s${String(at + 1)}`;
    return [`s${String(at)}`, { kind: own, prompt, next: { done: next } }] as const;
  });
  const name = `${kind}-${String(more)}`;
  const workflow = { workflow: 1, name, start: "s0", stages: Object.fromEntries(stages) };
  writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(workflow));
  return name;
}

/** The number of each that one iteration adds. */
async function ofOne(
  counting: (tasks: number) => Promise<Map<string, number>>,
): Promise<Record<string, number>> {
  // Files that the first run makes for every later one do not count.
  await counting(FEW);
  const few = await counting(FEW);
  const many = await counting(MANY);
  const names = [...new Set([...few.keys(), ...many.keys()])].sort();
  const added = names.map(
    (name) => [name, ((many.get(name) ?? 0) - (few.get(name) ?? 0)) / (MANY - FEW)] as const,
  );
  return Object.fromEntries(added.filter(([, count]) => count !== 0));
}

test(
  "an iteration without git: the backlog is made safe twice, the log before the agent and before the end, and no process but the agent's",
  story(async (rig) => {
    const counting = async (tasks: number): Promise<Map<string, number>> => {
      await run(rig, { tasks, git: false, work: "" });
      return tally(path.join(rig.root, "counted"));
    };
    // A file and the name it is under; the namespace of the next agent is a process too, where there are any.
    const namespaces = (await nodeProcesses(nodeClock()).containment()).by === "namespace";
    expect(await ofOne(counting)).toEqual({ fdatasync: 2, fsync: 4, spawn: namespaces ? 2 : 1 });
  }),
);

test(
  "a task starts at most twelve git processes, and besides them only the agent and its namespace",
  story(async (rig) => {
    const counting = watchGits(rig);
    const work = 'echo "$LOOPER_TASK_ID" >>made.txt';
    const { git: gits = 0, spawn = 0 } = await ofOne((tasks) => counting({ tasks, git: true, work }));
    expect(gits).toBeGreaterThan(0);
    expect(gits).toBeLessThanOrEqual(12);
    expect(spawn - gits).toBeLessThanOrEqual(2);
  }),
);

exhaustively.each([
  { kind: "analyze", most: 9 },
  { kind: "work", most: 9 },
] as const)(
  "a visit of a stage of kind $kind starts at most $most git processes, fewer than an iteration",
  ({ kind, most }) =>
    story(async (rig) => {
      const counting = watchGits(rig);
      const writes = kind === "work" ? "*" : "s0";
      const work = `case "$LOOPER_STAGE" in ${writes}) echo "$LOOPER_STAGE" >>made.txt ;; esac`;
      const visiting = (visits: number): Promise<Map<string, number>> =>
        counting({ tasks: 1, git: true, work, workflow: writeWorkflow(rig, kind, visits) });
      const few = await visiting(FEW);
      const many = await visiting(MANY);
      const one = (name: string): number => ((many.get(name) ?? 0) - (few.get(name) ?? 0)) / (MANY - FEW);
      expect(one("git")).toBeGreaterThan(0);
      expect(one("git")).toBeLessThanOrEqual(most);
      expect(one("spawn") - one("git")).toBeLessThanOrEqual(2);
    })(),
);
