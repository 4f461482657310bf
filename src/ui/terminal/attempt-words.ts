// The words for an attempt in the lines of `looper show`, and the scene they share. Pure.
import type { ShowAnswer } from "../shapes/runs.js";
import type { Colours } from "../colours.js";
import { clean } from "../text.js";

type Attempt = ShowAnswer["history"][number];

export interface TaskScene {
  /** Epoch ms. */
  now: number;
  /** The run in progress. */
  live: string | undefined;
  colours: Colours;
  /** Long texts are wrapped at this width. */
  columns?: number;
  /** The folder of the outputs of stages, as shown. */
  tasksDir: string;
  /** A path as it is shown. */
  shown: (file: string) => string;
}

/** The result of an attempt in a word or two. */
export function resultText({ result, verdict, run }: Attempt, live: string | undefined): string {
  if (result === null) return run === live ? "in hand" : "killed";
  const isPlain = verdict === null || verdict === "verified" || verdict === "none";
  return isPlain ? result : `${result}, ${verdict}`;
}

/** Further lines about an attempt. */
export function afterwards({ why, warnings, commit, rescue }: Attempt): string[] {
  return [
    why === "" ? "" : clean(why),
    ...warnings.map((text) => `! ${clean(text)}`),
    commit === null ? "" : `commit ${commit.slice(0, 12)}`,
    rescue === null ? "" : `its work is kept as ${clean(rescue)}: looper rescue`,
  ].filter((text) => text !== "");
}
