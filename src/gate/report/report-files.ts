// Finds the test reports that a command wrote: on its stdout, or in files that changed while it ran. Older
// reports are ignored. report.ts reads them.
import { join, resolve } from "node:path";
import { errorCode } from "../../system/errors.js";
import type { FileStat, Ports } from "../../system/ports.js";
import type { FirstBytes } from "./output.js";
import { readReport } from "./report.js";
import { nameCases, type CleanPart, type TestCase } from "./test-names.js";
import type { TestStatus } from "../verdict.js";

/** Limits of one command's stdout, and of all its report files together; a longer report is not read. */
export const MOST_STDOUT = 16 * 1024 * 1024;
const MOST_FILES = 64 * 1024 * 1024;

/** File times are only some milliseconds exact: a file rewritten within this time could look unchanged. */
const SHORTLY_MS = 50;

const STDOUT = "stdout";

/** The reported tests; `undefined` without a readable report, with a line in `problems` if there was an unreadable one. */
interface Reported {
  tests: Record<string, TestStatus> | undefined;
  problems: string[];
}

/**
 * Records the files at the places of reports: `stdout`, or files and folders relative to `cwd`. Returns what reads the reports written
 * since: every changed file, and stdout. One unreadable report makes all count as none.
 */
export async function watchReports(
  { files, clock }: Pick<Ports, "files" | "clock">,
  cwd: string,
  reports: readonly string[],
): Promise<(of: { stdout: FirstBytes; clean: CleanPart }) => Promise<Reported>> {
  const before = await reportFiles(files, cwd, reports);
  const newest = Math.max(...[...before.values()].map(({ ctimeMs }) => ctimeMs));
  if (Math.abs(clock.now() - newest) < SHORTLY_MS) await clock.sleep(SHORTLY_MS);
  return async ({ stdout, clean }) => {
    const read: TestCase[][] = [];
    const problems: string[] = [];
    const take = (place: string, bytes: Uint8Array): void => {
      const report = readReport(bytes, clean);
      if (report.how === "read") read.push(report.cases);
      if (report.how === "broken") problems.push(`no test report: ${place} is ${report.why}`);
    };
    if (reports.includes(STDOUT)) {
      if (stdout.whole) take(STDOUT, stdout.bytes());
      else problems.push(`no test report: more than ${MOST_STDOUT} bytes on stdout`);
    }
    const found = await reportFiles(files, cwd, reports);
    const changed = [...found].filter(([path, stat]) => versionOf(before.get(path)) !== versionOf(stat));
    const bytes = await readFiles(files, changed);
    if (typeof bytes === "string") problems.push(`no test report: ${bytes}`);
    else for (const [path, one] of bytes) take(path, one);
    if (read.length === 0 || problems.length > 0) return { tests: undefined, problems };
    return { tests: Object.fromEntries(nameCases(read.flat())), problems };
  };
}

/** The bytes of files; or the reason why not all can be read. */
export async function readFiles(
  files: Ports["files"],
  found: readonly (readonly [path: string, stat: FileStat])[],
): Promise<readonly (readonly [path: string, bytes: Uint8Array])[] | string> {
  const size = found.reduce((sum, [, stat]) => sum + stat.size, 0);
  if (size > MOST_FILES) return `more than ${MOST_FILES} bytes of report files`;
  const read: [string, Uint8Array][] = [];
  for (const [path, stat] of found) {
    const bytes = await unlessRefused(files.readRange(path, 0, stat.size));
    if (bytes === undefined) return `${path} cannot be read`;
    read.push([path, bytes]);
  }
  return read;
}

/** The files that may be reports: those that are named, and each .xml and .tap in a named folder. */
async function reportFiles(
  files: Ports["files"],
  cwd: string,
  reports: readonly string[],
): Promise<Map<string, FileStat>> {
  const found = new Map<string, FileStat>();
  for (const report of reports) {
    if (report === STDOUT) continue;
    const place = resolve(cwd, report);
    const stat = await unlessRefused(files.stat(place));
    if (stat?.kind === "file") found.set(place, stat);
    if (stat?.kind !== "folder") continue;
    for (const name of (await unlessRefused(files.list(place))) ?? []) {
      if (!/\.(?:xml|tap)$/i.test(name)) continue;
      const path = join(place, name);
      const inside = await unlessRefused(files.stat(path));
      if (inside?.kind === "file") found.set(path, inside);
    }
  }
  return found;
}

function versionOf(stat: FileStat | undefined): string {
  return stat === undefined ? "" : [stat.device, stat.inode, stat.size, stat.mtimeMs, stat.ctimeMs].join(" ");
}

/** `undefined` for a file that the command removed or made unreadable: its report is not needed. */
export async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
