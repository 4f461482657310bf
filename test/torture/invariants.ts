// The invariants after the end of a scenario, however often the program was killed. Each violation is a sentence.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { replayRun } from "../../src/loop/replay/replay.js";
import { nodeFiles } from "../../src/system/files/files.js";
import { isHalfWritten } from "../../src/system/files/half-written.js";
import { Backlog } from "../../src/todo/model/task.js";
import { PERSONS, PERSONS_STATUS, STAGED, type Place } from "./place.js";
import { finalCommits, finalStatuses } from "./scenario.js";

/** Everything that is wrong with a place in which a run came to its end. */
export async function violations(place: Place): Promise<string[]> {
  const left = place.leftovers();
  const { tasks } = Backlog.parse(JSON.parse(place.read("to-do.json")));
  const own = tasks.filter(({ tags }) => tags?.includes("project-done") !== true);
  const titles = new Map<string, string>(own.map(({ id, title }) => [id, title]));
  return [
    ...left.map((line) => `still running: ${line}`),
    ...different("statuses", statuses(place), finalStatuses(place.scene)),
    ...(await commitProblems(place, titles)),
    ...(await lostBytes(place)),
    ...(await gitLeftovers(place)),
    ...fileLeftovers(place),
    ...(await logProblems(place)),
    ...(await doctorProblems(place)),
  ];
}

/** Status by title, without the completion marker. */
export function statuses(place: Place): Record<string, string> {
  const { tasks } = Backlog.parse(JSON.parse(place.read("to-do.json")));
  const own = tasks.filter(({ tags }) => tags?.includes("project-done") !== true);
  return Object.fromEntries(own.map(({ title, status }) => [title, status]));
}

function different(what: string, found: unknown, expected: unknown): string[] {
  const [a, b] = [sorted(found), sorted(expected)];
  return a === b ? [] : [`${what}: ${a}, not ${b}`];
}

function sorted(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));
}

async function commitProblems(place: Place, titles: ReadonlyMap<string, string>): Promise<string[]> {
  const log = await place.git("log", "--format=%H %(trailers:key=Looper-Task,valueonly,separator=%x20)");
  const counts: Record<string, number> = {};
  for (const line of log.split("\n")) {
    for (const id of line
      .split(" ")
      .slice(1)
      .filter((word) => word !== "")) {
      const title = titles.get(id) ?? id;
      counts[title] = (counts[title] ?? 0) + 1;
    }
  }
  const files = (await place.git("ls-tree", "--name-only", "HEAD")).split("\n");
  return [
    ...different("commits by task", counts, finalCommits(place.scene)),
    ...(files.includes("broken") ? ["what the gate forbids was committed"] : []),
    ...["mine.sh"]
      .filter((name) => files.includes(name))
      .map((name) => `${name} of the person's was committed`),
  ];
}

/** Every commit that was ever on the branch, every byte an agent wrote, and the person's own: reachable, or where it was. */
export async function lostBytes(place: Place): Promise<string[]> {
  const problems: string[] = [];
  const reachable = new Set(
    (await place.git("rev-list", "--objects", "HEAD", "--glob=refs/looper"))
      .split("\n")
      .map((line) => line.slice(0, 40)),
  );
  for (const line of readFileSync(path.join(place.project, ".git/logs/HEAD"), "utf8").split("\n")) {
    const commit = line.slice(41, 81);
    if (commit !== "" && !reachable.has(commit)) problems.push(`commit ${commit} is on no branch any more`);
  }
  for (const line of textOf(place.journal).split("\n").slice(0, -1)) {
    const [token = "", name = ""] = line.split(" ");
    const inTree = textOf(path.join(place.project, name)) === `${token}\n`;
    if (!inTree && !reachable.has(blobOf(`${token}\n`)))
      problems.push(`what an agent wrote is lost: ${token}`);
  }
  for (const [name, text] of Object.entries(PERSONS)) {
    if (textOf(path.join(place.project, name)) !== text)
      problems.push(`${name} of the person's is not as it was`);
  }
  if ((await place.git("show", ":half.txt")) !== STAGED) problems.push("what the person staged is lost");
  return problems;
}

