// Where a scene is played: a project in a temp folder with a home of its own, made once per scene and copied for each point.
// Leaves what must hold there to invariants.ts.
import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Program, type Ran } from "../rig/program.js";
import { PLAN, type Fault, type Plan } from "./fault.js";
import { titleOf, type Scene } from "./scenario.js";
import { NODE_CACHE } from "../rig/node-cache.js";

const run = promisify(execFile);

/** A start took so long: it hangs. Generous, since the machine may be busy. */
const HANGS_AFTER_MS = 120_000;

/** One start and what it came to; `calls`: a line for each call of a port. */
export interface Start extends Ran {
  calls: string[];
}

/** The person's files in the project that no one commits. */
export const PERSONS = {
  "notes.txt": "a thought\nand another\n",
  "half.txt": "1\n2\n3\n",
  "mine.sh": "echo mine\n",
};
export const STAGED = "1\n2\n";
export const PERSONS_STATUS = "MM half.txt\n M notes.txt\n?? mine.sh\n";

/** Runs every file in tests/ and reports it as TAP. */
const CHECKS = `echo "TAP version 14"
for test in tests/*.sh; do
  if sh "$test"; then echo "ok - $test"; else echo "not ok - $test"; fi
done
echo "1..$(ls tests/*.sh | wc -l)"
`;

export class Place {
  static readonly #open = new Set<Place>();

  readonly root: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  readonly scene: Scene;
  /** Absolute path of the folder that build.mjs made. */
  readonly #bins: string;
  #starts = 0;

