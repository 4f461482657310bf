// Judges whether the checks can run in a cold room of the reference, by comparing their results there with
// those in the project. Pure. src/loop/perform/gate/checks.ts runs them in both places.
import { describeRedCheck } from "../verdict/red-check.js";
import type { Baseline, Ran } from "../verdict.js";

/** Messages that interpreters and shells print when a dependency is not installed. */
const NOT_INSTALLED =
  /Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|ModuleNotFoundError|No module named|cannot load such file|Can't locate \S{1,200} in @INC|Could not find gem|Failed opening required|autoload\.php|command not found|: not found|no required module provides package|ClassNotFoundException|package \S{1,200} does not exist|can't find crate|unresolved import|No such file or directory/;

/** The first check that runs in the project and not in a room, with the line of its output that explains it. */
export function findUnfit(
  inRoom: Baseline,
  inProject: Baseline,
): { command: string; line: string } | undefined {
  for (const one of inRoom.commands) {
    const red = describeRedCheck(one);
    const here = inProject.commands.find(({ command }) => command === one.command);
    if (red === undefined || here === undefined || !isUnfit(one, here)) continue;
    return { command: one.command, line: red.line };
  }
  return undefined;
}

/** Whether a check that is red in a room is green in the project, or comes further there. */
function isUnfit(inRoom: Ran, inProject: Ran): boolean {
  const here = describeRedCheck(inProject);
  if (here === undefined) return true;
  if (describeRedCheck(inRoom)?.cannot_run === true && !here.cannot_run) return true;
  const countCases = ({ tests = {} }: Ran): number => Object.keys(tests).length;
  if (countCases(inRoom) === 0 && countCases(inProject) > 0) return true;
  return NOT_INSTALLED.test(inRoom.tail) && !NOT_INSTALLED.test(inProject.tail);
}

/** Whether a red check seems to lack a program or a package, as far as its own output tells. */
export function seemsToLack(ran: Ran): boolean {
  return describeRedCheck(ran)?.cannot_run === true || NOT_INSTALLED.test(ran.tail);
}

/** The files that a project is known by, and the command that installs what they list. */
const SETUPS: readonly (readonly [files: string, command: string])[] = [
  ["package-lock.json npm-shrinkwrap.json", "npm ci"],
  ["pnpm-lock.yaml", "pnpm install --frozen-lockfile"],
  ["yarn.lock", "yarn install --frozen-lockfile"],
  ["bun.lock bun.lockb", "bun install --frozen-lockfile"],
  ["uv.lock", "uv sync --frozen"],
  ["poetry.lock", "poetry install"],
  ["Pipfile.lock", "pipenv sync --dev"],
  ["requirements.txt", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"],
  ["Gemfile.lock", "bundle install"],
  ["composer.lock", "composer install"],
  ["mix.lock", "mix deps.get"],
  ["package.json", "npm install"],
];

/** The likely `verify.setup` of a project, by the files it has; `undefined` if none of them says. */
export function guessSetup(has: (path: string) => boolean): string | undefined {
  return SETUPS.find(([files]) => files.split(" ").some(has))?.[1];
}
