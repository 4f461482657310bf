// Has the known test runners report their cases without being asked to: the runner's interpreter is told, by its environment,
// to load a hook. report-files.ts reads the reports that `verify.report` names instead.
import { join } from "node:path";
import { z } from "zod";
import { errorCode } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";
import { readReport } from "../report/report.js";
import { joinName, nameCases, type CleanPart, type TestCase } from "../report/test-names.js";
import { TestStatus } from "../verdict.js";
import { JEST_RESULTS, NODE_HOOK, NODE_REPORTER } from "./node-hook.js";
import { PYTHON_HOOK } from "./python-hook.js";

/** The folder of one command's reports, outside the checked files. Its name is random, and it is never used again. */
export interface OwnReport {
  folder: string;
  /** The environment for the command. */
  env: Readonly<Record<string, string>>;
}

/** The cases that runners reported. `runner`: their names. `undefined` without a report. */
export interface OwnCases {
  found: { runner: string; cases: readonly TestCase[] } | undefined;
  /** Why a report cannot be read. */
  problems: readonly string[];
}

type ReportPorts = Pick<Ports, "files">;

/** Limits of one command's reports together; more is not read. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_FILES = 5_000;

/** Makes the folder; `undefined` if that is not possible: then the exit code has to do. */
export async function prepareOwnReport(
  { files }: ReportPorts,
  env: Readonly<Record<string, string>>,
): Promise<OwnReport | undefined> {
  let folder: string | undefined;
  try {
    folder = await files.makeTempFolder("looper-report-");
    const hook = join(folder, "hook.cjs");
    const option = `--require ${JSON.stringify(hook)}`;
    const named = JSON.stringify(folder);
    const texts: readonly [name: string, text: string][] = [
      [
        "hook.cjs",
        `"use strict";\nconst FOLDER = ${named};\nconst OPTION = ${JSON.stringify(option)};${NODE_HOOK}`,
      ],
      ["reporter.mjs", NODE_REPORTER],
      ["jest-results.cjs", JEST_RESULTS],
      ["sitecustomize.py", `FOLDER = ${named}\n${PYTHON_HOOK}`],
    ];
    for (const [name, text] of texts) await files.writeNew(join(folder, name), text, { fleeting: true });
    return {
      folder,
      env: {
        ...env,
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

function joined(between: string, ...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(between);
}

/** Removes the folder. If a command made something there that cannot be removed, it stays. */
export async function removeOwnReport(
  { files }: ReportPorts,
  { folder }: Pick<OwnReport, "folder">,
): Promise<void> {
  try {
    await files.removeTree(folder);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/** Reads what the runners wrote. One unreadable report makes all count as none. */
export async function readOwnReport(
  { files }: ReportPorts,
  { folder }: Pick<OwnReport, "folder">,
  clean: CleanPart,
): Promise<OwnCases> {
  const names = (await unlessRefused(files.list(folder))) ?? [];
  const reports = names.filter((name) => /\.(?:json|xml)$/.test(name));
  if (reports.length > MOST_FILES) return none(`more than ${MOST_FILES} reports`);
  const runners = new Set<string>();
  const cases: TestCase[] = [];
  let room = MOST_BYTES;
  for (const name of reports) {
    const path = join(folder, name);
    const stat = await unlessRefused(files.stat(path, { link: true }));
    if (stat?.kind !== "file") return none("a report is not a file");
    room -= stat.size;
    if (room < 0) return none(`more than ${MOST_BYTES} bytes of reports`);
    const bytes = await unlessRefused(files.readRange(path, 0, stat.size));
    const read = bytes === undefined ? "cannot be read" : readOne(name, bytes, clean);
    if (typeof read === "string") return none(`a runner's report ${read}`);
    runners.add(read.runner);
    for (const one of read.cases) cases.push(one);
  }
  if (reports.length === 0) return { found: undefined, problems: [] };
  return { found: { runner: [...runners].sort().join(", "), cases }, problems: [] };
}

function none(why: string): OwnCases {
  return { found: undefined, problems: [`no test report: ${why}`] };
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
  const parsed = Reported.safeParse(parseJson(bytes));
  if (!parsed.success) return "is empty, cut or not a report";
  const { runner, cases } = parsed.data;
  return {
    runner,
    cases: cases.map(([status, ...parts]) => {
      const cleaned = parts.map(clean).filter((part) => part !== "");
      return { status, name: cleaned.length === 0 ? joinName("", "") : cleaned.reduce(joinName, "") };
    }),
  };
}

/** The results by case, as they count for a command. A command that ends well has no failing case: it knows why. */
export function casesThatCount(
  { cases }: { cases: readonly TestCase[] },
  endsWell: boolean,
): Record<string, TestStatus> | undefined {
  if (cases.length === 0 && !endsWell) return undefined;
  const counted = endsWell
    ? cases.map((one) => (one.status === "failed" ? { ...one, status: "passed" as const } : one))
    : cases;
  return Object.fromEntries(nameCases(counted));
}

/** `undefined` for what the command removed or made unreadable. */
async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
