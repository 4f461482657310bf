// The stage of a story: a project in a temp folder with a home of its own, the real program, agents that obey the test.
// At the end nothing the story started may be left, and every run it logged is replayed.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { z } from "zod";
import { readLines } from "../../src/logging/read.js";
import { replayRun } from "../../src/loop/replay/replay.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import { Backlog } from "../../src/todo/model/task.js";
import type { Script } from "../fakes/play.mjs";
import { replayInPlace, type ReplayedRun } from "../replay/replay-in-place.js";
import { Program, type Ran } from "./program.js";
import { Puppet } from "./puppet.js";
import { NODE_CACHE } from "./node-cache.js";

const FAKES = fileURLToPath(new URL("../fakes", import.meta.url));
const AGENT = path.join(FAKES, "socket-agent.mjs");

const Line = z.looseObject({ type: z.string(), seq: z.int(), timestamp: z.string() });

/** A line of a run's log. */
export type Line = z.infer<typeof Line>;

export interface RunOptions {
  /** Added to the story's own environment. */
  env?: Record<string, string>;
  input?: string | Buffer;
  /** Relative to the project. */
  cwd?: string;
}

/** A task as a test writes it: what is left out gets a plain value. */
export type TaskDraft = { id: string } & Record<string, unknown>;

export class Rig {
  /** Holds everything of the story. */
  readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "story-")));
  readonly project = path.join(this.root, "project");
  readonly env: Readonly<Record<string, string>>;
  /** Whether its runs are replayed with their trees: the same commits and task files must come out. */
  trees = false;
  readonly #programs: Program[] = [];
  readonly #puppets: Puppet[] = [];

  constructor() {
    const at = (name: string) => path.join(this.root, name);
    for (const name of ["project", "home", "bin", "tmp", "config/looper"])
      mkdirSync(at(name), { recursive: true });
    symlinkSync(process.execPath, at("bin/node"));
    writeFileSync(at("gitconfig"), "[init]\n\tdefaultBranch = main\n");
    this.env = {
      PATH: `${at("bin")}:/usr/local/bin:/usr/bin:/bin`,
      HOME: at("home"),
      TMPDIR: at("tmp"),
      XDG_CONFIG_HOME: at("config"),
      XDG_STATE_HOME: at("state"),
      XDG_CACHE_HOME: at("cache"),
      XDG_DATA_HOME: at("share"),
      GIT_CONFIG_GLOBAL: at("gitconfig"),
      GIT_CONFIG_NOSYSTEM: "1",
      LANG: "C.UTF-8",
      TZ: "UTC",
      ...NODE_CACHE,
      // Inherited by all that the story starts: how what is left is found.
      STORY: this.root,
    };
  }

  /** Starts the program, and does not wait for it. */
  start(args: readonly string[], { env = {}, input, cwd = "." }: RunOptions = {}): Program {
    const program = new Program(args, {
      cwd: path.join(this.project, cwd),
      env: { ...this.env, ...env },
      ...(input === undefined ? {} : { input }),
    });
    this.#programs.push(program);
    return program;
  }

  /** Runs the program to its end. */
  run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.start(args, options).ended;
  }

  /** Writes a file of the project. */
  write(name: string, text: string | Buffer): void {
    const file = path.join(this.project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  read(name: string): string {
    return this.readBytes(name).toString("utf8");
  }

  readBytes(name: string): Buffer {
    return readFileSync(path.join(this.project, name));
  }

  writeBacklog(tasks: readonly TaskDraft[], rest: Record<string, unknown> = {}): void {
    const whole = tasks.map((task) => ({ title: `Do ${task.id}`, priority: 3, status: "todo", ...task }));
    const backlog = { schema_version: 1, ...rest, source_files: [], tasks: whole };
    this.write("to-do.json", `${JSON.stringify(backlog, undefined, 2)}\n`);
  }

  /** The backlog as it is now; throws when it is not valid. */
  readBacklog(): Backlog {
    return Backlog.parse(JSON.parse(this.read("to-do.json")));
  }

  /** Each task's status, the completion marker left out. */
  statuses(): Record<string, string> {
    const tasks = this.readBacklog().tasks.filter(({ tags }) => tags?.includes("project-done") !== true);
    return Object.fromEntries(tasks.map(({ id, status }) => [id, status]));
  }

  /** Settings of the user, who is trusted: the project's own file is `.looper/config.json`. */
  settings(settings: Record<string, unknown>): void {
    writeFileSync(path.join(this.root, "config/looper/config.json"), JSON.stringify(settings));
  }

  /** Makes `fake` the agent of every phase, played by the test. Further settings are added to it. */
  agent(settings: Record<string, unknown> = {}, more: Record<string, unknown> = {}): Promise<Puppet> {
    return this.agents({ fake: settings }, more);
  }

  /** Agents of these names and further settings, all played by one puppet; the first is the agent of every phase. */
  async agents(
    byName: Record<string, Record<string, unknown>>,
    more: Record<string, unknown> = {},
  ): Promise<Puppet> {
    const puppet = await this.#puppet();
    const agents = Object.entries(byName).map(([name, settings]) => {
      const args = [AGENT, puppet.socket, name];
      return [name, { kind: "command", binary: process.execPath, args, ...settings }] as const;
    });
    const schedule = { agent: Object.keys(byName)[0] };
    this.settings({ schedule, ...more, agents: Object.fromEntries(agents) });
    return puppet;
  }

  /** Puts programs of these names on PATH, all played by one puppet. */
  async agentsOnPath(...names: string[]): Promise<Puppet> {
    const puppet = await this.#puppet();
    for (const name of names) {
      const script = `#!/bin/sh\nexec "${process.execPath}" "${AGENT}" "${puppet.socket}" ${name} "$@"\n`;
      writeFileSync(path.join(this.root, "bin", name), script, { mode: 0o755 });
    }
    return puppet;
  }

  /**
   * Puts the stand-ins for codex and claude on PATH: they print what the real ones do, and play the script, or do each
   * task in their own simple way. Returns what to add to the environment of a run.
   */
  clis(script: Script = {}): Record<string, string> {
    for (const name of ["codex", "claude"])
      symlinkSync(path.join(FAKES, name), path.join(this.root, "bin", name));
    const file = path.join(this.root, "script.json");
    writeFileSync(file, JSON.stringify(script));
    return { FAKE_AGENT_SCRIPT: file };
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.project, env: this.env, encoding: "utf8", stdio: "pipe" });
  }

  /** Makes the project a repository with all it holds in one commit. */
  gitInit(): void {
    this.git("init", "-q");
    this.git("add", "-A");
    this.git(
      "-c",
      "user.name=Person",
      "-c",
      "user.email=person@example.org",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "start",
    );
  }

  /** Refs of work that was begun and not ended, or put aside: empty after a run that went well. Refs that replays need are left out. */
  unfinished(): string {
    const folders = ["checkpoint", "pending", "rescue"].map((name) => `refs/looper/${name}`);
    return this.git("for-each-ref", ...folders);
  }

  /** How many commits carry each task's trailer. */
  commitsByTask(): Record<string, number> {
    const ids = this.git("log", "--format=%(trailers:key=Looper-Task,valueonly,separator=%x2C)").split(
      /[\n,]+/,
    );
    const counts: Record<string, number> = {};
    for (const id of ids.filter((entry) => entry !== "")) counts[id] = (counts[id] ?? 0) + 1;
    return counts;
  }

  /** Run ids, oldest first. */
  runs(): string[] {
    try {
      return readdirSync(path.join(this.project, "looper-logs/runs")).sort();
    } catch {
      return [];
    }
  }

  /** The lines of a run's log, the newest run's if not told; a torn last line is left out. */
  events(run = this.runs().at(-1) ?? ""): Line[] {
    const lines = this.read(`looper-logs/runs/${run}/events.jsonl`).split("\n").slice(0, -1);
    return lines.map((line) => Line.parse(JSON.parse(line)));
  }

  /** Processes the story started that still live, as `pid command`: by what they inherited, or by their working directory. */
  leftovers(): string[] {
    if (!existsSync("/proc")) return [];
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
          const inside = `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${this.root}/`);
          if (!inside && !environment.includes(`STORY=${this.root}`)) return [];
          return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`];
        } catch {
          return []; // gone meanwhile, or another user's
        }
      });
  }

  /**
   * Replays every run and throws at the first that differs. It replays in this process, because starting the program takes longer
   * than replaying. With `trees`, and for the counts of `make replays`, with its tree.
   */
  async replayAll(): Promise<void> {
    const counts = process.env["REPLAYS"];
    for (const run of this.runs()) {
      if (this.trees) await this.#replayWithTree(run);
      else await this.#replayHere(run);
      if (counts !== undefined) appendFileSync(counts, `${JSON.stringify(await this.#replayTree(run))}\n`);
    }
  }

  async #replayHere(run: string): Promise<void> {
    const ports = nodePorts();
    const folder = path.join(this.project, "looper-logs/runs", run);
    if ((await readLines(ports, folder).next()).done === true)
      throw new Error(`replay ${run}: its log has no lines`);
    const replayed = await replayRun(ports, folder);
    if ("difference" in replayed)
      throw new Error(`replay ${run}: line ${replayed.seq} differs\n${replayed.difference}`);
  }

  async #replayWithTree(run: string): Promise<void> {
    const replayed = await this.replayTree({ run });
    if (!replayed.same) throw new Error(`replay ${run}: ${JSON.stringify(replayed)}`);
  }

  /** Replays the newest run, or the named one, with its tree. */
  replayTree(order: { run?: string; gate?: boolean } = {}): Promise<ReplayedRun> {
    return replayInPlace(this, order);
  }

  /** The result of a replay with the tree, or the reason there is none. */
  async #replayTree(run: string): Promise<unknown> {
    const story = expect.getState().currentTestName;
    const answer = await this.replayTree({ run }).catch((error: unknown) => ({ refused: String(error) }));
    return { story, answer };
  }

  /** Ends what still runs and removes the folder; returns what went wrong behind the test's back. */
  async dispose(): Promise<unknown[]> {
    for (const program of this.#programs) await program.kill("group");
    for (const puppet of this.#puppets) await puppet.close();
    for (const line of this.leftovers()) process.kill(Number.parseInt(line), "SIGKILL");
    rmSync(this.root, { recursive: true, force: true });
    return this.#puppets.flatMap((puppet) => puppet.failures);
  }

  async #puppet(): Promise<Puppet> {
    const puppet = await Puppet.listen(path.join(this.root, `agent-${this.#puppets.length}.sock`));
    this.#puppets.push(puppet);
    return puppet;
  }
}

/** The body of a test that is a story. At its end nothing it started may be left, and every run it logged must replay. */
export function story(body: (rig: Rig) => Promise<void>): () => Promise<void> {
  return async () => {
    const rig = new Rig();
    const failures: unknown[] = [];
    try {
      await body(rig);
      const left = rig.leftovers();
      if (left.length > 0) throw new Error(`left behind:\n${left.join("\n")}`);
      await rig.replayAll();
    } catch (error) {
      failures.push(error);
    }
    failures.push(...(await rig.dispose()));
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join("\n"));
    if (failures.length === 1) throw failures[0];
  };
}
