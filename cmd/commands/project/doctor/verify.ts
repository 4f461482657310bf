// The checks of the settings and of open tasks: whether what they would start is there. Starts none of them.
import type { Project } from "../../../../src/config/project/open-project.js";
import { findRootFolder } from "../../../../src/config/project/work-folder.js";
import { findLack, type CheckPlace } from "../../../../src/gate/lookup/find-lack.js";
import type { CheckResult } from "../../../../src/todo/check/check.js";
import { plural } from "../../../../src/ui/view/words/amounts.js";
import type { CommandContext } from "../../../context/command-context.js";
import { bad, fine, warning, type Check } from "../../../../src/ui/answers/project/doctor.js";

const NAME = "check";

interface Named {
  command: string;
  /** Where it is set. */
  from: string;
  own: boolean;
}

/** A line for each check that cannot run, else one for all of them. No checks, no line. */
export async function checkVerify(
  context: CommandContext,
  project: Project,
  backlog: CheckResult | string | undefined,
): Promise<Check[]> {
  const { verify } = project.resolved.settings;
  const all = namedChecks(verify.commands, backlog);
  if (all.length === 0) return [];
  const place: CheckPlace = {
    ports: context.ports,
    folder: await folderOfWork(context, project, backlog),
    root: project.folder,
    path: context.env["PATH"] ?? "",
    prepared: verify.setup.length > 0,
  };
  const problems: Check[] = [];
  for (const one of all) {
    const lack = await findLack(place, one.command);
    if (lack === undefined) continue;
    const message = `cannot run "${one.command}" (${one.from}): ${lack.missing}`;
    const remedy = `${lack.remedy}, or correct ${one.from}`;
    // As under verify.strict in a run: a task may create what its own check needs inside the project.
    const isBad = one.own ? lack.isOutside && verify.strict : lack.isOutside || verify.strict;
    problems.push(isBad ? bad(NAME, message, remedy) : warning(NAME, message, remedy));
  }
  const found = `${plural(all.length, "check")}: the programs and scripts they name are there`;
  return problems.length > 0 ? problems : [fine(NAME, found)];
}

function namedChecks(commands: readonly string[], backlog: CheckResult | string | undefined): Named[] {
  const ofProject = [...new Set(commands)].map((command) => ({
    command,
    from: "verify.commands",
    own: false,
  }));
  const tasks = typeof backlog === "object" && backlog.kind === "ok" ? backlog.backlog.tasks : [];
  const open = tasks.filter(({ status }) => status !== "done");
  const ofTasks = open.flatMap(({ id, verify = [] }) =>
    verify.map((command) => ({ command, from: `verify of ${id}`, own: true })),
  );
  // A line that many tasks have is looked up once.
  const seen = new Set(commands);
  const isFirst = ({ command }: Named): boolean => !seen.has(command) && seen.add(command).has(command);
  return [...ofProject, ...ofTasks.filter(isFirst)];
}

async function folderOfWork(
  { ports }: CommandContext,
  project: Project,
  backlog: CheckResult | string | undefined,
): Promise<string> {
  const root =
    typeof backlog === "object" && backlog.kind === "ok" ? backlog.backlog.project?.root : undefined;
  return (await findRootFolder(ports.files, project, root)) ?? project.folder;
}
