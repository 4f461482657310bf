// Has the known test runners report their cases without being asked to: the runner's interpreter is told, by
// its environment, to load a hook. report-files.ts reads the reports that `verify.report` names instead.
import { join, posix } from "node:path";
import { z } from "zod";
import { errorCode } from "../../system/errors.js";
import type { FileStat, Ports } from "../../system/ports.js";
import { listSimpleCommands } from "../../shell/simple-commands.js";
import { parseJson } from "../../system/text/json.js";
import { readFiles, unlessRefused } from "../report/report-files.js";
import { readReport } from "../report/report.js";
import { joinName, nameCases, type CleanPart, type TestCase } from "../report/test-names.js";
import { TestStatus, type Ran } from "../verdict.js";
import { NODE_HOOK, NODE_REPORTER } from "./node-hook.js";
import { PYTHON_HOOK } from "./python-hook.js";
import { wrappersIn } from "./wrappers.js";

/** The folder of one command's reports, outside the checked files, with a random name. */
export interface OwnReport {
  folder: string;
  /** The environment for the command. */
  env: Readonly<Record<string, string>>;
}

/** The results by case. `runner`: the names of the runners. `problems`: why a report cannot be read. */
interface OwnCases {
  tests: Ran["tests"];
  runner: string | undefined;
  problems: readonly string[];
}

/** Runners, interpreters, and programs that start others: managers of packages and tasks, shells. */
const STARTS =
  /^(?:node|nodejs|npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack|tsx|ts-node|vitest|jest|mocha|c8|nyc|react-scripts|ng|nx|turbo|lerna|rush|wireit|gulp|grunt|zx|python[\d.]*|pypy[\d.]*|pytest|py\.test|coverage|tox|nox|uv|uvx|poetry|pipenv|pdm|hatch|rye|pixi|make|gmake|just|task|rake|bazel|buck2?|pants|earthly|mise|direnv|nix|nix-shell|volta|fnm|asdf|script|run-parts|concurrently|npm-run-all2?|run-s|run-p|composer|go|cargo|(?:ba|da|z|k)?sh|source|\.|eval)$/;

/** Whether to prepare reports; a program named by a path counts as one that may start anything. */
export function mayStartRunner(command: string): boolean {
  return listSimpleCommands(command).some(
    ({ program, through }) =>
      program.includes("/") || [program, ...through].some((name) => STARTS.test(posix.basename(name))),
  );
}

type ReportPorts = Pick<Ports, "files">;

/** More reports of one command are not read. */
const MOST_FILES = 5_000;

/** A command that is to report, with its environment and its folder. */
interface ReportOrder {
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** How the folder's name begins. */
  temporary?: string;
}

/** Makes the folder; `undefined` if that is not possible: then the exit code has to do. */
export async function prepareOwnReport(
  { files, processes }: Pick<Ports, "files" | "processes">,
  { env, cwd, temporary = "looper-" }: ReportOrder,
): Promise<OwnReport | undefined> {
  let folder: string | undefined;
  try {
    folder = await files.makeTempFolder(`${temporary}report-`);
    const option = `--require ${JSON.stringify(join(folder, "hook.cjs"))}`;
    for (const [name, text] of hooksIn(folder, option))
      await files.writeNew(join(folder, name), text, { fleeting: true });
    const path = env["PATH"] ?? "";
    const bin = join(folder, "bin");
    await files.makeFolder(bin);
    let isWrapped = false;
    for (const [name, text] of wrappersIn(folder, option)) {
      if ((await processes.which(name, path, cwd)) === undefined) continue;
      await files.writeNew(join(bin, name), text, { fleeting: true, mode: 0o700 });
      isWrapped = true;
    }
    return {
      folder,
      env: {
        ...env,
        ...(isWrapped ? { PATH: joined(":", bin, path) } : {}),
        NODE_OPTIONS: joined(" ", env["NODE_OPTIONS"], option),
        PYTHONPATH: joined(":", folder, env["PYTHONPATH"]),
      },
    };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    if (folder !== undefined) await removeOwnReport({ files }, { folder });
    return undefined;
  }
}

/** The files at the top of the folder. `option`: what loads the hook of Node. */
function hooksIn(folder: string, option: string): readonly (readonly [name: string, text: string])[] {
  const named = JSON.stringify(folder);
  return [
    [
      "hook.cjs",
      `"use strict";\nconst FOLDER = ${named};\nconst OPTION = ${JSON.stringify(option)};${NODE_HOOK}`,
    ],
    ["reporter.mjs", NODE_REPORTER],
    ["sitecustomize.py", `FOLDER = ${named}\n${PYTHON_HOOK}`],
  ];
}

function joined(between: string, ...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(between);
}

/** Removes the folder. If a command made something there that cannot be removed, it stays. */
export async function removeOwnReport({ files }: ReportPorts, { folder }: { folder: string }): Promise<void> {
  await unlessRefused(files.removeTree(folder));
}

