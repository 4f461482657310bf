// The answers of `looper push --json`: a release, and its plan (`--dry-run`). Pure. Leaves both to src/loop.
import type { Released, ReleasePlan } from "../../../loop/release/release.js";
import type { PushAnswer } from "../../shapes/release.js";
import type { View } from "../../view/view.js";

/** A release that was made or tried. */
export type ReleaseDone = Exclude<PushAnswer, { outcome: "planned" }>;

/** The JSON answer of a release. */
export function releaseAnswer(released: Released, { warnings, run }: View): ReleaseDone {
  const { from, version, tag, commit, pushed, published, problems, rescue } = released;
  // Without a remote nothing is pushed, and nothing went wrong.
  const isOut = commit !== undefined && (pushed || problems.length === 0);
  return {
    outcome: isOut ? "released" : commit === undefined ? "not-released" : "made",
    from: from ?? null,
    version: version ?? null,
    tag: tag ?? null,
    commit: commit ?? null,
    pushed,
    published: published ?? null,
    problems: [...problems],
    rescue: rescue ?? null,
    warnings: [...warnings],
    run,
  };
}

/** The plan of a release. */
export function plannedReleaseAnswer({
  facts,
  agent,
  prompt,
}: ReleasePlan): Extract<PushAnswer, { outcome: "planned" }> {
  const { from, wanted, tag, count, versionFile, changelog, checks } = facts.prompt;
  const known = (text: string): string | null => (text === "" ? null : text);
  return {
    outcome: "planned",
    from: known(from),
    wanted: known(wanted),
    last_tag: known(tag),
    commits: count,
    version_file: known(versionFile),
    changelog: known(changelog),
    branch: facts.branch.replace(/^refs\/heads\//, ""),
    remote: facts.remote?.name ?? null,
    checks: [...checks],
    agent,
    prompt,
  };
}
