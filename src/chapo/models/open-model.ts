// Opens the model the settings name, with those it falls back to. Leaves asking to sdk.ts and scripted.ts, trying again to patience.ts.
import type { Prices } from "../../config/read/prices.js";
import { UserError } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import type { Model } from "../model.js";
import {
  findKey,
  listNeededKeys,
  readModelName,
  spellModelName,
  findContextWindow,
  type ModelName,
} from "../../config/table/model-names.js";
import { given } from "../../system/given.js";
import { createFallbackChain } from "./patience.js";
import type { Provider } from "./provider.js";
import { readScript, createScriptedProvider } from "./scripted.js";
import { createSdkProvider } from "./sdk.js";

export interface ModelSettings {
  /** `provider/model`. */
  model: string;
  /** Those asked where it cannot be, in this order. */
  fallback: readonly string[];
  /** Of the model's provider, and of those of the fallbacks that are the same provider's. */
  baseUrl?: string;
  /** Absolute path of the file of the scripted model. */
  script?: string;
  prices?: Prices;
  /** Tokens; instead of what is known of the model. */
  contextWindow?: number;
  stream: boolean;
  temperature?: number;
  maxOutputTokens?: number;
  /** Tries after the first, of each model. */
  maxRetries: number;
}

export type ModelDeps = Pick<Ports, "clock" | "files" | "random"> & {
  env: Readonly<Record<string, string | undefined>>;
  /** The longest a stream may be silent, ms; 120 s where nothing is said. */
  idleMs?: number;
};

const IDLE_MS = 120_000;

/** The model. Throws a `UserError` where a name is none, an address or a script is missing, or there is no key for any of the models. */
export async function openModel(settings: ModelSettings, deps: ModelDeps): Promise<Model> {
  const main = parseName(settings.model, "model");
  const names = [main, ...settings.fallback.map((name) => parseName(name, "fallback"))];
  const providers = await Promise.all(names.map((name) => openProvider(name, main, settings, deps)));
  const ready = providers.filter((provider) => provider !== undefined);
  if (ready.length === 0) throw createMissingKeyError(main);
  const { clock, random } = deps;
  const known = names
    .map((name) => findContextWindow(spellModelName(name)))
    .filter((size) => size !== undefined);
  return {
    name: spellModelName(main),
    contextWindow: settings.contextWindow ?? (known.length === 0 ? undefined : Math.min(...known)),
    ask: createFallbackChain(ready, { clock, random, maxRetries: settings.maxRetries }),
  };
}

function parseName(text: string, key: string): ModelName {
  const name = readModelName(text);
  if ("problem" in name) throw new UserError("usage", `${key}: ${name.problem}`, "correct the setting");
  return name;
}

/** `undefined` where there is no key for it. */
async function openProvider(
  model: ModelName,
  main: ModelName,
  settings: ModelSettings,
  deps: ModelDeps,
): Promise<Provider | undefined> {
  const { stream, prices, temperature, maxOutputTokens } = settings;
  const { clock, env } = deps;
  const priced = prices === undefined ? {} : { prices };
  if (model.provider === "scripted") return openScript(model, settings, deps);
  const baseUrl = model.provider === main.provider ? settings.baseUrl : undefined;
  if (model.provider === "openai-compatible" && baseUrl === undefined)
    throw new UserError(
      "usage",
      `${spellModelName(model)} needs the address of its server`,
      'set base_url, for example "http://localhost:11434/v1"',
    );
  const key = findKey(model.provider, env);
  if (key === undefined && listNeededKeys(model.provider).length > 0) return undefined;
  return createSdkProvider({
    model,
    key: key ?? "",
    stream,
    clock,
    idleMs: deps.idleMs ?? IDLE_MS,
    ...priced,
    ...(baseUrl === undefined ? {} : { baseUrl: baseUrl.replace(/\/+$/, "") }),
    ...given({ temperature, maxOutputTokens }),
  });
}

async function openScript(
  model: ModelName,
  { script: file, stream, prices }: ModelSettings,
  { files, clock, env }: ModelDeps,
): Promise<Provider> {
  if (file === undefined)
    throw new UserError("usage", `${spellModelName(model)} needs a file to play`, "set `script` to its path");
  const { LOOPER_TASK_ID: taskId, LOOPER_ATTEMPT: attempt } = env;
  return createScriptedProvider({
    name: spellModelName(model),
    script: await readScript(files, file),
    file,
    clock,
    stream,
    ...(taskId === undefined || taskId === "" ? {} : { taskId, attempt: Number(attempt ?? 1) }),
    ...given({ prices }),
  });
}

function createMissingKeyError(model: ModelName): UserError {
  const keys = listNeededKeys(model.provider).join(" or ");
  return new UserError(
    "environment",
    `there is no key for ${spellModelName(model)}: ${keys} is not set`,
    `put the key into the environment as ${keys}, or choose another model`,
  );
}
