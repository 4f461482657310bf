// SIGKILL at any moment, again and again: nothing is lost, nothing is done twice, nothing stays behind. Only in make proof: the
// points of torture.story.test.ts are the sample.
// The moment is a line the program printed or a call of git it made, never a time. LOOPER_KILLS: how often (40 without it).
import { execFileSync } from "node:child_process";
import { type FSWatcher, watch, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { checkBacklog } from "../../src/todo/check/check.js";
import { Backlog } from "../../src/todo/model/task.js";
import { exhaustively } from "../rig/exhaustive.js";
import { seeded } from "../rig/chance.js";
import type { Program } from "../rig/program.js";
import { type Rig, story } from "../rig/rig.js";

const KILLS = Number(process.env["LOOPER_KILLS"] ?? "40");
const SEED = Number(process.env["LOOPER_KILLS_SEED"] ?? "1");

type Target = "alone" | "group";

/** The nth call of git whose words hold `call`: before git does it, after it did, or instead of it. */
interface Call {
  call: string;
  nth: number;
  when: "before" | "after" | "instead";
}

/** A moment: the nth line of the log, or a call of git. */
type Moment = { line: number } | Call;

const REAL_GIT = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

/**
 * Counts the calls of git and kills looper before, instead of or after one of them. Killed before it, git itself still runs.
 * The variables do not begin with GIT_, because looper passes those to no process.
 */
const GIT = `#!/bin/sh
end() { if [ "$KILL_TARGET" = group ]; then kill -9 "-$PPID"; else kill -9 "$PPID"; fi; }
due=no
case " $* " in
*"\${KILL_CALL:-no call}"*) echo >>"$KILL_COUNT"; [ "$(wc -l <"$KILL_COUNT")" -eq "$KILL_NTH" ] && due=$KILL_WHEN ;;
esac
[ $due = before ] && end
[ $due = instead ] && end && exit 1
"${REAL_GIT}" "$@"
code=$?
[ $due = after ] && end
exit $code
`;

class Stage {
  readonly rig: Rig;
  readonly ids: readonly string[];
  readonly #env: Record<string, string>;
  /** Every problem found in the file, whenever it was read. */
  readonly wrong: string[] = [];
  looks = 0;
  #starts = 0;
  readonly #watcher: FSWatcher;

  constructor(rig: Rig, tasks: number) {
    this.rig = rig;
    this.ids = Array.from({ length: tasks }, (_, i) => `T${i + 1}`);
    rig.writeBacklog(this.ids.map((id) => ({ id })));
    rig.gitInit();
    writeFileSync(path.join(rig.root, "bin/git"), GIT, { mode: 0o755 });
    // Each attempt leaves a process in a session of its own, deaf to all but SIGKILL.
    const deaf = `setsid sh -c 'trap "" TERM INT HUP; sleep 1000 & wait; wait' </dev/null >/dev/null 2>&1 &`;
    const work = (id: string) => [
      { shell: [deaf], files: { [`${id}.txt`]: `${id}\n` }, summary: { status: "done" } },
    ];
    this.#env = rig.clis({ tasks: Object.fromEntries(this.ids.map((id) => [id, work(id)])) });
    this.#watcher = watch(rig.project, (_, name) => {
      if (name === "to-do.json") this.look();
    });
  }

  close(): void {
    this.#watcher.close();
  }

  look(): void {
    this.looks++;
    const checked = checkBacklog(Buffer.from(this.rig.read("to-do.json")));
    if (checked.kind !== "ok") this.wrong.push(this.rig.read("to-do.json"));
  }

  start(moment?: Moment, target: Target = "alone"): Program {
    const asked = moment === undefined || "line" in moment ? { call: "", nth: 0, when: "" } : moment;
    return this.rig.start(["run", "--json", "--max-iterations", "500"], {
      env: {
        ...this.#env,
        // In a namespace, where there can be one, and not: then the next start has processes to end.
        LOOPER_AGENTS_CLAUDE_CONTAIN: this.#starts % 2 === 0 ? "none" : "auto",
        KILL_CALL: asked.call,
        KILL_NTH: String(asked.nth),
        KILL_WHEN: asked.when,
        KILL_TARGET: target,
        KILL_COUNT: path.join(this.rig.root, `calls-${++this.#starts}`),
      },
    });
  }

  /** Starts the run and kills it; says whether it lived to see the moment. What the last one left must be gone by then. */
  async kill(moment: Moment, target: Target): Promise<boolean> {
    const left = this.rig.leftovers();
    const program = this.start(moment, target);
    if ("line" in moment) {
      await program.says(new RegExp(`(?:.*\n){${moment.line}}`));
      await program.kill(target);
    }
    const { signal, stdout, stderr } = await program.ended;
    expect(stderr.replace(/^looper: .*takes over.*$/m, "")).not.toMatch(/bug|Error/);
    if (stdout.includes('"type":"recovered"')) {
      const still = new Set(this.rig.leftovers());
      expect(left.filter((line) => still.has(line))).toEqual([]);
    }
    this.look();
    return signal === "SIGKILL";
  }

  /** Completes the work in a run that is not killed; then everything must be as if no run had been killed. */
  async finish(): Promise<void> {
    const { code, stderr } = await this.start().ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { rig, ids } = this;
    this.look();
    expect(this.wrong).toEqual([]);
    expect(rig.statuses()).toEqual(Object.fromEntries(ids.map((id) => [id, "done"])));
    expect(rig.commitsByTask()).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
    // Each commit holds its own task's work and the backlog in which it is done, and nothing else's.
    for (const id of ids) {
      const commit = rig.git("log", "--format=%H", `--grep=^Looper-Task: ${id}$`).trim();
      const names = rig.git("show", "--format=", "--name-only", commit).trim().split("\n").sort();
      expect({ id, names }).toEqual({ id, names: [`${id}.txt`, "to-do.json"] });
      const { tasks } = Backlog.parse(JSON.parse(rig.git("show", `${commit}:to-do.json`)));
      expect(tasks.find((task) => task.id === id)).toMatchObject({ id, status: "done" });
    }
    expect(rig.unfinished()).toBe("");
    expect(rig.git("status", "--porcelain")).toBe("");
    expect(rig.git("fsck", "--no-dangling", "--connectivity-only")).toBe("");
  }
}

