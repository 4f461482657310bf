// Which models the built-in engine can ask, by name, and the keys it needs for that. Pure.
// Leaves asking them to src/chapo/models.
import { nearest } from "../system/nearest.js";

/** Who serves models. */
export const PROVIDERS = ["anthropic", "openai", "google", "openai-compatible", "scripted"] as const;
export type Provider = (typeof PROVIDERS)[number];

const ALIASES: Readonly<Record<string, Provider>> = { gemini: "google" };

/** The variables a key is looked for in, the first that is set. Of others none is needed, though one may be given. */
const KEYS: Readonly<Record<Provider, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  "openai-compatible": ["LOOPER_CHAPO_API_KEY"],
  scripted: [],
};

/** What is asked where nobody named a model: that of the first provider there is a key for. */
const USUAL: readonly (readonly [Provider, string])[] = [
  ["anthropic", "claude-sonnet-4-5"],
  ["openai", "gpt-5.5"],
  ["google", "gemini-2.5-pro"],
];

type Env = Readonly<Record<string, string | undefined>>;

export interface ModelName {
  provider: Provider;
  /** As the provider knows it; may hold slashes. */
  model: string;
}

/** `provider/model`, or what is wrong with it; `scripted` alone will do. */
export function readModelName(name: string): ModelName | { problem: string } {
  const cut = name.indexOf("/");
  const [first, model] = cut === -1 ? [name, ""] : [name.slice(0, cut), name.slice(cut + 1)];
  const provider = providerOf(first);
  if (provider === "scripted") return { provider, model: model === "" ? "script" : model };
  if (provider !== undefined && model.trim() !== "") return { provider, model };
  if (provider !== undefined) return { problem: `${name} names no model; ${provider}/<model> does` };
  const near = nearest(first, [...PROVIDERS, ...Object.keys(ALIASES)]);
  const hint = near === undefined ? "" : `; did you mean ${near}/${model === "" ? "<model>" : model}?`;
  return { problem: `${name} is no provider/model of ${PROVIDERS.join(", ")}${hint}` };
}

function providerOf(name: string): Provider | undefined {
  return (
    PROVIDERS.find((known) => known === name) ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined)
  );
}

/** The key of a provider from the environment; `variables` are those it may stand in, the usual one first. */
export function findKey(provider: Provider, env: Env): { key?: string; variables: readonly string[] } {
  const variables = KEYS[provider];
  const key = variables.map((name) => env[name]).find((value) => value !== undefined && value !== "");
  return key === undefined ? { variables } : { key, variables };
}

/** Whether a provider answers nobody without a key. */
export function needsKey(provider: Provider): boolean {
  return provider !== "scripted" && provider !== "openai-compatible";
}

/** `provider/model` of the first provider there is a key for. */
export function usualModel(env: Env): string | undefined {
  const [provider, model] = USUAL.find(([one]) => findKey(one, env).key !== undefined) ?? [];
  return provider === undefined || model === undefined ? undefined : `${provider}/${model}`;
}
