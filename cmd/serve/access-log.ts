// Writes the access log: a line of JSON for each request, a file a day, readable by the user alone.
import path from "node:path";
import pino from "pino";
import { redactorFor } from "../../src/system/text/secrets/redactor.js";
import type { CommandContext } from "../context/command-context.js";
import type { Access } from "./route.js";

/** Characters of a path that are kept. */
const MOST_PATH = 300;

export async function openAccessLog(context: CommandContext, folder: string) {
  await context.ports.files.makeFolder(folder, 0o700);
  const { pid } = await context.ports.processes.identity();
  const redact = await redactorFor(context.ports, context.env);
  let open: { day: string; logger: pino.Logger } | undefined;
  const loggerOf = (day: string): pino.Logger => {
    if (open?.day === day) return open.logger;
    const to = pino.destination({
      dest: path.join(folder, `${day}.jsonl`),
      append: true,
      mode: 0o600,
      sync: true,
    });
    // A full disk loses lines of this log, and no request.
    to.on("error", () => undefined);
    open = { day, logger: pino({ base: { pid }, timestamp: pino.stdTimeFunctions.isoTime }, to) };
    return open.logger;
  };
  return ({ error, ...line }: Access): void => {
    const clean = { ...line, path: redact(line.path.slice(0, MOST_PATH)) };
    try {
      const logger = loggerOf(new Date(context.ports.clock.now()).toISOString().slice(0, 10));
      if (error === undefined) logger.info(clean);
      else logger.error({ ...clean, error: { id: error.id, text: redact(error.text) } });
    } catch {
      // The folder was removed, or the disk is full: the request was answered all the same.
    }
  };
}