  private constructor(scene: Scene, bins: string, root: string) {
    this.scene = scene;
    this.#bins = bins;
    this.root = root;
    this.project = this.at("project");
    Place.#open.add(this);
    this.env = {
      PATH: `${this.at("bin")}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.at("home"),
      TMPDIR: this.at("tmp"),
      XDG_CONFIG_HOME: this.at("config"),
      XDG_STATE_HOME: this.at("state"),
      XDG_CACHE_HOME: this.at("cache"),
      XDG_DATA_HOME: this.at("share"),
      GIT_CONFIG_GLOBAL: this.at("gitconfig"),
      GIT_CONFIG_NOSYSTEM: "1",
      LANG: "C.UTF-8",
      TZ: "UTC",
      ...NODE_CACHE,
      // Inherited by all that is started here: how what is left is found.
      TORTURE: root,
    };
  }

  /** A new project of this scene. `bins`: absolute path of the folder that build.mjs made. */
  static async make(scene: Scene, bins: string): Promise<Place> {
    const place = new Place(scene, bins, realpathSync(mkdtempSync(path.join(tmpdir(), "torture-"))));
    for (const name of ["project", "home", "bin", "tmp", "config/looper"])
      mkdirSync(place.at(name), { recursive: true });
    symlinkSync(process.execPath, place.at("bin/node"));
    writeFileSync(place.at("gitconfig"), "[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n");
    writeFileSync(place.at("config/looper/config.json"), JSON.stringify(place.#settings()));
    await place.#writeProject();
    return place;
  }

  /** Another project like this one, which was not touched yet. `prepare` is given its folder before there is anything in it. */
  copy(prepare: (project: string) => void = () => undefined): Place {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "torture-")));
    prepare(path.join(root, "project"));
    cpSync(this.root, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    return new Place(this.scene, this.#bins, root);
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  /** The file into which agents write what they wrote: a token and a path a line. */
  get journal(): string {
    return this.at("journal");
  }

  #settings(): Record<string, unknown> {
    const { tasks, hooks, gate, workflow } = this.scene;
    const behaviours = tasks.map(({ id, behaviour }) => `${id}=${behaviour}`).join(" ");
    // Seen from the project, so that a copy needs no other settings.
    const pause = this.scene.pause === undefined ? [] : [String(this.scene.pause)];
    const args =
      workflow === undefined
        ? [path.join(this.#bins, "agent.sh"), behaviours, "../journal", ...pause]
        : [path.join(this.#bins, "stages.sh")];
    const hook = (name: string) => [`echo ${name} >>../hooks`];
    return {
      schedule: { agent: "fake" },
      // In a namespace nothing would be left for the next start to end.
      agents: { fake: { kind: "command", binary: "/bin/sh", args, prompt_via: "file", contain: "none" } },
      ...(hooks && {
        hooks: { pre_iteration: hook("pre"), post_iteration: hook("post"), on_run_end: hook("end") },
      }),
      ...(gate && { verify: { commands: ["test ! -e broken"] } }),
      ...(workflow !== undefined && { workflow, verify: { commands: ["sh check.sh"], report: "stdout" } }),
    };
  }

  async #writeProject(): Promise<void> {
    const { tasks, tracked, workflow } = this.scene;
    const backlog = {
      schema_version: 1,
      source_files: [],
      tasks: tasks.map(({ id, dependsOn }) => ({
        ...{ id, title: titleOf(id), priority: 3, status: "todo" },
        ...(dependsOn === undefined ? {} : { depends_on: dependsOn }),
      })),
    };
    this.write("to-do.json", `${JSON.stringify(backlog, undefined, 2)}\n`);
    this.write("shared.txt", "shared\n");
    this.write("notes.txt", "a thought\n");
    this.write("half.txt", "1\n");
    for (const { id, behaviour } of tasks) if (behaviour === "removes") this.write(`old-${id}.txt`, "old\n");
    if (workflow !== undefined) {
      this.write("check.sh", CHECKS);
      mkdirSync(path.join(this.project, "tests"));
      this.write("tests/base.sh", "true\n");
    }
    if (!tracked) this.write(".gitignore", "to-do.json*\n");
    await this.git("init", "-q", "--template=");
    await this.git("add", "-A");
    const who = ["-c", "user.name=Person", "-c", "user.email=person@example.org"];
    await this.git(...who, "commit", "-q", "-m", "start");
    this.write("half.txt", STAGED);
    await this.git("add", "half.txt");
    for (const [name, text] of Object.entries(PERSONS)) this.write(name, text);
    chmodSync(path.join(this.project, "mine.sh"), 0o755);
  }

  write(name: string, text: string): void {
    writeFileSync(path.join(this.project, name), text);
  }

  read(name: string): string {
    return readFileSync(path.join(this.project, name), "utf8");
  }

  async git(...args: string[]): Promise<string> {
    const { stdout } = await run("git", args, { cwd: this.project, env: this.env, maxBuffer: 1 << 26 });
    return stdout;
  }

  /** Runs the test bin to its end; with `faults` it is told what is to happen. */
  async start(args: readonly string[], faults: readonly Fault[] = []): Promise<Start> {
    const { program, trace } = this.begin(args, faults, HANGS_AFTER_MS);
    const ran = await program.ended;
    const calls = existsSync(trace) ? readFileSync(trace, "utf8").split("\n").slice(0, -1) : [];
    return { ...ran, calls };
  }

  /** Starts the test bin and does not wait, for use beside other processes; `trace`: the file its calls are written to. */
  begin(
    args: readonly string[],
    faults: readonly Fault[] = [],
    hangsAfterMs = 10 * HANGS_AFTER_MS,
  ): { program: Program; trace: string } {
    const trace = this.at(`calls-${++this.#starts}`);
    const plan: Plan = { faults: [...faults], trace };
    const program = new Program(args, {
      cwd: this.project,
      env: { ...this.env, [PLAN]: JSON.stringify(plan) },
      bin: path.join(this.#bins, "looper.js"),
      hangsAfterMs,
    });
    return { program, trace };
  }

  /** Processes that were started here and still live, as `pid command`. */
  leftovers(): string[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
          if (!environment.includes(`TORTURE=${this.root}`)) return [];
          return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`];
        } catch {
          return []; // gone meanwhile, or another user's
        }
      });
  }

  /** Ends what still runs, and removes the folder unless it is to be looked at. */
  dispose(keep = false): void {
    for (const line of this.leftovers()) process.kill(Number.parseInt(line), "SIGKILL");
    if (!keep) rmSync(this.root, { recursive: true, force: true });
    Place.#open.delete(this);
  }

  /** Every place there is, but those that are kept to be looked at: the torture ends. */
  static disposeAll(): void {
    for (const place of Place.#open) place.dispose();
  }
}
