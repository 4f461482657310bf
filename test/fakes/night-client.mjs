// A client that misbehaves as a plan says: NIGHT_PLAN is a file with the ways of each task's starts, in order; after them it does the
// task well. Speaks like codex, or plain text when its first argument is "text". Leaves what must hold afterwards to the story.
import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";

const [voice] = process.argv.slice(2);
const { KEY, NIGHT_PLAN: planFile = "", LOOPER_TASK_ID: task = "", LOOPER_PHASE: phase } = process.env;

/** @type {{ client: string, key: string, broken: number, never: string[], ways: Record<string, string[]> }} */
const plan = /** @type {(text: string) => never} */ (JSON.parse)(readFileSync(planFile, "utf8"));
readFileSync(0);

/** @param {string[]} args */
const git = (...args) =>
  execFileSync("git", ["-c", "user.name=Agent", "-c", "user.email=a@example.org", ...args], {
    encoding: "utf8",
  });

/** @param {object[]} events */
const say = (...events) => {
  for (const event of events) process.stdout.write(`${JSON.stringify(event)}\n`);
};

const begin = [
  { type: "thread.started", thread_id: "01a1fa77-0000-7000-8000-000000000000" },
  { type: "turn.started" },
];
const usage = {
  input_tokens: 1200,
  cached_input_tokens: 1000,
  output_tokens: 80,
  reasoning_output_tokens: 20,
};

/** @param {object} report */
function tell(report) {
  const text = JSON.stringify(report);
  if (voice === "text") process.stdout.write(`${text}\n`);
  else
    say(
      ...begin,
      { type: "item.completed", item: { id: "item_1", type: "agent_message", text } },
      { type: "turn.completed", usage },
    );
}

function work() {
  const right = plan.never.includes(task) ? "no" : "ok";
  mkdirSync("src", { recursive: true });
  writeFileSync(`src/${task}.txt`, `${right} ${task}\n`);
}

const done = () => {
  tell({ task_id: task, status: "done", summary: `Made src/${task}.txt.` });
};

const hang = () => {
  // An open socket keeps it alive.
  createServer().listen(path.join(path.dirname(planFile), `hangs-${process.pid}`));
};

/** @type {Record<string, () => void>} */
const WAYS = {
  well() {
    work();
    done();
  },
  "done, then hangs"() {
    work();
    done();
    hang();
  },
  "a limit, then hangs"() {
    const message = "exceeded retry limit, last status: 429 Too Many Requests: try again in 1 seconds";
    if (voice === "text") process.stdout.write(`${message}\n`);
    else say(...begin, { type: "error", message }, { type: "turn.failed", error: { message } });
    hang();
  },
  "a limit in a plain line"() {
    process.stdout.write("You've hit your usage limit. Try again in 1 seconds.\n");
    process.exitCode = 1;
  },
  "a limit with exit code 0"() {
    process.stdout.write("You've hit your usage limit. Try again in 1 seconds.\n");
  },
  "cannot start"() {
    process.stderr.write(
      `cannot start: no ${task.replace(/\d/gu, (digit) => "abcdefghij"[Number(digit)] ?? "")} here\n`,
    );
    process.exitCode = 2;
  },
  "is away for a while"() {
    const away = `${plan.client}.away`;
    if (existsSync(plan.client)) renameSync(plan.client, away);
    spawn("sh", ["-c", `sleep 2; mv '${away}' '${plan.client}'`], {
      detached: true,
      stdio: "ignore",
    }).unref();
    work();
    done();
  },
  "removes refs"() {
    git("branch", "-D", "kept");
    git("tag", "-d", "v1");
    git("stash", "clear");
    WAYS["well"]?.();
  },
  "leaves secrets, packages and a huge file"() {
    writeFileSync(".env", `SERVICE_KEY=${plan.key}\n`);
    mkdirSync("node_modules/thing", { recursive: true });
    for (let number = 0; number < 40; number++)
      writeFileSync(`node_modules/thing/${number}.js`, `${number}\n`);
    writeFileSync("huge.bin", "");
    truncateSync("huge.bin", 60_000_000);
    WAYS["well"]?.();
  },
  "commits on its own branch, and stays"() {
    git("switch", "-q", "-c", `fix/${task}`);
    work();
    git("add", `src/${task}.txt`);
    git("commit", "-qm", `fix: ${task}`);
    done();
  },
  "commits on its own branch, and goes back"() {
    const before = git("rev-parse", "--abbrev-ref", "HEAD").trim();
    WAYS["commits on its own branch, and stays"]?.();
    git("switch", "-q", before);
  },
  "throws the person's edits away"() {
    git("checkout", "-q", "--", "notes.txt");
    WAYS["well"]?.();
  },
  "edits the backlog"() {
    const backlog = readFileSync("to-do.json", "utf8");
    writeFileSync("to-do.json", backlog.replaceAll('"todo"', '"done"'));
    WAYS["well"]?.();
  },
  "does nothing"() {
    done();
  },
  "is killed at work"() {
    mkdirSync("src", { recursive: true });
    writeFileSync(`src/${task}.txt`, "ha");
    process.kill(process.pid, "SIGKILL");
  },
};

/** The number of this start of the client, from 1: over all its tasks, or those of one. @param {string} of */
function count(of) {
  const file = path.join(path.dirname(planFile), `starts-${of}`);
  appendFileSync(file, ".");
  return existsSync(file) ? readFileSync(file).length : 1;
}

if (KEY !== undefined) process.exitCode = 9;
else if (phase === "review") tell({ status: "reviewed", summary: "Nothing is left.", new_tasks: [] });
else if (voice !== "text" && count("client") >= plan.broken) {
  process.stderr.write("error: unknown option --json\n");
  process.exitCode = 2;
} else (WAYS[plan.ways[task]?.[count(task) - 1] ?? "well"] ?? hang)();
