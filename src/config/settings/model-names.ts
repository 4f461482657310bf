// Which models there are to ask: how their names are read, and which keys they need. Pure.
import { nearest } from "../../system/text/nearest.js";

/** In the order they are tried in for who names no model. */
const NAMES = ["anthropic", "openai", "google", "openai-compatible", "scripted"] as const;
export type ProviderName = (typeof NAMES)[number];

/** A model's name, taken apart. */
export interface ModelName {
  provider: ProviderName;
  /** As the provider calls it. */
  model: string;
}

type Env = Readonly<Record<string, string | undefined>>;

interface ProviderFacts {
  /** Variables of the environment its key may stand in, the first that is set counts. */
  keys: readonly string[];
  /** The model for who names none. */
  usual?: string;
}

const PROVIDERS: Readonly<Record<ProviderName, ProviderFacts>> = {
  anthropic: { keys: ["ANTHROPIC_API_KEY"], usual: "claude-sonnet-5-5" },
  openai: { keys: ["OPENAI_API_KEY"], usual: "gpt-5.6" },
  google: { keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"], usual: "gemini-pro-latest" },
  "openai-compatible": { keys: ["LOOPER_CHAPO_API_KEY"] },
  scripted: { keys: [] },
};
const SPELLED = [...NAMES.slice(0, 3), "gemini", ...NAMES.slice(3)];

/** The context windows of models in tokens, by the beginning of their names. */
const WINDOWS: readonly (readonly [string, number])[] = [
  ["anthropic/claude-", 200_000],
  ["openai/gpt-5", 272_000],
  ["openai/gpt-4o", 128_000],
  ["google/gemini-", 1_000_000],
];

/** Reads `provider/model`; the model's own name may hold slashes. A problem says what a name is like. */
export function readModelName(text: string): ModelName | { problem: string } {
  const at = text.indexOf("/");
  const spelled = (at === -1 ? text : text.slice(0, at)).trim();
  const provider = providerOf(spelled);
  const model = at === -1 ? "" : text.slice(at + 1).trim();
  const example = 'a model is named like "anthropic/claude-sonnet-5-5"';
  if (provider === undefined && at === -1)
    return { problem: `"${text}" names no provider: ${example}, the provider one of ${SPELLED.join(", ")}` };
  if (provider === undefined) {
    const meant = nearest(spelled, SPELLED);
    const did = meant === undefined ? "" : `; did you mean "${meant}/${model}"?`;
    return { problem: `"${spelled}" in "${text}" is not a provider (${SPELLED.join(", ")})${did}` };
  }
  if (model === "" && provider === "scripted") return { provider, model: "script" };
  if (model === "") return { problem: `"${text}" names no model: ${example}` };
  return { provider, model };
}

/** `provider/model`, the provider by its one name. */
export function spellModelName({ provider, model }: ModelName): string {
  return `${provider}/${model}`;
}

/** `provider/model` for who names none: of the first provider there is a key for. */
export function findUsualModel(env: Env): string | undefined {
  for (const provider of NAMES) {
    const { usual } = PROVIDERS[provider];
    if (usual !== undefined && findKey(provider, env) !== undefined) return `${provider}/${usual}`;
  }
  return undefined;
}

/** `provider/model` for who names the provider alone; of a provider without a usual one, what it is called. */
export function usualModelOf(provider: ProviderName): string {
  return `${provider}/${PROVIDERS[provider].usual ?? ""}`;
}

/** The provider's key; `undefined` where the environment holds none, or an empty one. */
export function findKey(provider: ProviderName, env: Env): string | undefined {
  return PROVIDERS[provider].keys
    .map((name) => env[name]?.trim())
    .find((key) => key !== undefined && key !== "");
}

/** The variables a key must stand in for this provider to be asked at all, one of them; none where it goes without. */
export function listNeededKeys(provider: ProviderName): readonly string[] {
  return provider === "openai-compatible" ? [] : PROVIDERS[provider].keys;
}

/** The context window of a model in tokens; `undefined` when it is not known. */
export function findContextWindow(name: string): number | undefined {
  return WINDOWS.find(([beginning]) => name.startsWith(beginning))?.[1];
}

function providerOf(spelled: string): ProviderName | undefined {
  const name = spelled.toLowerCase();
  return name === "gemini" ? "google" : NAMES.find((one) => one === name);
}
