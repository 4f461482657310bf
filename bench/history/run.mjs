// make bench-history: the commits of public projects, sorted as if each were an agent's attempt, beside hand-written lines of
// what every path is (projects.json). Every figure is of changed files. `--repos DIR` has a bare repository for each project
// (`DIR/owner/name.git`); one that is missing is cloned from GitHub. `--only owner/name`, `--misses` lists what was sorted otherwise,
// `--time` measures sorting itself.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import ignore from "ignore";
import { loadCode } from "../../scripts/load-code.mjs";

/** @typedef {"program" | "data" | "tests" | "settings" | "docs" | "other"} Kind */
/** @typedef {{ repo: string, language: string, head: string, checks: string[], lines: [Kind, string][], heldOut?: true }} Project */
/** @typedef {{ project: Project, commit: string, path: string, is: Kind, sorted: string, row: number, why: string }} Judged */

const { values: asked } = parseArgs({
  options: {
    repos: { type: "string", default: path.join(tmpdir(), "looper-history") },
    only: { type: "string" },
    misses: { type: "boolean", default: false },
    time: { type: "boolean", default: false },
  },
});

const { openSorter } = /** @type {typeof import("./sorter.js")} */ (
  await loadCode("bench/history/sorter.ts")
);

const COMMITS = 12;
const MOST_FILES = 300;
const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "looper-history-")));
const ENV = { PATH: process.env["PATH"] ?? "", HOME: scratch };
process.on("exit", () => {
  rmSync(scratch, { recursive: true, force: true });
});

