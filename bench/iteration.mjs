// The time that the runner adds to an iteration, against a bare shell loop that spawns the same agent and rewrites the task file
// with mv. Start-up is another row: the time of an iteration is the difference between a longer and a shorter run, on both sides.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { atMost, homeIn, inTurns, looper, median, round, scratch, wall } from "./measure.mjs";

const ROUNDS = 9;
const FEW = 10;
const MANY = 60;
const IDENTITY = ["-c", "user.name=b", "-c", "user.email=b@b"];
const COMMIT = `git add -A && git ${IDENTITY.join(" ")} commit -qm x --allow-empty`;

/** An agent that does nothing but say that it is done. @param {string} root */
export function idleAgent(root) {
  const agent = path.join(root, "agent.sh");
  writeFileSync(
    agent,
    '#!/bin/sh\ncat >/dev/null\necho "{\\"task_id\\":\\"$LOOPER_TASK_ID\\",\\"status\\":\\"done\\"}"\n',
  );
  chmodSync(agent, 0o755);
  return agent;
}

/** Settings under which it does one task after another. @param {string} agent */
export function settingsFor(agent) {
  return {
    agents: { sh: { kind: "command", binary: agent } },
    loop: { review: false, max_iterations: 1_000_000 },
  };
}

/** A project of so many tasks, made anew. Each was tried before, so that a done one takes no more bytes than one to do. @param {string} folder @param {number} count @param {boolean} git */
export function projectOf(folder, count, git) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tasks = Array.from({ length: count }, (_, n) => {
    const number = String(n + 1);
    const tried = { attempts: 1, updated_at: "2026-01-01T00:00:00.000Z" };
    return { id: `T${number}`, title: `Task ${number}`, priority: 3, status: "todo", ...tried };
  });
  const backlog = JSON.stringify({ schema_version: 1, source_files: [], tasks }, null, 2);
  writeFileSync(path.join(folder, "to-do.json"), backlog);
  if (!git) return folder;
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    [...IDENTITY, "commit", "-qm", "b"],
  ])
    execFileSync("git", args, { cwd: folder });
  return folder;
}

export function rows() {
  const root = scratch("iteration");
  const agent = idleAgent(root);
  const env = { HOME: homeIn(root, settingsFor(agent)) };
  /** @param {number} count @param {boolean} git */
  const ours = (count, git) => () => {
    const cwd = projectOf(path.join(root, "ours"), MANY, git);
    const args = ["run", "--agent", "sh", "--quiet", "--max-iterations", String(count)];
    return wall(looper(args, { cwd, env, ends: [0, 1] }));
  };
  /** @param {number} count @param {boolean} git */
  const theirs = (count, git) => () => {
    const cwd = projectOf(path.join(root, "theirs"), MANY, git);
    const rewrite = `sed "s/todo/done/;s/\\"Task $i\\"/\\"Done $i\\"/" to-do.json >n && mv n to-do.json`;
    const each = `echo p | ${agent} >/dev/null; ${rewrite}${git ? ` && ${COMMIT}` : ""}`;
    const script = `for i in $(seq ${String(count)}); do ${each}; done`;
    return wall({ command: "sh", args: ["-c", script], cwd, env });
  };
  return [false, true].map((git) => {
    const taken = inTurns(ROUNDS, {
      "ours, few": ours(FEW, git),
      "ours, many": ours(MANY, git),
      "theirs, few": theirs(FEW, git),
      "theirs, many": theirs(MANY, git),
    });
    /** Milliseconds of one iteration. @param {"ours" | "theirs"} side */
    const iteration = (side) => {
      const few = taken(`${side}, few`);
      return median(taken(`${side}, many`).map((many, at) => (many - (few[at] ?? 0)) / (MANY - FEW)));
    };
    return git
      ? withGit(iteration("ours"), iteration("theirs"))
      : bare(iteration("ours"), iteration("theirs"));
  });
}

const UNIT = `ms an iteration, start-up not in it, median of ${String(ROUNDS)}`;

const CAUSE =
  "as root an agent has a PID namespace of its own: nsenter, unshare and setsid before it take at least 3.4 ms. " +
  "The backlog is written twice and the log synced twice (six waits for the disk), and Node's fork copies the page tables of 50 MB (3 ms). " +
  "Done already: the next namespace is opened while the agent works; locks, prompts and last messages are not synced; small files are read and written without the thread pool.";
const CAUSE_GIT =
  "ten git processes, two of which start `unpack-objects`, sync each object and ref (14 fsyncs); the loop starts two that sync none. " +
  "Rejected: starting git by a shell that waits, instead of by fork. It saves half of our processor time for a task (75 ms became 35), but arguments should not pass through a shell. " +
  "Not tried: writing objects without git.";

/** @param {number} ours @param {number} theirs */
function bare(ours, theirs) {
  const holds = ours - theirs <= 15;
  return {
    what: "an iteration without git, of an agent that does nothing",
    against: "a shell loop that spawns it and rewrites the file with `mv`",
    goal: "≤ +15 ms",
    measured: `+${round(ours - theirs)} ms`,
    figures: `${round(ours)} against ${round(theirs)} ${UNIT}`,
    holds,
    ...(holds ? {} : { cause: CAUSE }),
  };
}

/** @param {number} ours @param {number} theirs */
function withGit(ours, theirs) {
  return atMost({
    what: "the same with checkpoint and commit",
    against: "`git add -A && git commit` in that loop",
    most: 3,
    ours,
    theirs,
    unit: UNIT,
    ...(ours / theirs <= 3 ? {} : { cause: CAUSE_GIT }),
  });
}