function staged(tasks: number, body: (stage: Stage) => Promise<void>): () => Promise<void> {
  return story(async (rig) => {
    const stage = new Stage(rig, tasks);
    try {
      await body(stage);
    } finally {
      stage.close();
    }
  });
}

/** The state a kill must leave: a task's status, whether an unfinished commit is kept, how many commits the task has. */
type Left = [id: string, status: string, pending: "pending" | "none", commits: number];

/** Every place where the commit protocol can be cut, on the way there and on the way back. Each follows from what the last left. */
const CUTS: [cut: Call, left: Left][] = [
  // The checkpoint of T1, what each run keeps of its start, then the commit: first it is built …
  [{ call: " fast-import ", nth: 1, when: "instead" }, ["T1", "doing", "none", 0]],
  [{ call: " fast-import ", nth: 1, when: "after" }, ["T1", "doing", "none", 0]],
  [{ call: " fast-import ", nth: 1, when: "after" }, ["T1", "doing", "none", 0]],
  [{ call: " fast-import ", nth: 2, when: "instead" }, ["T1", "doing", "none", 0]],
  [{ call: " fast-import ", nth: 2, when: "after" }, ["T1", "doing", "pending", 0]],
  // … then, in the next run, the backlog is written, the index made ready, and HEAD moved.
  [{ call: " update-index ", nth: 1, when: "instead" }, ["T1", "done", "pending", 0]],
  [{ call: " update-index ", nth: 1, when: "after" }, ["T1", "done", "pending", 0]],
  [{ call: " update-ref ", nth: 1, when: "instead" }, ["T1", "done", "pending", 0]],
  [{ call: " update-ref ", nth: 1, when: "after" }, ["T1", "done", "none", 1]],
  // The same in the run that did the work.
  [{ call: " update-index ", nth: 1, when: "instead" }, ["T2", "done", "pending", 0]],
  [{ call: " update-ref ", nth: 1, when: "after" }, ["T2", "done", "none", 1]],
  [{ call: " update-ref ", nth: 1, when: "instead" }, ["T3", "done", "pending", 0]],
  [{ call: " update-index ", nth: 2, when: "after" }, ["T4", "done", "pending", 0]],
  [{ call: " update-ref ", nth: 2, when: "after" }, ["T5", "done", "none", 1]],
  // And the commit at the end of the run, of the backlog alone.
  [{ call: " looper: looper: complete ", nth: 1, when: "instead" }, ["T6", "done", "pending", 1]],
  [{ call: " looper: looper: complete ", nth: 1, when: "after" }, ["T6", "done", "none", 1]],
];

exhaustively(
  "killed between pending, backlog and HEAD, each task has exactly one commit",
  staged(6, async (stage) => {
    for (const [index, [cut, left]] of CUTS.entries()) {
      const killed = await stage.kill(cut, index % 2 === 0 ? "alone" : "group");
      const { rig } = stage;
      const pending = rig.git("for-each-ref", "refs/looper/pending") === "" ? "none" : "pending";
      const [id] = left;
      const found = [id, rig.statuses()[id], pending, rig.commitsByTask()[id] ?? 0];
      expect({ index, cut, killed, left: found }).toEqual({ index, cut, killed: true, left });
    }
    await stage.finish();
    expect(stage.looks).toBeGreaterThan(CUTS.length * 2);
  }),
);

exhaustively(
  `killed ${KILLS} times in a row at any moment, alone and with its group, it resumes where it was`,
  { timeout: 900_000 + KILLS * 60_000 },
  staged(KILLS * 2, async (stage) => {
    const chance = seeded(SEED);
    const upTo = (most: number) => 1 + Math.floor(chance() * most);
    for (let kills = 0; kills < KILLS; kills++) {
      const when = chance() < 0.5 ? "before" : "after";
      const moment = chance() < 0.5 ? { line: upTo(55) } : ({ call: " ", nth: upTo(26), when } as const);
      expect({
        kills,
        moment,
        killed: await stage.kill(moment, kills % 2 === 0 ? "alone" : "group"),
      }).toEqual({
        kills,
        moment,
        killed: true,
      });
    }
    await stage.finish();
  }),
);
