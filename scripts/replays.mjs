// Replays every run that the stories log, with its tree; prints how many differ, and where.
// Flags go to vitest, e.g. test/stories/git.story.test.ts
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {{ same: boolean, run: string, decisions?: number, commits: number, backlogs: number, seq?: number, difference?: string, stopped?: { seq: number, why: string } }} Answer */
/** @typedef {{ story: string, answer: Answer | { refused: string } }} Replay */

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "looper-replays-"));
const counts = path.join(folder, "replays.jsonl");
writeFileSync(counts, "");

const given = process.argv.slice(2);
const vitest = ["vitest", "run", "--project", "stories", "--reporter=dot", "--testTimeout=600000", ...given];
const stories = spawnSync("npx", vitest, {
  cwd: root,
  stdio: ["ignore", 2, 2],
  env: { ...process.env, REPLAYS: counts },
});

const lines = readFileSync(counts, "utf8").split("\n").slice(0, -1);
const parse = /** @type {(text: string) => Replay} */ (JSON.parse);
const replays = lines.map((line) => parse(line));
rmSync(folder, { recursive: true, force: true });

/** @type {Map<string, number>} */
const partly = new Map();
const sum = { whole: 0, decisions: 0, commits: 0, backlogs: 0 };
/** @type {string[]} */
const different = [];
for (const { story, answer } of replays) {
  if ("refused" in answer) {
    count(/there is no tree to replay/.test(answer.refused) ? "no repository" : answer.refused);
    continue;
  }
  if (answer.difference !== undefined)
    different.push(`${story}: ${answer.run}, line ${answer.seq ?? 0}\n${answer.difference}`);
  sum.decisions += answer.decisions ?? 0;
  sum.commits += answer.commits;
  sum.backlogs += answer.backlogs;
  if (answer.stopped !== undefined) count(answer.stopped.why.replaceAll(/\b[0-9a-f]{40}\b/g, "…"));
  else if (answer.same) sum.whole++;
}

for (const text of different) console.log(text);
for (const [why, times] of [...partly].toSorted(([, a], [, b]) => b - a))
  console.log(`${times} with their decisions alone, from where the tree could not continue: ${why}`);
console.log(
  `${sum.whole} whole with their trees: ${sum.decisions} decisions, ${sum.commits} commits, ${sum.backlogs} states of the task file`,
);
console.log(`replay divergences: ${different.length} of ${replays.length}`);
if (stories.status !== 0) console.log("not all stories passed: make test says which");
process.exitCode = different.length === 0 && stories.status === 0 ? 0 : 1;

/** @param {string} why */
function count(why) {
  partly.set(why, (partly.get(why) ?? 0) + 1);
}
