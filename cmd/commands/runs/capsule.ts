// `looper capsule`: packs a run's log into one file for a bug report, and describes its content.
import { capsuleAnswer } from "../../../src/ui/answers/runs/capsule.js";
import path from "node:path";
import { parseEnvFile } from "../../../src/config/read/env-file.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { readLines } from "../../../src/logging/read.js";
import { makeCapsule, type MadeCapsule } from "../../../src/loop/replay/make-capsule.js";
import { errorCode, errorMessage, UserError } from "../../../src/system/errors.js";
import type { Redact } from "../../../src/system/text/secrets/redact.js";
import { redactorFor } from "../../../src/system/text/secrets/redactor.js";
import { plural, showCount } from "../../../src/ui/view/words/amounts.js";
import { folderOfRun } from "../../lookup/find-run.js";
import { printJson, printLines, projectOf, shownPath } from "../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

/** `looper capsule [run]`: writes the capsule and describes it; never overwrites a file. */
export async function capsule(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const { ports, cwd } = context;
  const project = await projectOf(context);
  const folder = await folderOfRun(context, project, typed.operands[0]);
  const run = path.basename(folder);
  const output = textFlag(typed, "--output") ?? `${run}.capsule`;
  const json = hasFlag(typed, "--json");
  if (output === "-" && json)
    throw new UserError("usage", "--json and --output - both want to print", "leave one of them out");
  if ((await readLines(ports, folder).next()).done === true)
    throw new UserError(
      "no",
      `run ${run} has no lines: there is nothing to pack`,
      "looper capsule RUN takes another run",
    );
  const made = await makeCapsule(ports, { run, folder, ...(await ownerOf(context, project)) });
  if (output === "-") {
    await context.out.write(made.text);
    await context.report({ level: "info", lines: linesOf(made, run, undefined) });
    return "ok";
  }
  const file = path.resolve(cwd, output);
  await writeNew(context, file, made.text);
  if (json) await printJson(context, capsuleAnswer(made, run, file));
  else await printLines(context.out, linesOf(made, run, shownPath(context, file)));
  return "ok";
}

/** Private values that must not be in a capsule. */
async function ownerOf(context: CommandContext, project: Project) {
  const { ports, env, home, version, nodeVersion: node, platform } = context;
  const real = await ports.files.realPath(home);
  const names = [env["USER"], env["LOGNAME"], env["USERNAME"], path.basename(home)];
  return {
    version,
    node,
    platform,
    redact: await redactOf(context, project),
    homes: [home, ...(real === undefined ? [] : [real])],
    names: names.flatMap((name) => (name === undefined || name === "" ? [] : [name])),
  };
}

/** The secrets of this environment, which may differ from the run's. */
async function redactOf({ ports, env }: CommandContext, { paths, resolved }: Project): Promise<Redact> {
  const { envFile } = paths;
  const bytes = envFile === undefined ? undefined : await ports.files.read(envFile);
  const fromFile =
    envFile === undefined || bytes === undefined
      ? {}
      : parseEnvFile(envFile, Buffer.from(bytes).toString("utf8"));
  const ofAgents = Object.values(resolved.settings.agents).flatMap(({ env: own }) => Object.entries(own));
  const all = { ...fromFile, ...env, ...Object.fromEntries(ofAgents) };
  return redactorFor(ports, all);
}

async function writeNew({ ports }: CommandContext, file: string, text: string): Promise<void> {
  try {
    await ports.files.writeNew(file, text, { mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === "EEXIST")
      throw new UserError(
        "usage",
        `${file} is there already`,
        "name another file: looper capsule --output FILE",
      );
    if (errorCode(error) === undefined) throw error;
    throw new UserError(
      "environment",
      `${file} cannot be written: ${errorMessage(error)}`,
      "looper capsule --output FILE",
    );
  }
}

function linesOf(made: MadeCapsule, run: string, file: string | undefined): string[] {
  const { replayed, lines, indexes, namesLeft, text } = made;
  const size = `${showCount(Buffer.byteLength(text))} bytes`;
  const names = namesLeft
    ? "in paths only your user name, since it is a word of this log as well"
    : "your user name (user)";
  return [
    `${file === undefined ? "a capsule" : `wrote ${file}`}: run ${run}, ${plural(lines, "line")} of its log, ${plural(indexes, "index", "indexes")} of its tasks, ${size}`,
    "in it: what was decided and why, ids of tasks, reports and messages of agents, commands and what they printed, names of files, as far as the log says them; the versions of looper and node, the platform",
    "not in it: prompts, the agents' raw output, the task file, your project's files",
    `replaced: secrets of this environment and known shapes of keys ([redacted]), your home folder (~), ${names}; other words of yours are not: read it before you send it`,
    "decisions" in replayed
      ? `its ${plural(replayed.decisions, "decision")} replay from it: looper replay ${file ?? "FILE"}`
      : `replaying it finds a difference, as the log itself does: line ${replayed.seq}`,
  ];
}
