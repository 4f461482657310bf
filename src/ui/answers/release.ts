// The answer of `looper push --json` after a release. Pure. Leaves the plan to cmd/commands/run/push.ts.
import type { PushAnswer } from "../shapes/release.js";
import type { ReleaseView } from "../view/release-view.js";
import type { View } from "../view/view.js";

/** A release that was made or tried. */
export type ReleaseDone = Exclude<PushAnswer, { outcome: "planned" }>;

/** The JSON answer of a release. */
export function releaseAnswer(view: View, release: ReleaseView): ReleaseDone {
  const { order, version, tag, commit, paths, checks, problems, pushed, url, rescue } = release;
  const isOut = commit !== undefined && (pushed || order.remote === undefined);
  return {
    outcome: isOut ? "released" : commit === undefined ? "not-released" : "made",
    from: order.from ?? null,
    version: version ?? null,
    tag: tag ?? null,
    commit: commit ?? null,
    branch: order.branch,
    remote: order.remote ?? null,
    pushed,
    published: url ?? null,
    paths: [...paths],
    checks: [...checks],
    problems: [...problems],
    why: view.ended?.message ?? (view.ended?.ending === "interrupted" ? "interrupted" : null),
    rescue: rescue ?? null,
    warnings: [...view.warnings],
    run: view.run,
  };
}
