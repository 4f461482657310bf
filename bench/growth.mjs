// Whether a long run becomes slower or larger: the last thousand iterations against the first thousand, of one run over ten
// thousand tasks; and of one with git over two thousand, its last two hundred. The backlog has as many bytes at the end as at the beginning.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { idleAgent, projectOf, settingsFor } from "./iteration.mjs";
import { LOOPER, atMost, homeIn, median, scratch } from "./measure.mjs";

const LOOK_MS = 100;
const MOST = 1.2;

const CAUSE =
  "Node's fork copies the page tables of the whole process, twice an iteration: here 1 ms for 48 MB, 10 to 15 ms for 200 MB, 15 to 17 ms for 240 MB. " +
  "A pass over all tasks takes longer in an old heap, where they are scattered: by a CPU profile of the whole run, such passes took 20 ms more an iteration at its end. " +
  "Done already: maps that share unchanged parts, the backlog's text in one buffer, a stored position for each task, no pass over finished attempts.";

const CAUSE_RSS =
  "10,000 finished attempts keep 9 MB alive, 0.9 kB each (a heap snapshot after 160 and one after 1,360). V8 lets its heap grow with the live data, " +
  "and freed memory leaves it fragmented: 117 MB after 1,500 iterations, 156 at the end, half of it in use.";

/** The memory of a process in MiB, without its children; undefined once it is gone. @param {number} pid */
function memoryOf(pid) {
  try {
    const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"));
    return found?.[1] === undefined ? undefined : Number(found[1]) / 1024;
  } catch {
    return undefined;
  }
}

/**
 * Runs it to its end; what it took at each look, in MiB, with the time of the look.
 * @param {string} cwd @param {string} home @returns {Promise<{ at: number, mib: number }[]>}
 */
function run(cwd, home) {
  return new Promise((resolve, reject) => {
    /** @type {{ at: number, mib: number }[]} */
    const looks = [];
    const env = { PATH: process.env["PATH"] ?? "", HOME: home };
    const child = spawn(process.execPath, [LOOPER, "run", "--agent", "sh", "--quiet"], {
      cwd,
      env,
      stdio: "ignore",
    });
    const timer = setInterval(() => {
      const mib = child.pid === undefined ? undefined : memoryOf(child.pid);
      if (mib !== undefined) looks.push({ at: Date.now(), mib });
    }, LOOK_MS);
    child.once("exit", (code) => {
      clearInterval(timer);
      if (code === 0) resolve(looks);
      else reject(new Error(`the run ended with ${String(code)}`));
    });
  });
}

/** When each iteration ended, epoch ms, as the log says. @param {string} cwd */
function endsOf(cwd) {
  const runs = path.join(cwd, "looper-logs", "runs");
  const [name = ""] = readdirSync(runs);
  const text = readFileSync(path.join(runs, name, "events.jsonl"), "utf8");
  return [...text.matchAll(/^\{"seq":\d+,"timestamp":"([^"]+)","type":"committed"/gm)].map(([, at = ""]) =>
    Date.parse(at),
  );
}

/** @param {string} name @param {{ tasks: number, part: number, git: boolean }} size @param {string} root @param {string} home */
async function measure(name, { tasks, part, git }, root, home) {
  const cwd = projectOf(path.join(root, "project"), tasks, git);
  const looks = await run(cwd, home);
  const ends = endsOf(cwd);
  const took = ends.slice(1).map((end, at) => end - (ends[at] ?? 0));
  /** @param {number} from @param {number} to */
  const mibBetween = (from, to) =>
    median(looks.filter(({ at }) => at >= (ends[from] ?? 0) && at <= (ends[to] ?? 0)).map(({ mib }) => mib));
  rmSync(cwd, { recursive: true });
  const against = `its first ${part.toLocaleString("en")}`;
  const time = atMost({
    what: `time of an iteration, the last ${String(part)} of ${name}`,
    against,
    most: MOST,
    ours: median(took.slice(-part)),
    theirs: median(took.slice(0, part)),
    unit: "ms, median",
  });
  const rss = atMost({
    what: `RSS over the last ${String(part)} of them`,
    against: `over the ${String(part)} before its iteration ${String(2 * part)}`,
    most: MOST,
    ours: mibBetween(tasks - part, tasks - 1),
    theirs: mibBetween(part, 2 * part),
    unit: "MiB, median",
  });
  return [time.holds ? time : { ...time, cause: CAUSE }, rss.holds ? rss : { ...rss, cause: CAUSE_RSS }];
}

export async function rows() {
  const root = scratch("growth");
  const home = homeIn(root, settingsFor(idleAgent(root)));
  const [many, few] = (process.env["BENCH_GROWTH"] ?? "10000 2000").split(" ").map(Number);
  const plain = { tasks: many ?? 10_000, part: (many ?? 10_000) / 10, git: false };
  const git = { tasks: few ?? 2000, part: (few ?? 2000) / 10, git: true };
  return [
    ...(await measure(`${String(plain.tasks)} in one run`, plain, root, home)),
    ...(await measure(`${String(git.tasks)} with git`, git, root, home)),
  ];
}
