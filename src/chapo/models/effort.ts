// How much a model is asked to think: the levels, and each provider's own words for them. Pure.
import { EFFORTS, type Effort } from "../../config/settings/efforts.js";
import type { ModelName } from "../../config/settings/model-names.js";
import { nearest } from "../../system/text/nearest.js";
import type { SdkOptions } from "./sdk-messages.js";

/** Returns the level that a text names, or why it names none. */
export function readEffort(text: string): { effort: Effort } | { problem: string } {
  const wanted = text.trim().toLowerCase();
  const effort = EFFORTS.find((one) => one === wanted);
  if (effort !== undefined) return { effort };
  const meant = nearest(wanted, EFFORTS);
  const hint = meant === undefined ? "" : `did you mean ${meant}? `;
  return { problem: `"${text.slice(0, 40)}" is not an effort; ${hint}one of ${EFFORTS.join(", ")}` };
}

type Options = NonNullable<SdkOptions["providerOptions"]>;

/** The options of a request that ask for the effort. A model that does not think may refuse them. */
export function toEffortOptions({ provider, model }: ModelName, effort: Effort | undefined): Options {
  if (effort === undefined || provider === "scripted") return {};
  const options = {
    anthropic: toAnthropic(model, effort),
    openai: { reasoningEffort: effort },
    google: { thinkingConfig: toGoogle(model, effort) },
    "openai-compatible": { reasoningEffort: effort },
  };
  return { [provider]: options[provider] };
}

/** Models that take a number of tokens, not a level. */
const BUDGETED = /claude-3|claude-(?:opus|sonnet|haiku)-4(?:$|@|-[0-5](?!\d)|-\d{8})/;
const BUDGETS: Readonly<Record<Exclude<Effort, "none">, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 10_000,
  high: 20_000,
  xhigh: 28_000,
  max: 31_000,
};

function toAnthropic(model: string, effort: Effort): Options[string] {
  if (effort === "none") return { thinking: { type: "disabled" } };
  if (BUDGETED.test(model)) return { thinking: { type: "enabled", budgetTokens: BUDGETS[effort] } };
  const thinking = { type: "adaptive", display: "summarized" };
  return { thinking, effort: effort === "minimal" ? "low" : effort };
}

function toGoogle(model: string, effort: Effort): Options[string] {
  if (/gemini-[12]\b/.test(model))
    return effort === "none"
      ? { thinkingBudget: 0 }
      : { thinkingBudget: Math.min(BUDGETS[effort], 24_576), includeThoughts: true };
  if (effort === "none") return { thinkingLevel: "minimal" };
  const level = effort === "xhigh" || effort === "max" ? "high" : effort;
  return { thinkingLevel: level, includeThoughts: true };
}
