// A release as lines: its steps, its result, and its plan. Pure.
import type { RunEvent } from "../../../logging/events/events.js";
import { never } from "../../../system/never.js";
import { listSome } from "../../../system/text/cut.js";
import { plural, showDuration } from "../../view/words/amounts.js";
import type { ReleaseView } from "../../view/release-view.js";
import type { ReleaseDone } from "../../answers/project/release.js";
import type { PushAnswer } from "../../shapes/release.js";
import type { Colours } from "../../colours.js";
import { clean } from "../../text.js";
import { whyNotReleased } from "./release-texts.js";

type Step = Extract<RunEvent, { type: "release_step" }>;
type Planned = Extract<PushAnswer, { outcome: "planned" }>;
const HASH = 12;
const NAMED = 10;
/** How much of a check's output is shown. */
const TAIL = 20;

/** The lines for one step in progress. */
export function stepLines(step: Step, { order, tag = "" }: ReleaseView, colours: Colours): string[] {
  const mark = step.outcome === "ok" ? colours.green("✓") : colours.red("✗");
  switch (step.what) {
    case "before":
    case "after":
      return (step.commands ?? []).flatMap((one) => checkLines(one, colours));
    case "judge":
      if (step.outcome !== "ok") return [];
      return [
        `${mark} ${clean(order.from ?? "nothing")} → ${clean(step.version ?? "")} in ${named(step.paths ?? [])}`,
      ];
    case "make":
      return step.outcome === "ok"
        ? [`${mark} committed ${(step.commit ?? "").slice(0, HASH)}, tagged ${clean(tag)}`]
        : [];
    case "push":
      return step.outcome === "ok"
        ? [`${mark} pushed ${clean(order.branch)} and ${clean(tag)} to ${clean(order.remote?.name ?? "")}`]
        : [];
    case "publish":
      return step.outcome === "ok" ? [`${mark} published ${clean(step.url ?? "")}`] : [];
    default:
      return never(step.what);
  }
}

function checkLines(one: NonNullable<Step["commands"]>[number], colours: Colours): string[] {
  const took = colours.dim(`(${showDuration(one.duration_ms)})`);
  if (one.passed) return [`${colours.green("✓")} ${clean(one.command)} ${took}`];
  const how = one.end === "exited" ? `exit ${one.exit_code ?? "?"}` : one.end;
  const tail = one.tail.trimEnd().split("\n").slice(-TAIL);
  return [
    `${colours.red("✗")} ${clean(one.command)}: ${how} ${took}`,
    ...tail.map((line) => `  ${clean(line)}`),
  ];
}

function named(paths: readonly string[]): string {
  return listSome(paths.map(clean), NAMED);
}

/** The answer as lines: the result for stdout, the reason it stopped for stderr. */
export function releaseLines(
  answer: ReleaseDone,
  log: string,
  colours: Colours,
): { answer: string[]; errors: string[] } {
  const { outcome, version, tag, commit, from, remote, branch, why, published } = answer;
  const shown = clean(log) === "" ? [] : [colours.dim(`log: ${clean(log)}`)];
  const [name, was] = [clean(version ?? ""), from === null ? "" : ` (was ${clean(from)})`];
  const at = `${clean(tag ?? "")} at ${(commit ?? "").slice(0, HASH)}`;
  const out =
    remote === null
      ? "not pushed: no remote"
      : `pushed ${clean(branch)} and ${clean(tag ?? "")} to ${clean(remote.name)}`;
  switch (outcome) {
    case "released": {
      const errors =
        why === null ? [] : [`looper: not published: ${clean(why)}`, "  looper push tries it again"];
      const lines = [
        `${colours.green(colours.bold("released"))} ${name}${was}: ${at}`,
        out,
        ...(remote === null ? ["next: git remote add origin URL, then git push --follow-tags"] : []),
        ...(published === null ? [] : [`published ${clean(published)}`]),
      ];
      return { answer: [...lines, ...shown], errors };
    }
    case "made":
      return {
        answer: [`${colours.yellow(colours.bold("made"))} ${name}${was}: ${at}, here only`, ...shown],
        errors: [
          `looper: ${clean(why ?? "it is not pushed")}`,
          "  looper push continues from here (-y: without asking)",
          `  or: git push --atomic ${clean(remote?.name ?? "")} ${clean(branch)} ${clean(tag ?? "")}`,
        ],
      };
    case "not-released":
      return { answer: shown, errors: failedLines(answer) };
    default:
      return never(outcome);
  }
}

function failedLines(answer: ReleaseDone): string[] {
  const { rescue } = answer;
  return [
    ...whyNotReleased(answer).map((line, at) => (at === 0 ? `looper: not released: ${line}` : `  ${line}`)),
    "  the tree is as before",
    ...(rescue === null ? [] : [`  what the agent changed is kept: git show ${clean(rescue)}`]),
  ];
}

/** The plan of a release. */
export function planLines(plan: Planned, colours: Colours): string[] {
  const {
    from,
    wanted,
    last_tag: tag,
    commits,
    places,
    changelog,
    branch,
    remote,
    github,
    checks,
    agent,
    made,
  } = plan;
  const where =
    remote === null
      ? "nowhere: no remote"
      : `${clean(branch)} and the tag to ${clean(remote.name)} (${clean(remote.url)})`;
  const rows: [string, string][] = [
    ["version", from === null ? "none yet" : clean(from)],
    ["wanted", wanted === null ? "the agent chooses" : clean(wanted)],
    ["changes", `${plural(commits, "commit")}${tag === null ? "" : ` since ${clean(tag)}`}`],
    ["named in", places.length === 0 ? "no file" : named([...new Set(places.map(({ path }) => path))])],
    ["changelog", changelog === null ? "none yet: CHANGELOG.md is to be written" : clean(changelog)],
    ["checks", checks.length === 0 ? "none: verify.commands is empty" : named(checks)],
    ["agent", clean(agent)],
    ["pushes", where],
    ...(github === null ? [] : ([["publishes", `on GitHub, ${clean(github)}`]] as [string, string][])),
  ];
  const goesOn = made === null ? [] : [`${clean(made)} is made and not out yet: only that would be done`];
  const table = rows.map(([name, value]) => `${colours.dim(name.padEnd(10))} ${value}`);
  return [...goesOn, ...table];
}
