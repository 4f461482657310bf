// Writes the log of one run: sealed lines, appended whole, and synced to disk on request (contract §6).
// read.ts reads logs, and events.ts defines the lines.
import { join } from "node:path";
import { errorCode, errorMessage, environmentError } from "../system/errors.js";
import type { AppendFile, Ports } from "../system/ports.js";
import { redactValue, type Redact } from "../system/text/secrets/redact.js";
import type { RunEvent, Sealed } from "./events/events.js";

/** Keys whose values are identifiers; they are never redacted. */
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

/** The log of the run in progress. */
export interface RunLog {
  /** `YYYY-MM-DD_HH-MM-SS`, UTC. */
  readonly run: string;
  /** Absolute path of the run's folder. */
  readonly folder: string;
  /** Redacts, numbers and dates an event. Events must be appended in the order in which they were sealed. */
  seal<T extends RunEvent>(event: T): Sealed<T>;
  /** Appends sealed lines in order; throws a `UserError` if the log cannot be written. */
  append(...lines: readonly Sealed[]): Promise<void>;
  /** Seals and appends. */
  tell(...events: readonly RunEvent[]): Promise<void>;
  /** The same without redaction. The caller must have redacted each text before truncating it. */
  tellClean(...events: readonly RunEvent[]): Promise<void>;
  /** Makes the appended lines safe against power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
  readonly redact: Redact;
}

type LogPorts = Pick<Ports, "clock" | "files">;

/**
 * Creates the folder of a new run and opens its log. Folders are 0700, files 0600. `startedAt`: when the run starts, epoch ms; its id says
 * so. Without it, now.
 */
export async function createRunLog(
  ports: LogPorts,
  logDir: string,
  {
    redact,
    onLine,
    startedAt = ports.clock.now(),
  }: { redact: Redact; onLine: (line: Sealed) => void; startedAt?: number },
): Promise<RunLog> {
  const { files } = ports;
  const runs = join(logDir, "runs");
  await files.makeFolder(runs, 0o700);
  await keepOutOfGit(ports, logDir);
  const run = await takeRunId(ports, runs, startedAt);
  const folder = join(runs, run);
  const file = await files.openAppend(join(folder, "events.jsonl"), { mode: 0o600 });
  await files.symlink(join("runs", run), join(logDir, "last"));
  return openLog(ports, { run, folder, file, redact, onLine });
}

/** Makes git ignore the log folder, so that `git add -A` by an agent or a person never adds it. */
async function keepOutOfGit({ files }: LogPorts, logDir: string): Promise<void> {
  const path = join(logDir, ".gitignore");
  if ((await files.stat(path)) === undefined) await files.writeAtomic(path, "*\n", { mode: 0o600 });
}

async function takeRunId({ files }: LogPorts, runs: string, startedAt: number): Promise<string> {
  const base = formatStamp(startedAt);
  for (let n = 1; ; n++) {
    const run = n === 1 ? base : `${base}-${String(n)}`;
    try {
      // mkdir decides which of two runs came first; a lock file would have to be cleaned up.
      await files.makeNewFolder(join(runs, run), 0o700);
      return run;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

/** Formats a time as in run ids and names of saved copies: `2026-11-20_21-46-01`, UTC. */
export function formatStamp(ms: number): string {
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
  const sealClean = <T extends RunEvent>(clean: T): Sealed<T> => ({
    seq: ++seq,
    timestamp: new Date(clock.now()).toISOString(),
    ...clean,
  });
  // A decision needs no redaction: `step` saw only redacted events.
  const seal = <T extends RunEvent>(event: T): Sealed<T> =>
    sealClean(event.type === "decided" ? event : redactValue(redact, event, KEPT));
  // After a failed write the file may end with half a line. Then nothing more is written: every log is without gaps.
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

/** A line as it is written: the rows of a backlog are in a file beside the log. */
function forFile(line: Sealed): object {
  if (line.type !== "backlog_read" || line.index === undefined) return line;
  const { rows: _beside, ...rest } = line;
  return rest;
}

async function orExplain(folder: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw environmentError(
      `cannot write the log in ${folder}: ${errorMessage(error)}`,
      "free some space or fix the folder's permissions, then run again; no work is lost",
      { cause: error },
    );
  }
}
