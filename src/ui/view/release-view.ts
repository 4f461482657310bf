// The view of a release, folded from its events. Pure.
import type { RunEvent } from "../../logging/events/events.js";
import type { ReleaseRules } from "../../logging/rules.js";
import { given } from "../../system/given.js";

type Step = Extract<RunEvent, { type: "release_step" }>;

export interface ReleaseView {
  order: ReleaseRules;
  version?: string;
  tag?: string;
  commit?: string;
  /** Paths that the agent changed. */
  paths: readonly string[];
  /** The verdicts of the last time they ran. */
  checks: NonNullable<Step["commands"]>;
  problems: Step["problems"];
  pushed: boolean;
  /** Where it was published. */
  url?: string;
  /** The ref of the rescue with the reverted changes. */
  rescue?: string;
}

/** Before its first step. */
export function beginRelease(order: ReleaseRules): ReleaseView {
  const { made } = order;
  return {
    order,
    ...(made === undefined ? {} : { version: made.version, tag: made.tag }),
    // A release exists only with its tag.
    ...(made?.tagged === true ? { commit: made.commit } : {}),
    paths: [],
    checks: [],
    problems: [],
    pushed: made?.pushed === true,
  };
}

/** The release after one more event. */
export function foldRelease(release: ReleaseView, event: RunEvent): ReleaseView {
  if (event.type === "restored")
    return event.rescue === undefined ? release : { ...release, rescue: event.rescue };
  if (event.type !== "release_step") return release;
  const { what, outcome, version, tag, commit, paths, commands, url, problems } = event;
  return {
    ...release,
    ...given({ version, tag, commit, paths, checks: commands }),
    ...(url === undefined || url === "" ? {} : { url }),
    problems,
    pushed: release.pushed || (what === "push" && outcome === "ok"),
  };
}
