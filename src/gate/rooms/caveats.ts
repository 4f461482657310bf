// Finds caveats of a verdict: the attempt changed files that decide its checks, or a check depends on the attempt's own
// code. Pure. protected-room.ts decides which files rooms keep.
import { posix } from "node:path";
import { toText } from "../../git/base/bytes.js";
import { exists, type DiffEntry } from "../../git/base/diff.js";
import { listSome } from "../../system/text/cut.js";
import type { Study } from "./cold-study.js";
import { withNote } from "../verdict/evidence.js";
import { mergeManifest } from "../influence/protected-manifests.js";
import { holdsSettings, isChangedRuleFile, isFile } from "./protected-room.js";
import type { GateReport } from "../verdict.js";
import { NOT_VERIFIED } from "../verdict/why-unverified.js";

const SHOWN = 5;
const UNTIL_NEXT_RUN =
  "this run's checks use the old version, and the next run's the new one: review it first";
const JUDGES = "it changes files that one of the task's own commands runs and trusts";
const WANTING =
  "it fails with the old tests alone: the output blames coverage or missing tests, but code under test can print that too";
const CHANGED = "changed while the checks ran";
const NAME_IT = "add them to verify.protected";

/** Protected files (text) that an attempt changed, added or removed, except tests. */
export function changedChecks({ changes, protection, blobs }: Study): string[] {
  const isHeld = (entry: DiffEntry): boolean => {
    const path = toText(entry.path);
    const kind = exists(entry.from) ? protection.kindOf(path) : protection.kindOfNew(path, entry.to);
    const manifest =
      isChangedRuleFile(entry, protection) || (kind === "free" && holdsSettings(entry, protection));
    if (!manifest) return kind !== "free" && kind !== "test";
    if (!exists(entry.from)) return false;
    if (!isFile(entry.from.mode) || !isFile(entry.to.mode)) return true;
    const [base, now] = [blobs.get(entry.from.oid), blobs.get(entry.to.oid)];
    if (base === undefined || now === undefined) return true;
    const texts = { base: toText(base), now: toText(now) };
    return mergeManifest(posix.basename(path), texts, false) !== undefined;
  };
  return changes.filter(isHeld).map(({ path }) => toText(path));
}

/** Files of the work (text) that an attempt changed and whose exit code is the result of a task's own command. */
export function changedJudges({ changes, protection, named }: Study): string[] {
  const paths = changes.filter(({ from }) => exists(from)).map(({ path }) => toText(path));
  return paths.filter((path) => named.work.has(path) && protection.kindOf(path) === "free");
}

/** Doubts that the passes leave. `strays`: files that differed from the commit when the checks ended. */
export function listDoubts(isWanting: boolean, strays: readonly string[]): string[] {
  return [
    ...(isWanting ? [WANTING] : []),
    ...(strays.length === 0
      ? []
      : [`the checked files differ from the commit: ${listSome(strays, SHOWN)} ${CHANGED}`]),
  ];
}

/** Adds the caveats to a report: names the held files, and makes an attempt with doubts unverified. */
export function addDoubts(
  report: GateReport,
  { study, attempt, doubts }: { study: Study; attempt: Study; doubts: readonly string[] },
): { report: GateReport; warnings: readonly string[] } {
  const since = report.verdict === "failed" ? changedChecks(study) : [];
  if (since.length > 0) {
    const note = `Kept as before the run, because they decide its checks (exclude others with verify.protected): ${listSome(since, SHOWN)}`;
    return { report: { ...report, evidence: withNote(report.evidence, note) }, warnings: [] };
  }
  if (report.verdict !== "passed" && report.verdict !== "unverified") return { report, warnings: [] };
  const [held, judges] = [changedChecks(attempt), changedJudges(attempt)];
  const warnings = [
    ...(held.length === 0
      ? []
      : [`it changes files that decide its checks: ${listSome(held, SHOWN)}; ${UNTIL_NEXT_RUN}`]),
    ...doubts.map((doubt) => `${NOT_VERIFIED}${doubt}`),
    ...(judges.length === 0 ? [] : [`${NOT_VERIFIED}${JUDGES}: ${listSome(judges, SHOWN)}; ${NAME_IT}`]),
  ];
  return {
    report: judges.length + doubts.length === 0 ? report : { ...report, verdict: "unverified" },
    warnings,
  };
}
