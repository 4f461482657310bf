// A person who edits at random beside a run: tasks in hand, waiting and done, by every command and by an editor, while agents
// succeed and fail. Whatever is edited, no work is lost, no red project ends green, and no task is done without its commit.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { replayInPlace } from "../replay/replay-in-place.js";
import { checkBacklog } from "../../src/todo/check/check.js";
import type { Task } from "../../src/todo/model/task.js";
import type { Program, Ran } from "../rig/program.js";
import { gitLeftovers, logProblems, lostBytes, statuses } from "./invariants.js";
import type { Place } from "./place.js";
import type { Behaviour, Scene } from "./scenario.js";
import type { Outcome } from "./survive.js";

/** Three or four tasks whose agents take their time, and checks that one of them breaks. */
export function sceneToEdit(chance: () => number): Scene {
  const behaviours: Behaviour[] = ["done", "done", "breaks", "gate", "retry", "never", "commits", "adds"];
  const count = 3 + Math.floor(chance() * 2);
  const tasks = Array.from({ length: count }, (_, at) => ({
    id: `T${at + 1}`,
    behaviour: pick(behaviours, chance) ?? "done",
  }));
  return { tasks, tracked: true, hooks: false, gate: true, pause: 0.2 + chance() * 0.6 };
}

/** The edits that the person has made, and their expected result. */
interface Typed {
  /** Titles that were taken, by the task's id. */
  titles: Map<string, string>;
  /** An editor saved: what it had read may have been old. */
  saved: boolean;
  edits: number;
  problems: string[];
}

/** Plays one run with a person beside it, perhaps killed once; then what must hold is asked. */
export async function editAtRandom(place: Place, chance: () => number): Promise<Outcome> {
  const typed: Typed = { titles: new Map(), saved: false, edits: 0, problems: [] };
  const kills = chance() < 0.2;
  const { program } = place.begin(["run", "--no-review", "--trust", "--json"]);
  const first = program.ended.then((end) => ({ ...end, over: true }));
  await editWhile(place, program, { typed, chance, kills });
  let end = await first;
  if (end.signal === "SIGKILL") {
    const again = await place.start(["run", "--no-review", "--trust"]);
    end = { ...again, over: true };
  }
  const titles = titleProblems(place, typed);
  const problems = [
    ...typed.problems,
    ...endProblems(place, end, kills),
    // After a kill the command makes the edit itself, and says that the work is still in the tree.
    ...(!kills && end.code === 0 && checksOf(place) === "red"
      ? ["it ended green, and the checks are red"]
      : []),
    ...(await lostBytes(place)),
    ...(await commitProblems(place)),
    ...titles,
    ...(kills ? [] : await leftInGit(place)),
    ...(await logProblems(place)),
    ...(kills ? [] : await treeProblems(place, typed)),
    ...place.leftovers().map((line) => `still running: ${line}`),
  ];
  return { problems: [...new Set(problems)], struck: typed.edits, starts: 1, last: [] };
}

/** A run ends complete or blocked. One that starts again after a kill, and finds every task removed meanwhile, names the copy and ends 2. */
function endProblems(
  place: Place,
  { code, signal, stderr }: Pick<Ran, "code" | "signal" | "stderr">,
  kills: boolean,
): string[] {
  if (code === 0 || code === 1) return [];
  const isEmptied = kills && code === 2 && /has no tasks, but \S+\.edited-\S+ has/.test(stderr);
  if (isEmptied && Object.keys(statuses(place)).length === 0) return [];
  return [`the run: ${code ?? signal ?? "?"}: ${stderr}`];
}

/** A person commits the edits they make after the run has committed its backlog. */
async function leftInGit(place: Place): Promise<string[]> {
  const own = (await place.git("status", "--porcelain", "to-do.json")) === " M to-do.json\n";
  if (own) await place.git("checkout", "-q", "--", "to-do.json");
  return gitLeftovers(place);
}

/** Three to six edits, at lines of the log by chance, for as long as the run lives. */
async function editWhile(
  place: Place,
  program: Program,
  { typed, chance, kills }: { typed: Typed; chance: () => number; kills: boolean },
): Promise<void> {
  const count = 3 + Math.floor(chance() * 4);
  for (let n = 0; n < count; n++) {
    if (!(await lives(program, 1 + Math.floor(chance() * 14)))) return;
    const edit = editOnce(place, typed, chance);
    if (kills && n === 1) {
      await lives(program, 1 + Math.floor(chance() * 6));
      await program.kill("group");
    }
    await edit;
  }
}

/** Waits until the run has said so many more lines; whether it lives. */
async function lives(program: Program, lines: number): Promise<boolean> {
  const said = program.stdout.split("\n").length - 1;
  const more = program.says(new RegExp(`^(?:.*\n){${said + lines}}`));
  return more.then(
    () => true,
    () => false,
  );
}

