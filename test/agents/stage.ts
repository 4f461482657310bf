// One case with one client: a project in a temp folder, the model server, looper itself; and what came of it.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ModelServer } from "../model-server/model-server.js";
import { Program } from "../rig/program.js";
import { Rig } from "../rig/rig.js";
import type { Case, Scene } from "./case.js";
import type { Cli } from "./clis.js";

/** A client, where it lies, and which version it says it is. */
export interface Ready {
  cli: Cli;
  binary: string;
  version: string;
}

export interface Outcome {
  /** The run's ending, and the reasons of its failed attempts. */
  outcome: string;
  /** Checks that failed, in sentences. */
  problems: string[];
  /** The reasons of failed attempts. */
  evidence: string[];
  /** The client's output, start by start, with `$ROOT` for its folder and `$SERVER` for the server. */
  streams: string[][];
  seconds: number;
}

/** The longest a case may take; looper is then ended. */
const HANGS_AFTER_MS = 180_000;

export async function play(one: Case, cast: readonly [Ready, ...Ready[]]): Promise<Outcome> {
  const rig = new Rig();
  const { scenario } = one;
  const told = typeof scenario === "function" ? scenario(cast[0].cli.name) : scenario;
  const server = await ModelServer.start(told ?? { sessions: [] });
  const { origin } = server;
  if (told === undefined) await server.close();
  const began = performance.now();
  try {
    const wired = cast.map(({ cli }) => cli.wire({ home: rig.env["HOME"] ?? "", origin }));
    const env = Object.assign({ ...rig.env }, ...wired) as Record<string, string>;
    settle(rig, one, cast);
    const words = ["run", "--no-review", "--max-attempts", "1", ...(one.args ?? [])];
    const options = { cwd: rig.project, env, hangsAfterMs: HANGS_AFTER_MS };
    const start = () => new Program(words, options);
    const scene: Scene = { rig, server, agent: cast[0].cli.name, start };
    const program = start();
    const troubles = await Promise.all([
      complaints(one.meanwhile?.(program, scene)),
      program.ended.then(() => []),
    ]);
    const seconds = (performance.now() - began) / 1000;
    const { outcome, evidence, problems } = read(rig, one, scene);
    const replayed = await complaints(rig.replayAll());
    return {
      outcome,
      evidence,
      problems: [...troubles.flat(), ...problems, ...replayed],
      streams: streamsOf(rig, origin),
      seconds,
    };
  } finally {
    await rig.dispose();
    if (told !== undefined) await server.close();
  }
}

function inOneLine(error: unknown): string {
  return String(error).replaceAll(/\s+/g, " ").slice(0, 500);
}

/** The failure, in one line. */
async function complaints(work: Promise<void> | undefined): Promise<string[]> {
  try {
    await work;
    return [];
  } catch (error) {
    return [inOneLine(error)];
  }
}

function settle(
  rig: Rig,
  { agent, settings, tasks = [{ id: "T1" }] }: Case,
  cast: readonly [Ready, ...Ready[]],
): void {
  const agents = cast.map(({ cli, binary }) => {
    return [cli.name, { timeout: "60s", ...cli.settings, ...agent?.(cli.name), binary }] as const;
  });
  const schedule = { agent: cast[0].cli.name };
  rig.settings({ schedule, agents: Object.fromEntries(agents), ...settings });
  rig.writeBacklog(tasks);
  rig.gitInit();
}

function read(rig: Rig, one: Case, scene: Scene): Pick<Outcome, "outcome" | "problems" | "evidence"> {
  const events = rig.events();
  const ended = events.find(({ type }) => type === "run_ended");
  const failed = events.filter(({ type, outcome }) => type === "agent_finished" && outcome === "failed");
  const reasons = [...new Set(failed.map(({ reason }) => String(reason)))];
  const lost = events.filter(({ type }) => type === "attempt_failed").map(({ reason }) => String(reason));
  const all = [...new Set([...reasons, ...lost])];
  const ending = ended === undefined ? "no end" : String(ended["ending"]);
  const left = rig.leftovers();
  return {
    outcome: all.length === 0 ? ending : `${ending}: ${all.join(", ")}`,
    evidence: failed.map(({ evidence }) => String(evidence)),
    problems: [...checked(one, scene), ...left.map((line) => `left behind: ${line}`), ...unknowns(events)],
  };
}

/** A check that reads a file which is not there fails like any other. */
function checked(one: Case, scene: Scene): string[] {
  try {
    return one.check?.(scene) ?? [];
  } catch (error) {
    return [inOneLine(error)];
  }
}

/** Where looper ended it for its output, the last line was cut off. */
function unknowns(events: ReturnType<Rig["events"]>): string[] {
  return events.flatMap(({ unknown_events, reason }) =>
    typeof unknown_events === "number" && unknown_events > 0 && reason !== "output"
      ? [`${unknown_events} lines were not understood`]
      : [],
  );
}

function streamsOf(rig: Rig, origin: string): string[][] {
  const { host } = new URL(origin);
  // As claude spells a folder in its own folder's names.
  const dashed = rig.root.replaceAll("/", "-");
  return rig.runs().flatMap((run) => {
    const folder = path.join(rig.project, "looper-logs/runs", run);
    const steps = readdirSync(folder).filter((name) => /^\d{3}-/.test(name));
    return steps.sort().map((step) => {
      const lines = readFileSync(path.join(folder, step, "output.jsonl"), "utf8").split("\n");
      return lines
        .filter((line) => line !== "")
        .map((line) =>
          line.replaceAll(rig.root, "$ROOT").replaceAll(dashed, "$ROOT").replaceAll(host, "$SERVER"),
        );
    });
  });
}