function blobOf(text: string): string {
  return createHash("sha1")
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest("hex");
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

export async function gitLeftovers(place: Place): Promise<string[]> {
  const refs = (await place.git("for-each-ref", "--format=%(refname)", "refs/looper")).split("\n");
  const kept = /^(|refs\/looper\/(rescue|attempts)\/.*)$/;
  const names = readdirSync(path.join(place.project, ".git"), { recursive: true, encoding: "utf8" });
  return [
    ...refs.filter((ref) => !kept.test(ref)).map((ref) => `left in git: ${ref}`),
    ...names
      .filter((name) => !/^(refs|logs)\//.test(name))
      .filter((name) => name.endsWith(".lock") || /(^|\/)looper(\/|-run)/.test(name))
      .map((name) => `left in .git: ${name}`),
    ...different("git status", await uncommitted(place), PERSONS_STATUS),
    ...different("git fsck", await place.git("fsck", "--no-dangling", "--connectivity-only"), ""),
  ];
}

/** The files that git reports as not committed. A person's save that was put back in part has left a copy. */
async function uncommitted(place: Place): Promise<string> {
  const lines = (await place.git("status", "--porcelain")).split("\n");
  return lines.filter((line) => !line.startsWith("?? to-do.json.edited-")).join("\n");
}

/**
 * Files in the project's folders without an owner. The log of a dead run may hold half a file, and half a line; and the two
 * bytes that keep the folder of the locks out of git are written once in a project's life: a half of them stays, ignored.
 */
function fileLeftovers(place: Place): string[] {
  const names = readdirSync(place.project, { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.startsWith("looper-logs/") && !isHalfWritten(path.basename(name), ".gitignore"),
  );
  const inLocks = names.filter((name) => name.startsWith(".looper/lock/") && !name.endsWith("/.gitignore"));
  const halves = names.filter((name) => name.endsWith(".tmp"));
  const temporary = readdirSync(place.at("tmp")).map((name) => `TMPDIR/${name}`);
  return [...new Set([...inLocks, ...halves]), ...temporary].map((name) => `left behind: ${name}`);
}

const Line = z.looseObject({ seq: z.int(), type: z.string() });

/** Each run's log that is there: whole lines but for a torn last one, numbered from 1 without a gap, and it replays. */
export async function logProblems(place: Place): Promise<string[]> {
  const runs = path.join(place.project, "looper-logs/runs");
  const problems: string[] = [];
  for (const run of existsSync(runs) ? readdirSync(runs) : []) {
    const log = path.join(runs, run, "events.jsonl");
    if (!existsSync(log)) continue;
    const lines = textOf(log).split("\n").slice(0, -1);
    const wrong = lines.findIndex((line, index) => seqOf(line) !== index + 1);
    if (wrong !== -1) problems.push(`log ${run}, line ${wrong + 1}: ${lines[wrong]?.slice(0, 200) ?? ""}`);
    const replayed = await replayRun({ files: nodeFiles() }, path.join(runs, run));
    if ("difference" in replayed) problems.push(`replay of ${run}: ${replayed.seq}: ${replayed.difference}`);
  }
  return problems;
}

function seqOf(line: string): number | undefined {
  try {
    return Line.parse(JSON.parse(line)).seq;
  } catch {
    return undefined;
  }
}

const Doctor = z.object({
  checks: z.array(z.object({ name: z.string(), status: z.string(), message: z.string() })),
});

/** Nothing keeps a run from starting, and nothing of a dead one is left. */
async function doctorProblems(place: Place): Promise<string[]> {
  const { code, stdout, stderr } = await place.start(["doctor", "--json"]);
  if (code !== 0 && code !== 1) return [`doctor: ${code ?? "killed"}: ${stdout}${stderr}`];
  const { checks } = Doctor.parse(JSON.parse(stdout));
  return checks
    .filter(({ name, status }) => status === "error" || (LEFTOVERS.has(name) && status !== "ok"))
    .map(({ name, message }) => `doctor: ${name}: ${message}`);
}

const LEFTOVERS = new Set(["lock", "leftovers"]);
