// Commands that end at once, run in this process: the sources are those of the program, and a start takes ten times as long.
// `make proof`, which starts the program for each, holds that both answer alike. Leaves the choice between the two to rig.ts.
import { readFileSync } from "node:fs";
import path from "node:path";
import { diagnosticsOf, guessDiagnostics, openStderr, USUAL } from "../../cmd/context/stderr.js";
import { exitCodeOf } from "../../cmd/context/exit-codes.js";
import { readCommandLine } from "../../cmd/line.js";
import { explain } from "../../cmd/looper.js";
import { contextIn } from "../../cmd/testing/testing.js";
import { usageError } from "../../src/system/errors.js";
import { explainNoFolder } from "../../src/system/files/describe-kind.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import { wantsColour } from "../../src/ui/colours.js";
import type { Output } from "../../src/ui/output.js";
import { noteText } from "../../src/ui/terminal/diagnostics.js";
import { EXHAUSTIVE } from "./exhaustive.js";
import { BIN, type Ran, type StartOptions } from "./program.js";

/** Commands that only read, or change a file; none that works with a model, serves, or waits for another. */
const AT_ONCE: ReadonlySet<string> = new Set([
  ...["ls", "show", "why", "validate", "fmt", "config", "runs", "status", "logs", "workflows", "replay"],
  ...["add", "set", "block", "todo", "done", "rm", "accept", "rescue", "clean", "undo", "questions"],
  ...["answer", "approve", "reject", "pause", "resume", "steer", "complete"],
  ...["doctor", "init", "tail"],
]);

/** Flags that keep a command at work, or have it start many processes, which a large process does slowly. */
const STAYS: readonly string[] = ["-f", "--follow", "--explain"];

/** Variables that the process itself reads. */
const OF_A_PROCESS = ["NODE_OPTIONS", "GITHUB_ACTIONS"];

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Whether a command line may run here. */
export function endsAtOnce(args: readonly string[], env: Readonly<Record<string, string>>): boolean {
  if (EXHAUSTIVE || process.env["STORIES_START"] !== undefined) return false;
  const name = args[0] === "-C" ? args[2] : args[0];
  if (args.some((word) => STAYS.includes(word))) return false;
  return (
    AT_ONCE.has(name ?? "") && env["TZ"] === process.env["TZ"] && !OF_A_PROCESS.some((one) => one in env)
  );
}

/** Does what the program does with a command line, and says what it would have said. */
export async function runHere(
  args: readonly string[],
  { cwd, env, input = "" }: Pick<StartOptions, "cwd" | "env" | "input">,
): Promise<Ran> {
  const said = { stdout: "", stderr: "" };
  let diagnostics = guessDiagnostics(args, env);
  const command = async (): Promise<number> => {
    const ports = nodePorts();
    const asked = await readCommandLine(args, {
      version,
      cwd,
      isFile: async (file) =>
        (await ports.files.stat(path.resolve(cwd, file)).catch(() => undefined))?.kind === "file",
      namesIn: (folder) => ports.files.list(path.resolve(cwd, folder)).catch(() => []),
    });
    if (asked.kind === "text") {
      said.stdout += asked.text;
      return 0;
    }
    diagnostics = asked.hidden ? USUAL : diagnosticsOf(asked.options, env);
    const folder = path.resolve(cwd, asked.options.C ?? ".");
    const problem = await explainNoFolder(ports.files, folder);
    if (problem !== undefined) throw usageError(problem, "name an existing folder");
    const refused = asked.options.color === false;
    const output = (to: "stdout" | "stderr"): Output => ({
      isTerminal: false,
      colour: wantsColour(env, { isTerminal: false, refused }),
      columns: () => 80,
      rows: () => 24,
      write: (text) => {
        said[to] += text;
        return Promise.resolve();
      },
    });
    const bytes = Buffer.from(input);
    const { context } = contextIn(path.dirname(folder), env);
    const end = await asked.run({
      ...context,
      ports,
      version,
      nodeVersion: process.versions.node,
      node: process.execPath,
      cwd: folder,
      env,
      home: env["HOME"] ?? "",
      self: { command: process.execPath, args: [BIN] },
      promptsFolder: path.join(path.dirname(BIN), "prompts"),
      workflowsFolder: path.join(path.dirname(BIN), "workflows"),
      out: output("stdout"),
      ...openStderr(output("stderr"), diagnostics, Date.now),
      log: diagnostics,
      stdin: {
        isTerminal: false,
        readAll: () => Promise.resolve(input),
        readBytes: () => Promise.resolve(bytes),
        async *chunks() {
          yield await Promise.resolve(bytes);
        },
      },
    });
    return exitCodeOf(end);
  };
  const code = await command().catch((error: unknown) => {
    const { lines, code: failed } = explain(error);
    said.stderr += noteText({ level: "error", lines, facts: { exit_code: failed } }, diagnostics, Date.now());
    return failed;
  });
  return { code, signal: undefined, ...said };
}
