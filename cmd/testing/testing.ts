import path from "node:path";
import { fileURLToPath } from "node:url";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import { noteText } from "../../src/ui/terminal/diagnostics.js";
import type { Output } from "../../src/ui/output.js";
import { USUAL } from "../context/stderr.js";
import { readCommandLine } from "../line.js";
import { printLines } from "../lookup/project.js";
import type { CommandContext, CommandOutcome } from "../context/command-context.js";

/** A context in a folder, with its own home and environment, and the text that was printed. */
export interface TestContext {
  context: CommandContext;
  out(): string;
  err(): string;
}

async function* readNothing(): AsyncGenerator<Uint8Array> {
  yield* await Promise.resolve([]);
}

/** `folder` contains `project`, where the command starts, and the empty `home`. Both exist. */
export function contextIn(folder: string, env: Readonly<Record<string, string>> = {}): TestContext {
  const printed = { out: "", err: "" };
  const output = (to: "out" | "err"): Output => ({
    isTerminal: false,
    colour: false,
    columns: () => 80,
    rows: () => 24,
    write: (text) => {
      printed[to] += text;
      return Promise.resolve();
    },
  });
  const context: CommandContext = {
    ports: nodePorts(),
    version: "0.0.0",
    nodeVersion: "20.19.0",
    platform: "linux x64",
    node: "/nowhere/node",
    cwd: path.join(folder, "project"),
    env: { HOME: path.join(folder, "home"), ...env },
    home: path.join(folder, "home"),
    self: { command: "/nowhere/node", args: [] },
    promptsFolder: fileURLToPath(new URL("../../prompts", import.meta.url)),
    workflowsFolder: fileURLToPath(new URL("../../workflows", import.meta.url)),
    out: output("out"),
    err: output("err"),
    log: USUAL,
    report: (note) => output("err").write(noteText(note, USUAL, 0)),
    writeWorkflowCommands: (lines) => printLines(output("err"), lines),
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
    onSignal: () => undefined,
    noteLog: () => undefined,
    claimStdout: () => () => Promise.resolve(),
  };
  return { context, out: () => printed.out, err: () => printed.err };
}

/** Runs a command line: the name of a command, and its words. */
export async function typeLine(
  context: CommandContext,
  ...words: readonly string[]
): Promise<CommandOutcome> {
  const { version, cwd } = context;
  const nothing = { isFile: () => Promise.resolve(false), namesIn: () => Promise.resolve([]) };
  const read = await readCommandLine(words, { version, cwd, ...nothing });
  if (read.kind === "command") return read.run(context);
  await context.out.write(read.text);
  return "ok";
}

/** Runs a command line in a context of its own. */
export async function callIn(started: TestContext, ...words: readonly string[]) {
  const end = await typeLine(started.context, ...words);
  return { end, out: started.out(), err: started.err() };
}
