// The parts of a command's context where nothing is printed and no person is there.
import type { Output } from "../../src/ui/output.js";
import type { CommandContext } from "./command-context.js";

const NOWHERE: Output = {
  write: () => Promise.resolve(),
  isTerminal: false,
  colour: false,
  columns: () => 80,
  rows: () => 24,
};

async function* readNothing(): AsyncGenerator<Uint8Array> {
  yield* await Promise.resolve([]);
}

export const SILENT: Pick<
  CommandContext,
  | ("out" | "err" | "hangsUp" | "stdin" | "confirm" | "choose" | "ask" | "askLine" | "openTerminal")
  | ("writeWorkflowCommands" | "onSignal" | "report" | "noteLog" | "claimStdout")
> = {
  out: NOWHERE,
  err: NOWHERE,
  hangsUp: false,
  stdin: {
    isTerminal: false,
    readAll: () => Promise.resolve(""),
    readBytes: () => Promise.resolve(new Uint8Array()),
    chunks: readNothing,
  },
  confirm: () => Promise.resolve(false),
  choose: () => Promise.resolve(undefined),
  ask: () => Promise.resolve(undefined),
  askLine: () => Promise.resolve("closed"),
  openTerminal: () => Promise.reject(new Error("no terminal here")),
  writeWorkflowCommands: () => Promise.resolve(),
  onSignal: () => undefined,
  report: () => Promise.resolve(),
  noteLog: () => undefined,
  claimStdout: () => () => Promise.resolve(),
};
