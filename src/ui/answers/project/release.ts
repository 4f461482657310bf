// The answers of `looper push --json`: a release, and its plan (`--dry-run`). Pure. Leaves both to src/release and src/loop.
import type { ReleasePlan } from "../../../loop/start/open-release.js";
import type { PushAnswer } from "../../shapes/release.js";
import type { ReleaseView } from "../../view/release-view.js";
import type { View } from "../../view/view.js";

/** A release that was made or tried. */
export type ReleaseDone = Exclude<PushAnswer, { outcome: "planned" }>;

/** The plan of a release. */
export type ReleasePlanned = Extract<PushAnswer, { outcome: "planned" }>;

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

/** The plan of a release. `checks`: the commands that prove it. */
export function plannedReleaseAnswer(
  { facts, rules, agent, prompt }: ReleasePlan,
  checks: readonly string[],
): ReleasePlanned {
  const { known, lastTag, since, made } = facts;
  return {
    outcome: "planned",
    from: known.from ?? null,
    wanted: known.wanted ?? null,
    last_tag: lastTag ?? null,
    commits: since.count,
    places: known.places.map(({ path, where }) => ({ path, where })),
    changelog: known.changelog ?? null,
    branch: rules.branch,
    remote: rules.remote ?? null,
    github: rules.github ?? null,
    checks: [...checks],
    agent,
    made: made?.tag ?? null,
    prompt: prompt ?? null,
  };
}
