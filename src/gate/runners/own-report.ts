// Has the known test runners report their cases without being asked to: the runner's interpreter is told, by its environment,
// to load a hook. report-files.ts reads the reports that `verify.report` names instead.
import { join } from "node:path";
import { z } from "zod";
import { errorCode } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { quoteWord } from "../../shell/quote.js";
import { parseJson } from "../../system/text/json.js";
import { readReport } from "../report/report.js";
import { joinName, nameCases, type CleanPart, type TestCase } from "../report/test-names.js";
import { TestStatus } from "../verdict.js";
import { namesStarted } from "./may-start-runner.js";
import { JEST_RESULTS, NODE_HOOK, NODE_REPORTER } from "./node-hook.js";
import { MINITEST_HOOK, PHP_HOOK, PROVE_HOOK, RSPEC_HOOK, WRAPPERS } from "./other-hooks.js";
import { PYTHON_BOOT, PYTHON_HOOK, PYTHON_SITE } from "./python-hook.js";
import { readCargo, readGo } from "./read-output.js";
import { RESTORED, restoringWrapper, type AddedPart, type AddedParts } from "./restore-hooks.js";

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

/** A command that is to report, with its environment and its folder. */
interface ReportOrder {
  env: Readonly<Record<string, string>>;
  cwd: string;
  command: string;
  /** How the folder's name begins. */
  temporary?: string;
}

/** Makes the folder; `undefined` if that is not possible: then the exit code has to do. */
export async function prepareOwnReport(
  { files, processes }: Pick<Ports, "files" | "processes">,
  { env, cwd, command, temporary = "looper-" }: ReportOrder,
): Promise<OwnReport | undefined> {
  let folder: string | undefined;
  try {
    folder = await files.makeTempFolder(`${temporary}report-`);
    for (const [name, text] of hooksIn(folder, env))
      await files.writeNew(join(folder, name), text, { fleeting: true });
    const path = env["PATH"] ?? "";
    const isPlain = /^[\w/.-]+$/.test(folder);
    const wrapped: [name: string, text: string][] = [];
    for (const [name, text] of wrappersFor(command, folder, addedParts(folder, isPlain)))
      if ((await processes.which(name, path, cwd)) !== undefined) wrapped.push([name, text]);
    for (const folderOfHooks of ["ruby/minitest", "php", ...(wrapped.length > 0 ? ["bin"] : [])])
      await files.makeFolder(join(folder, folderOfHooks));
    await files.writeNew(
      join(folder, "ruby/minitest/looper_plugin.rb"),
      rubyText(folder, MINITEST_HOOK),
      FLEETING,
    );
    await files.writeNew(
      join(folder, "php/looper.ini"),
      `auto_prepend_file="${folder}/prepend.php"\n`,
      FLEETING,
    );
    for (const [name, text] of wrapped)
      await files.writeNew(join(folder, "bin", name), text, { ...FLEETING, mode: 0o700 });
    const own = isPlain ? plainEnvironment(folder, env) : {};
    return {
      folder,
      env: {
        ...env,
        ...own,
        ...(wrapped.length === 0 ? {} : { PATH: joined(":", join(folder, "bin"), path) }),
        NODE_OPTIONS: joined(" ", env["NODE_OPTIONS"], nodeOption(folder)),
        PYTHONPATH: joined(":", folder, env["PYTHONPATH"]),
      },
    };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    if (folder !== undefined) await removeOwnReport({ files }, { folder });
    return undefined;
  }
}

const FLEETING = { fleeting: true } as const;

const nodeOption = (folder: string): string => `--require ${JSON.stringify(join(folder, "hook.cjs"))}`;
const rspecOption = (folder: string): string => `--require ${join(folder, "rspec.rb")}`;
const perlOption = (folder: string): string => `-I${folder} -MLooperReport`;
const rubyText = (folder: string, text: string): string =>
  `LOOPER_REPORT_FOLDER = ${JSON.stringify(folder)}\n${text.replaceAll(/\bFOLDER\b/g, "LOOPER_REPORT_FOLDER")}`;

