// Many processes that edit the backlog at the same time, through the store, during a run: none of their edits may be lost.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { Backlog } from "../../src/todo/model/task.js";
import { Place } from "./place.js";
import { BacklogWatch } from "./survive.js";
import { titleOf, type Scene } from "./scenario.js";

const run = promisify(execFile);

/** More than the run can do while it is edited: it runs until it is stopped. */
const MANY: Scene = {
  tasks: Array.from({ length: 300 }, (_, index) => ({ id: `T${index + 1}`, behaviour: "done" })),
  tracked: true,
  hooks: false,
  gate: false,
};

export interface Edited {
  edits: number;
  lost: number;
  problems: string[];
  /** Tasks the run did meanwhile. */
  done: number;
  folder: string;
}

export interface Crowd {
  editors: number;
  /** Edits of each. */
  each: number;
}

/** So many processes make so many edits each. Ends the run as Ctrl-C does once they are through. */
export async function editMeanwhile(bins: string, crowd: Crowd): Promise<Edited> {
  const place = await Place.make(MANY, bins);
  try {
    const edited = await editIn(place, bins, crowd);
    place.dispose(edited.problems.length > 0 || edited.lost > 0);
    return edited;
  } catch (error) {
    place.dispose(true);
    throw error;
  }
}

async function editIn(place: Place, bins: string, { editors, each }: Crowd): Promise<Edited> {
  const backlog = new BacklogWatch(place);
  const { program } = place.begin(["run", "--json", "--max-iterations", "1000"]);
  await program.says(/"type":"agent_started"/);
  const names = Array.from({ length: editors }, (_, index) => `E${index + 1}`);
  const refused = await Promise.all(names.map((name) => editOften(place, bins, { name, each })));
  program.signal("SIGINT");
  const { code, stderr } = await program.ended;
  backlog.close();
  const problems = [...new Set(backlog.problems)];
  if (code !== 130) problems.push(`the run: exit ${code ?? "?"}: ${stderr}`);
  problems.push(...refused.flat());
  const { tasks } = Backlog.parse(JSON.parse(place.read("to-do.json")));
  const titles = new Map(tasks.map(({ title, status }) => [title, status]));
  const wanted = names.flatMap((name) => Array.from({ length: each }, (_, index) => `${name}-${index + 1}`));
  const lost = wanted.filter((title) => !titles.has(title)).length;
  const done = MANY.tasks.filter(({ id }) => titles.get(titleOf(id)) === "done").length;
  const trailers = await place.git("log", "--format=%(trailers:key=Looper-Task,valueonly,separator=%x20)");
  const commits = trailers.split(/\s+/).filter((id) => id !== "");
  if (commits.length !== done || new Set(commits).size !== done)
    problems.push(`${done} tasks are done, and there are ${commits.length} commits`);
  problems.push(...place.leftovers().map((line) => `still running: ${line}`));
  return { edits: wanted.length, lost, problems, done, folder: place.root };
}

/** Each edit that was refused, and why. */
async function editOften(
  place: Place,
  bins: string,
  { name, each }: { name: string; each: number },
): Promise<string[]> {
  const args = [
    path.join(bins, "editor.js"),
    path.join(place.project, "to-do.json"),
    path.join(place.project, ".looper/lock"),
    ...[name, String(each)],
  ];
  const answer = run(process.execPath, args, { cwd: place.project, env: place.env });
  const { stdout } = await answer.catch((error: unknown) => ({ stdout: `${name} broke: ${String(error)}` }));
  return stdout.split("\n").filter((line) => line !== "");
}
