// `looper demo`: the real loop over a small backlog in a temporary project. The agent is a script that
// edits files and runs tests. Leaves the project and the script to assets/demo.
import path from "node:path";
import { openProject } from "../../src/config/project/open-project.js";
import { environmentError } from "../../src/system/errors.js";
import type { Files } from "../../src/system/ports.js";
import { orderForListing, withoutMarker } from "../../src/todo/model/select.js";
import { taskListLines } from "../../src/ui/terminal/task-list.js";
import { clean } from "../../src/ui/text.js";
import { lookOf, printLines, runPlaceOf } from "../lookup/project.js";
import { tasksIn } from "../lookup/read-tasks.js";
import type { WorkingCommand } from "../context/command.js";
import type { CommandContext, CommandOutcome } from "../context/command-context.js";
import { watchRun } from "../watch/watch-run.js";

/** The demo's folders and environment, without the user's settings of looper and git. */
interface Stage {
  root: string;
  project: string;
  home: string;
  env: Readonly<Record<string, string>>;
}

export const command: WorkingCommand<object> = {
  examples: [["looper demo", "run a small backlog in a temporary folder"]],
  work: demo,
};

async function demo(context: CommandContext): Promise<CommandOutcome> {
  const stage = await setStage(context);
  await printLines(context.out, [
    `Four tasks, in ${stage.project}.`,
    "The agent is a script: no key, no network. Its edits, tests and commits are",
    "real. Its first try at D3 reports that all tests pass; the runner looks.",
    "",
  ]);
  const { project: cwd, env, home } = stage;
  const project = await openProject(context.ports.files, { cwd, env, home, flags: {} });
  const place = runPlaceOf({ ...context, cwd, env, home }, project);
  const end = await watchRun(context, { ...place, trust: true, yes: true }, { manner: "progress" });
  if (end.ending === "complete") await printLines(context.out, await epilogue(context, stage));
  return end;
}

async function setStage(context: CommandContext): Promise<Stage> {
  const { files } = context.ports;
  const made = await files.makeTempFolder("looper-demo-");
  const root = (await files.realPath(made)) ?? made;
  const project = path.join(root, "project");
  const home = path.join(root, "home");
  const stage = { root, project, home, env: environment(context, home) };
  await files.makeFolder(home);
  await copyFiles(files, path.join(path.dirname(context.promptsFolder), "assets", "demo"), root);
  await git(context, stage, ["init", "--quiet"]);
  await git(context, stage, ["config", "user.name", "You"]);
  await git(context, stage, ["config", "user.email", "you@example.org"]);
  await git(context, stage, ["add", "--all"]);
  await git(context, stage, ["commit", "--quiet", "--message", "A backlog, and nothing else"]);
  return stage;
}

/** Copies a folder; the copies are this user's to change. */
async function copyFiles(files: Files, from: string, to: string): Promise<void> {
  await files.makeFolder(to);
  for (const name of await files.list(from)) {
    const [source, copy] = [path.join(from, name), path.join(to, name)];
    if ((await files.stat(source))?.kind === "folder") await copyFiles(files, source, copy);
    else await files.writeAtomic(copy, (await files.read(source)) ?? "");
  }
}

function environment({ env, node }: CommandContext, home: string): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !/^(LOOPER_|GIT_|XDG_|NODE_TEST_CONTEXT$)/.test(name));
  const nodeFirst = [path.dirname(node), ...(env["PATH"] ?? "").split(path.delimiter)].join(path.delimiter);
  return {
    ...Object.fromEntries(kept),
    PATH: nodeFirst,
    HOME: home,
    GIT_CONFIG_GLOBAL: path.join(home, ".gitconfig"),
    GIT_CONFIG_NOSYSTEM: "1",
  };
}

const LIMIT_MS = 60_000;

async function git({ ports }: CommandContext, { project, env }: Stage, args: readonly string[]) {
  const { end, stdout, stderr } = await ports.processes.run(
    { command: "git", args, cwd: project, env },
    { timeoutMs: LIMIT_MS },
  );
  if (end.how === "not-found")
    throw environmentError("cannot run the demo: git is not installed", "install git");
  if (end.how !== "exited" || end.code !== 0)
    throw environmentError(`git ${args.join(" ")} failed: ${stderr.trim()}`, "check the installation of git");
  return Buffer.from(stdout).toString("utf8");
}

async function epilogue(context: CommandContext, stage: Stage): Promise<string[]> {
  const { ports, out } = context;
  const look = lookOf(out);
  const tasks = tasksIn(await ports.files.read(path.join(stage.project, "to-do.json")));
  const commits = (await git(context, stage, ["log", "--oneline", "--no-decorate"])).trimEnd().split("\n");
  const looper = await callOf(context);
  const heading = (text: string): string[] => ["", look.colours.bold(text)];
  return [
    ...heading("The backlog"),
    ...taskListLines(orderForListing(withoutMarker(tasks)), { ...look, waitsFor: () => [] }),
    ...heading("The commits (git log --oneline): one for each task that is done"),
    ...commits.map((line) => `  ${clean(line)}`),
    ...heading("To look at"),
    `  cd ${stage.project}`,
    `  ${looper} ls        # the backlog`,
    `  ${looper} tail      # what happened, line by line`,
    `  ${looper} replay    # every decision taken again and compared`,
    "  less looper-logs/last/events.jsonl",
    `  rm -r ${stage.root}    # when you have seen enough`,
  ];
}

/** The command line that starts this program, installed or not. */
async function callOf({ ports, env, cwd, self }: CommandContext): Promise<string> {
  if ((await ports.processes.which("looper", env["PATH"] ?? "", cwd)) !== undefined) return "looper";
  return `node ${self.args.join(" ")}`;
}