/** Reads what the runners wrote. One unreadable report makes all count as none. */
export async function readOwnReport(
  { files }: ReportPorts,
  { folder, clean, endsWell }: { folder: string; clean: CleanPart; endsWell: boolean },
): Promise<OwnCases> {
  const none = (...problems: string[]): OwnCases => ({ tests: undefined, runner: undefined, problems });
  const names = (await unlessRefused(files.list(folder))) ?? [];
  const reports = names.filter((name) => /\.(?:json|xml|cargo|go)$/.test(name));
  if (reports.length === 0) return none();
  if (reports.length > MOST_FILES) return none(`no test report: more than ${MOST_FILES} reports`);
  const stated: [string, FileStat][] = [];
  for (const path of reports.map((name) => join(folder, name))) {
    const stat = await unlessRefused(files.stat(path, { link: true }));
    if (stat?.kind !== "file") return none("no test report: a report is not a file");
    stated.push([path, stat]);
  }
  const bytes = await readFiles(files, stated);
  if (typeof bytes === "string") return none(`no test report: ${bytes}`);
  const runners = new Set<string>();
  const cases: TestCase[] = [];
  for (const [path, one] of bytes) {
    const read = readOne(path, one, clean);
    if (typeof read === "string") return none(`no test report: a runner's report ${read}`);
    runners.add(read.runner);
    for (const found of read.cases) cases.push(found);
  }
  return { tests: casesThatCount(cases, endsWell), runner: [...runners].sort().join(", "), problems: [] };
}

/** A status, the file, and the names of groups and test. */
const Reported = z.object({
  runner: z.enum(["node --test", "jest", "mocha", "pytest", "unittest"]),
  cases: z.array(z.tuple([TestStatus]).rest(z.string())),
});

function readOne(
  name: string,
  bytes: Uint8Array,
  clean: CleanPart,
): { runner: string; cases: readonly TestCase[] } | string {
  if (name.endsWith(".xml")) {
    const report = readReport(bytes, clean);
    if (report.how === "broken") return `is ${report.why}`;
    return report.how === "none" ? "is empty or cut" : { runner: "vitest", cases: report.cases };
  }
  const text = (): string => new TextDecoder().decode(bytes);
  const lines = name.endsWith(".go")
    ? readGo(text())
    : name.endsWith(".cargo")
      ? readCargo(text())
      : undefined;
  const parsed = lines ?? Reported.safeParse(parseJson(bytes)).data;
  if (parsed === undefined) return "is empty, cut or not a report";
  const { runner, cases } = parsed;
  return {
    runner,
    cases: cases.map(([status, ...parts]) => {
      const cleaned = parts.map(clean).filter((part) => part !== "");
      return { status, name: cleaned.length === 0 ? joinName("", "") : cleaned.reduce(joinName, "") };
    }),
  };
}

/** The cases of a runner: a status, then the names of groups and test. */
interface RunnerCases {
  runner: string;
  cases: [TestStatus, ...string[]][];
}

/** Lines of a package, a status and a name. */
export function readGo(text: string): RunnerCases {
  const cases = text.split("\n").flatMap((line): [TestStatus, ...string[]][] => {
    const [folder = "", word, ...name] = line.split("\t");
    const status = TestStatus.safeParse(word).data;
    return status === undefined ? [] : [[status, folder, name.join(" ")]];
  });
  return { runner: "go test", cases };
}

const CASE = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/;
const ANNOUNCED = /^running (\d+) tests?$/;
const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/;
/** The place of a documentation test, which moves with the code. */
const AT_LINE = / \(line \d+\)$/;
const STATUSES: Readonly<Record<string, TestStatus>> = { ok: "passed", FAILED: "failed", ignored: "skipped" };

/** The output of `cargo test`; `undefined` unless there are as many cases as announced and told. */
export function readCargo(text: string): RunnerCases | undefined {
  const cases: [TestStatus, ...string[]][] = [];
  let announced = 0;
  let told = 0;
  for (const line of text.split("\n")) {
    const [, name, word = ""] = CASE.exec(line) ?? [];
    const status = STATUSES[word];
    if (name !== undefined && status !== undefined)
      cases.push([status, ...name.replace(AT_LINE, "").split("::")]);
    announced += Number(ANNOUNCED.exec(line)?.[1] ?? 0);
    const result = RESULT.exec(line);
    if (result !== null) told += Number(result[1]) + Number(result[2]) + Number(result[3]);
  }
  return cases.length === announced && announced === told ? { runner: "cargo test", cases } : undefined;
}

/** The results by case, as they count. A command that ends well has no failing case: it knows why. */
export function casesThatCount(cases: readonly TestCase[], endsWell: boolean): Ran["tests"] {
  if (cases.length === 0 && !endsWell) return undefined;
  const counted = endsWell
    ? cases.map((one) => (one.status === "failed" ? { ...one, status: "passed" as const } : one))
    : cases;
  return Object.fromEntries(nameCases(counted));
}
