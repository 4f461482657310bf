// For the tests of the cold room: a small project in a repository, an attempt at it, and the cold gate's verdict.
// The git floor's scratch.ts makes the repository, and the tests define the attempt.
import { dirname, join } from "node:path";
import { checkpoint } from "../../git/checkpoint/checkpoint.js";
import { test as base, type Scratch } from "../../git/testing/scratch.js";
import { snapshot } from "../../git/attempt/snapshot.js";
import { runColdGate } from "../rooms/judge-work.js";
import type { JudgedWork } from "../rooms/judge-work.js";
import { measureColdBaseline } from "../rooms/room-orders.js";
import type { ColdOrder } from "../rooms/cold-pass.js";
import { referenceAt } from "../influence/reference.js";
import { openColdPlaces, type ColdPlaces } from "../rooms/cold-room.js";
import type { Baseline } from "../verdict.js";

/** A file's text; with the mode of a program; a symlink; `null`: removed. */
export type Content = string | { program: string } | { link: string } | null;
export type ProjectTree = Readonly<Record<string, Content>>;

/** The settings of the gate; `folder`: the project and the working directory, from the top. */
export interface Verify {
  commands?: string[];
  own?: string[];
  reports?: string[];
  strict?: boolean;
  protected?: string[];
  source?: string[];
  allowed?: string[];
  setup?: string[];
  folder?: string;
  env?: Record<string, string>;
  home?: "user" | "room";
  stop?: AbortSignal;
  /** Whether the project's commands run on the base first; otherwise every failure counts as new. */
  measured?: boolean;
  /** Whether a new run begins; otherwise the previous run continues. */
  newRun?: boolean;
}

export interface Cold {
  scratch: Scratch;
  /** Writes files into the project and creates their folders. */
  write: (tree: ProjectTree) => Promise<void>;
  places: (verify?: Verify) => Promise<ColdPlaces>;
  /** Commits `project` as the base, makes the `attempt`, and runs the gate on it. */
  judge: (
    project: ProjectTree,
    attempt: ProjectTree | (() => Promise<void>),
    verify: Verify,
  ) => Promise<JudgedWork>;
}

export const NEVER = new AbortController().signal;

export const test = base.extend<{ cold: Cold }>({
  cold: async ({ scratch }, use) => {
    const rooms = join(dirname(scratch.top), "tmp");
    await scratch.ports.files.makeFolder(rooms);
    scratch.env.TMPDIR = rooms;
    const write = (tree: ProjectTree): Promise<void> => writeTree(scratch, tree);
    let run: ColdPlaces | undefined;
    const places = async (verify: Verify = {}): Promise<ColdPlaces> => {
      const opened = await openPlaces(scratch, verify);
      run = verify.newRun === true || run === undefined ? opened : { ...opened, cache: run.cache };
      return run;
    };
    await use({
      scratch,
      write,
      places,
      judge: async (project, attempt, verify) => {
        await write(project);
        await scratch.git("add", "-A");
        await scratch.git("commit", "--allow-empty", "-qm", "the project");
        const open = await places(verify);
        const { repo } = open.rooms;
        const before = await checkpoint(repo, { id: "T1", run: "run-1", reuse: false });
        const baseline = verify.measured === true ? await measure(open, before.base, verify) : undefined;
        if (typeof attempt === "function") await attempt();
        else await write(attempt);
        const order = { checkpoint: before, run: "run-1", label: "T1-1", policy: "runner" as const };
        const { changes } = await snapshot(repo, order);
        return await runColdGate(
          open,
          { ...orderOf(verify), base: before.base, reference: referenceAt(before.base), changes, baseline },
          verify.stop ?? NEVER,
        );
      },
    });
  },
});

async function openPlaces(
  scratch: Scratch,
  { folder = ".", setup = [], env, home = "user", protected: patterns = [], source = [] }: Verify,
): Promise<ColdPlaces> {
  const at = join(scratch.top, folder);
  const repo = await scratch.open();
  return await openColdPlaces(repo, {
    projectDir: at,
    workDir: at,
    env: { ...scratch.env, ...env },
    redact: (text) => text,
    protected: patterns,
    source,
    setup,
    setupTimeoutMs: 60_000,
    home,
  });
}

function orderOf(verify: Verify): Omit<ColdOrder, "base" | "reference" | "changes" | "baseline"> {
  const { commands = [], own = [], reports = [] } = verify;
  return {
    plan: { commands, own, timeoutMs: 60_000, reports },
    strict: verify.strict ?? false,
    allowed: verify.allowed ?? [],
  };
}

async function measure(places: ColdPlaces, base: string, verify: Verify): Promise<Baseline | undefined> {
  const measured = await measureColdBaseline(
    places,
    { ...orderOf(verify), reference: referenceAt(base) },
    NEVER,
  );
  return measured.how === "done" ? measured.value : undefined;
}

async function writeTree({ ports: { files }, top }: Scratch, tree: ProjectTree): Promise<void> {
  for (const [path, content] of Object.entries(tree)) {
    const at = join(top, path);
    await files.removeTree(at);
    if (content === null) continue;
    await files.makeFolder(dirname(at));
    if (typeof content === "string") await files.writeNew(at, content);
    else if ("link" in content) await files.symlink(content.link, at);
    else await files.writeNew(at, content.program, { mode: 0o755 });
  }
}
