// What has to be said of an attempt beside its verdict: it changed what it was checked by, or a check that has only its own
// word for it. Pure. Leaves what is held in rooms to protected-room.ts.
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
  "the checks of this run take it as it was before, those of the next run as it is now: look at it first";
const JUDGES = "it changes what a command of the task's own runs and believes";
const WANTING =
  "with the tests there were alone it fails: by coverage or for want of tests, as the checks print, which code under test can print too";
const CHANGED = "changed while the checks ran";
const NAME_IT = "verify.protected can name it";

/** Protected files (text) that an attempt changed, added or removed; its tests are not among them. */
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

/** Files of the work (text) that an attempt changed, and that a task's own command runs and believes. */
export function changedJudges({ changes, protection, named }: Study): string[] {
  const paths = changes.filter(({ from }) => exists(from)).map(({ path }) => toText(path));
  return paths.filter((path) => named.work.has(path) && protection.kindOf(path) === "free");
}

/** What the passes leave open. `strays`: what was not as it would be committed when the checks ended. */
export function doubtsOf(isWanting: boolean, strays: readonly string[]): string[] {
  return [
    ...(isWanting ? [WANTING] : []),
    ...(strays.length === 0
      ? []
      : [`what was checked is not what would be committed: ${listSome(strays, SHOWN)} ${CHANGED}`]),
  ];
}

/** A report with what has to be known of it: what was held is named, and an attempt that only has its own word is unverified. */
export function withDoubts(
  report: GateReport,
  { study, attempt, doubts }: { study: Study; attempt: Study; doubts: readonly string[] },
): { report: GateReport; warnings: readonly string[] } {
  const since = report.verdict === "failed" ? changedChecks(study) : [];
  if (since.length > 0) {
    const note = `Held as before the run, since they check it (verify.protected takes out what does not): ${listSome(since, SHOWN)}`;
    return { report: { ...report, evidence: withNote(report.evidence, note) }, warnings: [] };
  }
  if (report.verdict !== "passed" && report.verdict !== "unverified") return { report, warnings: [] };
  const [held, judges] = [changedChecks(attempt), changedJudges(attempt)];
  const warnings = [
    ...(held.length === 0 ? [] : [`it changes what checks it: ${listSome(held, SHOWN)}; ${UNTIL_NEXT_RUN}`]),
    ...doubts.map((doubt) => `${NOT_VERIFIED}${doubt}`),
    ...(judges.length === 0 ? [] : [`${NOT_VERIFIED}${JUDGES}: ${listSome(judges, SHOWN)}; ${NAME_IT}`]),
  ];
  return {
    report: judges.length + doubts.length === 0 ? report : { ...report, verdict: "unverified" },
    warnings,
  };
}
