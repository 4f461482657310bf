// Whether a command may start a test runner that can be made to report: read from its programs. Pure.
// own-report.ts has the runners report; they are recognised when they run.
import { posix } from "node:path";
import { listSimpleCommands } from "../../shell/simple-commands.js";

/** Runners, interpreters, and programs that start others: package managers, task runners, build tools, shells with a file. */
const STARTS =
  /^(?:node|nodejs|npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack|tsx|ts-node|vitest|jest|mocha|c8|nyc|react-scripts|ng|nx|turbo|lerna|rush|wireit|gulp|grunt|zx|python[\d.]*|pypy[\d.]*|pytest|py\.test|coverage|tox|nox|uv|uvx|poetry|pipenv|pdm|hatch|rye|pixi|make|gmake|just|task|rake|bazel|buck2?|pants|earthly|mise|direnv|nix|nix-shell|volta|fnm|asdf|script|run-parts|concurrently|npm-run-all2?|run-s|run-p|ruby[\d.]*|rspec|bundle|rails|php[\d.]*|phpunit|composer|perl|prove|go|cargo|ctest|(?:ba|da|z|k)?sh|source|\.|eval)$/;

/** Programs that start others by their names on PATH. */
const STARTS_BY_NAME = /^(?:make|gmake|just|task|mise|(?:ba|da|z|k)?sh|source|\.|eval)$/;

/** The programs that a command may start by their names; they need a wrapper on PATH to report. */
export function namesStarted(command: string, programs: readonly string[]): string[] {
  const started = listSimpleCommands(command).flatMap(({ program, through }) => [program, ...through]);
  const mayStartAny = started.some((name) => name.includes("/") || STARTS_BY_NAME.test(name));
  return programs.filter((name) => mayStartAny || started.includes(name));
}

/** Whether to prepare reports; a program named by a path counts as one that may start anything. */
export function mayStartRunner(command: string): boolean {
  return listSimpleCommands(command).some(
    ({ program, through }) =>
      program.includes("/") || [program, ...through].some((name) => STARTS.test(posix.basename(name))),
  );
}
