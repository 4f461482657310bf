// The log of one run: sealed lines, appended whole, durable where it is asked for (contract §6).
// Leaves reading to read.ts and what the lines mean to events.ts.
import { join } from "node:path";
import { UserError, errorCode, errorMessage } from "../system/errors.js";
import type { AppendFile, Ports } from "../system/ports.js";
import { redactValue, type Redact } from "../system/text/redact.js";
import type { RunEvent, Sealed } from "./events.js";

/** Keys whose values name something and must go on naming it. */
export const KEPT: ReadonlySet<string> = new Set([
  "type",
  "id",
  "task_id",
  "depends_on",
  "run",
  "picked",
  "loser",
  "digest",
  "sha256",
]);

/** The log of the run that goes on. */
export interface RunLog {
  /** `YYYY-MM-DD_HH-MM-SS`, UTC. */
  readonly run: string;
  /** Absolute path of the run's folder. */
  readonly folder: string;
  /** Gives an event its place and time, without secrets. What is sealed next comes next in the file. */
  seal<T extends RunEvent>(event: T): Sealed<T>;
  /** Appends sealed lines in order; an error is a `UserError` that says the log cannot be written. */
  append(...lines: readonly Sealed[]): Promise<void>;
  /** Seals and appends. */
  tell(...events: readonly RunEvent[]): Promise<void>;
  /** The same. Contract: `redact` went over each text of these before any of it was cut. */
  tellClean(...events: readonly RunEvent[]): Promise<void>;
  /** Makes what was appended safe against power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
  readonly redact: Redact;
}

type LogPorts = Pick<Ports, "clock" | "files">;

/** Makes the folder of a new run and opens its log. Folders are 0700, files 0600. */
export async function createRunLog(
  ports: LogPorts,
  logDir: string,
  { redact, onLine }: { redact: Redact; onLine: (line: Sealed) => void },
): Promise<RunLog> {
  const { files } = ports;
  const runs = join(logDir, "runs");
  await files.makeFolder(runs, 0o700);
  await keepOutOfGit(ports, logDir);
  const run = await takeRunId(ports, runs);
  const folder = join(runs, run);
  const file = await files.openAppend(join(folder, "events.jsonl"), { mode: 0o600 });
  await files.symlink(join("runs", run), join(logDir, "last"));
  return openLog(ports, { run, folder, file, redact, onLine });
}

/** A log folder ignores itself, so that no `git add -A` of an agent or a person picks it up. */
async function keepOutOfGit({ files }: LogPorts, logDir: string): Promise<void> {
  const path = join(logDir, ".gitignore");
  if ((await files.stat(path)) === undefined) await files.writeAtomic(path, "*\n", { mode: 0o600 });
}

async function takeRunId({ clock, files }: LogPorts, runs: string): Promise<string> {
  const base = stampOf(clock.now());
  for (let n = 1; ; n++) {
    const run = n === 1 ? base : `${base}-${String(n)}`;
    try {
      // A file beside the folder would be one more thing to clean: mkdir itself says who came first.
      await files.makeNewFolder(join(runs, run), 0o700);
      return run;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

/** `2026-11-20_21-46-01`, UTC: the form of run ids and of set-aside copies. */
export function stampOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", "_").replaceAll(":", "-");
}

interface Opened {
  run: string;
  folder: string;
  file: AppendFile;
  redact: Redact;
  onLine: (line: Sealed) => void;
}

function openLog({ clock }: LogPorts, { run, folder, file, redact, onLine }: Opened): RunLog {
  let seq = 0;
  const stamp = stamps(clock);
  const sealClean = <T extends RunEvent>(clean: T): Sealed<T> => ({
    seq: ++seq,
    timestamp: stamp(),
    ...clean,
  });
  // Decisions are made of events that were redacted before `step` saw them.
  const seal = <T extends RunEvent>(event: T): Sealed<T> =>
    sealClean(event.type === "decided" ? event : redactValue(redact, event, KEPT));
  // A line that could not be written whole may lie there torn: from then on nothing is, so that no line stands behind a gap.
  let written = Promise.resolve();
  const append = async (...lines: readonly Sealed[]): Promise<void> => {
    const text = lines.map((line) => `${JSON.stringify(forFile(line))}\n`).join("");
    written = written.then(() => file.append(text));
    await orExplain(folder, () => written);
    for (const line of lines) onLine(line);
  };
  return {
    run,
    folder,
    redact,
    seal,
    append,
    tell: (...events) => append(...events.map((event) => seal(event))),
    tellClean: (...events) => append(...events.map((event) => sealClean(event))),
    sync: () => orExplain(folder, () => written.then(() => file.sync())),
    close: () => file.close(),
  };
}

/** The time now, spelled out once for all that comes in the same millisecond. */
function stamps(clock: Ports["clock"]): () => string {
  let [last, text] = [NaN, ""];
  return () => {
    const at = clock.now();
    if (at !== last) [last, text] = [at, new Date(at).toISOString()];
    return text;
  };
}

/** A line as it lies on disk: the rows of a backlog lie beside the log. */
function forFile(line: Sealed): object {
  if (line.type !== "backlog_read" || line.index === undefined) return line;
  const { rows: _beside, ...rest } = line;
  return rest;
}

async function orExplain(folder: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new UserError(
      "environment",
      `the log in ${folder} cannot be written: ${errorMessage(error)}`,
      "free some space or mend the folder's permissions, then run again: nothing that was done is lost",
      { cause: error },
    );
  }
}
