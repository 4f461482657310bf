// Writes `run.log`, the diagnostics file of a run: one JSON object a line, made by pino, without secrets (contract §6).
// The events themselves are in events.jsonl; the commands write to stderr.
import { join } from "node:path";
import pino from "pino";
import type { Ports } from "../system/ports.js";
import type { Redact } from "../system/text/secrets/redact.js";

/** A line of the diagnostics file; facts that are `undefined` are left out. */
export interface DiagnosticsLine {
  level: "error" | "warn" | "info" | "debug";
  message: string;
  facts?: Readonly<Record<string, unknown>>;
}

export interface DiagnosticsFile {
  /** Queues a line without waiting; a file that cannot be written never stops a run. */
  write(line: DiagnosticsLine): void;
  /** Resolves once all lines are in the file. */
  close(): Promise<void>;
}

/** Opens the file in the run's folder. `level` is the least urgent level that is written. */
export async function openDiagnosticsFile(
  { clock, files }: Pick<Ports, "clock" | "files">,
  folder: string,
  { level, redact }: { level: DiagnosticsLine["level"]; redact: Redact },
): Promise<DiagnosticsFile> {
  const file = await files.openAppend(join(folder, "run.log"), { mode: 0o600 });
  let written = Promise.resolve();
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write: (line) => {
        // After a failed write nothing more is written to this file.
        written = written.then(() => file.append(redact(line)));
        written.catch(() => undefined);
      },
    },
  );
  return {
    write: ({ level: of, message, facts }) => {
      logger[of](facts ?? {}, message);
    },
    close: async () => {
      await written.catch(() => undefined);
      await file.close();
    },
  };
}