/** The files at the top of the folder. */
function hooksIn(
  folder: string,
  env: Readonly<Record<string, string>>,
): readonly (readonly [name: string, text: string])[] {
  const named = JSON.stringify(folder);
  const scan = env["PHP_INI_SCAN_DIR"];
  const perl = `package LooperReport;\nuse strict;\nmy $folder = '${folder}';\nmy $option = '${perlOption(folder)}';`;
  return [
    [
      "hook.cjs",
      `"use strict";\nconst FOLDER = ${named};\nconst OPTION = ${JSON.stringify(nodeOption(folder))};${NODE_HOOK}`,
    ],
    ["reporter.mjs", NODE_REPORTER],
    ["jest-results.cjs", JEST_RESULTS],
    ["sitecustomize.py", `FOLDER = ${named}\n${PYTHON_HOOK}${PYTHON_SITE}`],
    ["boot.py", `FOLDER = ${named}\n${PYTHON_HOOK}${PYTHON_BOOT}`],
    ["rspec.rb", rubyText(folder, RSPEC_HOOK)],
    ["LooperReport.pm", `${perl}\n${PROVE_HOOK}`],
    [
      "prepend.php",
      `<?php\n$folder = '${folder}';\n$scan = ${scan === undefined ? "null" : `'${scan.replaceAll(/['\\]/g, "\\$&")}'`};\n${PHP_HOOK}`,
    ],
  ];
}

/** The wrappers that a command may need, by the names of their programs. */
function wrappersFor(command: string, folder: string, parts: AddedParts): [name: string, text: string][] {
  const reporting = namesStarted(command, Object.keys(WRAPPERS)).map((name): [string, string] => [
    name,
    `#!/bin/sh\nfolder=${quoteWord(folder)}\n${WRAPPERS[name] ?? ""}`,
  ]);
  const restoring = RESTORED.flatMap((name): [string, string][] => {
    const text = restoringWrapper(name, folder, parts);
    return text === undefined ? [] : [[name, text]];
  });
  return [...reporting, ...restoring];
}

function addedParts(folder: string, isPlain: boolean): AddedParts {
  const addPath = (variable: string, part: string): AddedPart => ({
    variable,
    part,
    between: ":",
    isFirst: true,
  });
  const addWords = (variable: string, part: string): AddedPart => ({
    variable,
    part,
    between: " ",
    isFirst: false,
  });
  return {
    node: [addWords("NODE_OPTIONS", nodeOption(folder))],
    python: [addPath("PYTHONPATH", folder)],
    ...(isPlain
      ? {
          ruby: [addPath("RUBYLIB", join(folder, "ruby")), addWords("SPEC_OPTS", rspecOption(folder))],
          perl: [addWords("PERL5OPT", perlOption(folder))],
        }
      : {}),
  };
}

/** Variables that cannot hold any path. */
function plainEnvironment(folder: string, env: Readonly<Record<string, string>>): Record<string, string> {
  return {
    SPEC_OPTS: joined(" ", env["SPEC_OPTS"], rspecOption(folder)),
    RUBYLIB: joined(":", join(folder, "ruby"), env["RUBYLIB"]),
    PHP_INI_SCAN_DIR: `${env["PHP_INI_SCAN_DIR"] ?? ""}:${join(folder, "php")}`,
    PERL5OPT: joined(" ", env["PERL5OPT"], perlOption(folder)),
  };
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
  const reports = names.filter((name) => /\.(?:json|xml|cargo|go)$/.test(name));
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
  runner: z.enum(["node --test", "jest", "mocha", "pytest", "unittest", "rspec", "minitest", "prove"]),
  cases: z.array(z.tuple([TestStatus]).rest(z.string())),
});

function readOne(
  name: string,
  bytes: Uint8Array,
  clean: CleanPart,
): { runner: string; cases: readonly TestCase[] } | string {
  const xml = /\.(vitest|phpunit|ctest)\.xml$/.exec(name)?.[1];
  if (name.endsWith(".xml")) {
    const report = readReport(bytes, clean);
    if (report.how === "broken") return `is ${report.why}`;
    return report.how === "none" ? "is empty or cut" : { runner: xml ?? "unknown", cases: report.cases };
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
