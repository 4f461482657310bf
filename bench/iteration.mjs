// What the runner adds to an iteration, as a ratio within one run: machines are noisy, so figures of two runs never meet.
// Against it: a bare shell loop that spawns the same agent and rewrites the task file with mv. Medians.
import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const LOOPER = fileURLToPath(new URL("../dist/looper.js", import.meta.url));
const TASKS = 40;
const ROUNDS = 5;

const root = mkdtempSync(join(tmpdir(), "looper-bench-"));
const agent = join(root, "agent.sh");
writeFileSync(
  agent,
  '#!/bin/sh\ncat >/dev/null\necho "{\\"task_id\\":\\"$LOOPER_TASK_ID\\",\\"status\\":\\"done\\"}"\n',
);
chmodSync(agent, 0o755);

/**
 * Milliseconds an iteration took.
 * @param {string[]} command
 * @param {import('node:child_process').ExecFileSyncOptions} options
 */
function perIteration(command, options) {
  const began = performance.now();
  const [file = "", ...args] = command;
  execFileSync(file, args, { stdio: "ignore", ...options });
  return (performance.now() - began) / TASKS;
}

/**
 * @param {string} name
 * @param {boolean} git
 */
function project(name, git) {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  const tasks = Array.from({ length: TASKS }, (_, n) => ({
    id: `T${n + 1}`,
    title: `Task ${n + 1}`,
    priority: 3,
    status: "todo",
  }));
  writeFileSync(
    join(folder, "to-do.json"),
    JSON.stringify({ schema_version: 1, source_files: [], tasks }, null, 2),
  );
  if (git) {
    execFileSync("git", ["init", "-q"], { cwd: folder });
    execFileSync("git", ["add", "-A"], { cwd: folder });
    execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "b"], { cwd: folder });
  }
  return folder;
}

const home = join(root, "home");
mkdirSync(join(home, ".config/looper"), { recursive: true });
writeFileSync(
  join(home, ".config/looper/config.json"),
  JSON.stringify({ agents: { sh: { kind: "command", binary: agent } }, loop: { review: false } }),
);
const env = { PATH: process.env.PATH, HOME: home };
/** @param {string} folder */
const run = (folder) =>
  perIteration([process.execPath, LOOPER, "run", "--agent", "sh", "--quiet"], { cwd: folder, env });
const commit = "git add -A && git -c user.name=b -c user.email=b@b commit -qm x --allow-empty";
/**
 * @param {string} folder
 * @param {string} after
 */
const bare = (folder, after) =>
  perIteration(
    [
      "sh",
      "-c",
      `for i in $(seq ${TASKS}); do echo p | ${agent} >/dev/null; sed s/todo/done/ to-do.json >n && mv n to-do.json${after}; done`,
    ],
    { cwd: folder, env },
  );
/** @param {number[]} values */
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** @type {Record<"looper" | "shell" | "looperGit" | "shellGit", number[]>} */
const figures = { looper: [], shell: [], looperGit: [], shellGit: [] };
for (let round = 0; round < ROUNDS; round++) {
  figures.looper.push(run(project(`a${round}`, false)));
  figures.shell.push(bare(project(`b${round}`, false), ""));
  figures.looperGit.push(run(project(`c${round}`, true)));
  figures.shellGit.push(bare(project(`d${round}`, true), ` && ${commit}`));
}
rmSync(root, { recursive: true, force: true });
const looper = median(figures.looper);
const shell = median(figures.shell);
const looperGit = median(figures.looperGit);
const shellGit = median(figures.shellGit);
console.log(`an iteration, ${TASKS} tasks, start-up included, median of ${ROUNDS}`);
console.log(
  `without git: looper ${looper.toFixed(1)} ms, shell loop ${shell.toFixed(1)} ms (+${(looper - shell).toFixed(1)} ms)`,
);
console.log(
  `with git:    looper ${looperGit.toFixed(1)} ms, shell loop with commits ${shellGit.toFixed(1)} ms (${(looperGit / shellGit).toFixed(1)}x)`,
);