/** @param {string} cwd @param {readonly string[]} args */
function git(cwd, args) {
  return execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** A working folder of a project without its files: only commits are read. @param {Project} project */
function openFolder({ repo, head }) {
  const bare = path.join(asked.repos, `${repo}.git`);
  if (!existsSync(bare)) git(root, ["clone", "-q", "--bare", `https://github.com/${repo}`, bare]);
  const folder = path.join(scratch, repo.replace("/", "-"));
  git(root, ["clone", "-q", "--shared", "--no-checkout", bare, folder]);
  git(folder, ["update-ref", "HEAD", head]);
  return folder;
}

/** Commits that changed some files, evenly spaced over the second half of the history. @param {string} folder */
function pickCommits(folder) {
  const all = git(folder, ["rev-list", "--no-merges", "--first-parent", "HEAD"]).trim().split("\n");
  const recent = all.slice(0, Math.ceil(all.length / 2)).slice(0, -1);
  const step = recent.length / COMMITS;
  return Array.from({ length: COMMITS }, (_, at) => recent[Math.floor(at * step)] ?? "").filter(Boolean);
}

/** Tells the kind of a path by the last of the lines that matches. @param {Project} project */
function labeller({ lines }) {
  const rules = lines.map(([kind, pattern]) => ({ kind, rule: ignore().add(pattern) }));
  return (/** @type {string} */ file) => rules.findLast(({ rule }) => rule.ignores(file))?.kind ?? "other";
}

/** Sorts the files of each commit. @param {Project} project @returns {Promise<Judged[]>} */
async function judgeProject(project) {
  const folder = openFolder(project);
  const sort = await openSorter(folder, ENV);
  const kindOf = labeller(project);
  /** @type {Judged[]} */
  const judged = [];
  for (const commit of pickCommits(folder)) {
    const base = git(folder, ["rev-parse", `${commit}^`]).trim();
    const sorted = await sort({ base, commit, checks: project.checks, most: MOST_FILES });
    for (const { path: file, kind, row, why } of sorted ?? [])
      judged.push({ project, commit, path: file, is: kindOf(file), sorted: kind, row, why });
  }
  return judged;
}

/** "412 of 420 (98.1 %)" of these are source. @param {readonly Judged[]} all @param {readonly Kind[]} kinds */
function share(all, kinds) {
  const of = all.filter(({ is }) => kinds.includes(is));
  const source = of.filter(({ sorted }) => sorted === "source").length;
  const percent = of.length === 0 ? "–" : `${((100 * source) / of.length).toFixed(1)} %`;
  return `${String(source)} of ${String(of.length)} (${percent})`;
}

/** @param {string} title @param {readonly Judged[]} all */
function line(title, all) {
  const commits = new Set(all.map(({ project, commit }) => `${project.repo} ${commit}`)).size;
  const fixed = all.filter(({ row }) => row !== 4);
  const cells = [
    title,
    String(commits),
    share(all, ["program"]),
    share(all, ["program", "data"]),
    share(fixed, ["tests", "settings"]),
    share(
      all.filter(({ row }) => row === 4),
      ["settings"],
    ),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** @param {readonly Judged[]} all */
function missesOf(all) {
  const wrong = all.filter(
    ({ is, sorted, row }) =>
      ((is === "program" || is === "data") && sorted !== "source") ||
      ((is === "tests" || is === "settings") && sorted === "source" && row !== 4),
  );
  return wrong.map(
    ({ project, commit, path: file, is, sorted, row, why }) =>
      `${project.repo} ${commit.slice(0, 8)} ${file}: is ${is}, sorted ${sorted} by row ${String(row)} (${why})`,
  );
}

/** Sorts 1,000 changed files in a project of 10,000, some times; milliseconds, the middle one. */
async function timeSorting() {
  const folder = path.join(scratch, "large");
  const name = (/** @type {number} */ at) => `src/part${String(at % 100)}/file${String(at)}.ts`;
  for (let at = 0; at < 100; at++) mkdirSync(path.join(folder, `src/part${String(at)}`), { recursive: true });
  for (let at = 0; at < 9_999; at++)
    writeFileSync(path.join(folder, name(at)), `export const a = ${String(at)};\n`);
  writeFileSync(
    path.join(folder, "package.json"),
    '{"name":"large","main":"src/part0/file0.ts","scripts":{"test":"node --test"}}\n',
  );
  const who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
  git(root, ["init", "-q", folder]);
  git(folder, ["add", "-A"]);
  git(folder, [...who, "commit", "-qm", "before"]);
  for (let at = 0; at < 1_000; at++)
    writeFileSync(path.join(folder, name(at * 9)), `export const b = ${String(at)};\n`);
  git(folder, [...who, "commit", "-qam", "after"]);
  const [base = "", commit = ""] = ["HEAD^", "HEAD"].map((one) => git(folder, ["rev-parse", one]).trim());
  const sort = await openSorter(folder, ENV);
  const took = [];
  for (let at = 0; at < 5; at++) {
    const began = performance.now();
    await sort({ base, commit, checks: ["npm test"] });
    took.push(performance.now() - began);
  }
  return took.toSorted((a, b) => a - b)[2] ?? Number.NaN;
}

if (asked.time) {
  console.log(`1,000 changed files in a project of 10,000: ${(await timeSorting()).toFixed(0)} ms`);
} else {
  const projects = /** @type {Project[]} */ (
    JSON.parse(readFileSync(new URL("projects.json", import.meta.url), "utf8"))
  );
  /** @type {Judged[]} */
  const all = [];
  console.log(
    "| project | commits | program | with its data | tests and settings | of row 4 |\n| --- | --- | --- | --- | --- | --- |",
  );
  for (const project of projects.filter(({ repo }) => asked.only === undefined || repo === asked.only)) {
    const judged = await judgeProject(project);
    all.push(...judged);
    console.log(line(`${project.repo} (${project.language})${project.heldOut === true ? " *" : ""}`, judged));
  }
  console.log(
    line(
      "the others",
      all.filter(({ project }) => project.heldOut !== true),
    ),
  );
  console.log(
    line(
      "held out *",
      all.filter(({ project }) => project.heldOut === true),
    ),
  );
  if (asked.misses) console.log(["", ...missesOf(all)].join("\n"));
}