async function editOnce(place: Place, typed: Typed, chance: () => number): Promise<void> {
  const { tasks } = backlogOf(place);
  const inHand = tasks.find(({ status }) => status === "doing");
  const id = (chance() < 0.6 ? inHand : undefined)?.id ?? pick(tasks, chance)?.id;
  typed.edits++;
  const title = `typed ${typed.edits}`;
  if (id === undefined) return type(place, typed, ["add", title]);
  const other = pick(tasks, chance)?.id ?? id;
  const all: string[][] = [
    ["todo", id],
    ["block", id, "not now"],
    ["done", id],
    ["rm", "--force", id],
    ["set", id, "status=todo", `title=${title}`],
    ["set", id, "status=blocked"],
    ["set", id, `title=${title}`, "priority=2"],
    ["add", title],
    ["done", id, other],
    ["todo", id, other],
    ["rm", "--force", id, other],
    ["an editor", id],
  ];
  const words = pick(all, chance) ?? [];
  if (words[0] === "an editor") save(place, typed, { id, status: pick(["todo", "blocked", "done"], chance) });
  else await type(place, typed, words);
}

async function type(place: Place, typed: Typed, words: readonly string[]): Promise<void> {
  const { code, signal, stdout, stderr } = await place.start(words);
  // Its task may be gone meanwhile, or the run be dead.
  if (code === undefined || code > 2)
    typed.problems.push(`${words.join(" ")}: ${code ?? signal ?? "?"}: ${stderr}`);
  if (code !== 0) return;
  const title = words.map((word) => word.replace(/^title=/, "")).find((word) => word.startsWith("typed "));
  if (words[0] === "add" && title !== undefined) typed.titles.set(stdout.trim(), title);
  if (words[0] === "set" && title !== undefined) typed.titles.set(words[1] ?? "", title);
  if (words[0] === "rm") for (const id of words.slice(2)) typed.titles.delete(id);
}

/** As an editor does: all of the file, with one status changed. */
function save(
  place: Place,
  typed: Typed,
  { id, status = "todo" }: { id: string; status?: string | undefined },
): void {
  typed.saved = true;
  const file = path.join(place.project, "to-do.json");
  const backlog = z.looseObject({ tasks: z.array(z.looseObject({ id: z.string() })) });
  const { tasks, ...rest } = backlog.parse(JSON.parse(readFileSync(file, "utf8")));
  const edited = tasks.map((task) => (task.id === id ? { ...task, status } : task));
  writeFileSync(file, `${JSON.stringify({ ...rest, tasks: edited }, undefined, 2)}\n`);
}

function backlogOf(place: Place): { tasks: readonly Task[] } {
  const checked = checkBacklog(readFileSync(path.join(place.project, "to-do.json")));
  return checked.kind === "ok" ? checked.backlog : { tasks: [] };
}

/** The result that the checks would have on the present tree. */
function checksOf(place: Place): "red" | "green" {
  return readdirSync(place.project).includes("broken") ? "red" : "green";
}

const Line = z.looseObject({ type: z.string() });
const Committed = z.object({
  commit: z.string().optional(),
  task_id: z.string(),
  updated: z.array(z.object({ id: z.string(), to: z.string().optional() })),
});

/** Each task that the run finished has one commit, and no other commit exists. */
async function commitProblems(place: Place): Promise<string[]> {
  const trailers = await place.git("log", "--format=%(trailers:key=Looper-Task,valueonly,separator=%x20)");
  const commits = count(trailers.split(/\s+/).filter((id) => id !== ""));
  const runs = path.join(place.project, "looper-logs/runs");
  const done = readdirSync(runs).flatMap((run) =>
    readFileSync(path.join(runs, run, "events.jsonl"), "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => Line.parse(JSON.parse(line)))
      .flatMap((line) => (line.type === "committed" ? (Committed.safeParse(line).data ?? []) : [])),
  );
  const finished = done.filter(({ task_id, updated }) =>
    updated.some(({ id, to }) => id === task_id && to === "done"),
  );
  const bare = finished.filter(({ commit }) => commit === undefined);
  const broken = (await place.git("ls-tree", "--name-only", "HEAD")).split("\n").includes("broken");
  const counted = count(finished.map(({ task_id }) => task_id));
  const ids = [...new Set([...commits.keys(), ...counted.keys()])];
  const killed = readdirSync(runs).length > 1;
  return [
    ...bare.map(({ task_id }) => `${task_id} was finished without a commit`),
    ...ids
      .filter((id) => !killed && commits.get(id) !== counted.get(id))
      .map(
        (id) => `${id} was finished ${counted.get(id) ?? 0} times and has ${commits.get(id) ?? 0} commits`,
      ),
    ...(broken ? ["what the checks forbid was committed"] : []),
  ];
}

function count(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Every title a person typed and was told was taken is there, unless an editor's old version came over it. */
function titleProblems(place: Place, { titles, saved }: Typed): string[] {
  if (saved) return [];
  const now = new Map(backlogOf(place).tasks.map(({ id, title }) => [id as string, title]));
  return [...titles].flatMap(([id, title]) =>
    now.get(id) === title ? [] : [`the title of ${id} that was typed is lost: ${title}`],
  );
}

/** A replay with the tree finds all of it; from what an editor saved on only decisions are compared. */
async function treeProblems(place: Place, { saved }: Typed): Promise<string[]> {
  const replayed = await replayInPlace(place);
  return replayed.same || (saved && replayed.difference === undefined)
    ? []
    : [`replay: ${JSON.stringify(replayed)}`];
}

function pick<T>(list: readonly T[], chance: () => number): T | undefined {
  return list[Math.floor(chance() * list.length)];
}
