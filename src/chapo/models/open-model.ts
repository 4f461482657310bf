// Opens the model in the settings with its fallbacks. sdk.ts and scripted.ts send requests; fallback-chain.ts retries them.
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import type { Prices } from "../../config/read/prices.js";
import { type UserError, environmentError, usageError } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import type { Model } from "../model.js";
import {
  findKey,
  listNeededKeys,
  readModelName,
  spellModelName,
  findContextWindow,
  type ModelName,
} from "../../config/settings/model-names.js";
import { createFallbackChain, type Provider } from "./fallback-chain.js";
import { readScript, createScriptedProvider } from "./scripted.js";
import { createSdkProvider } from "./sdk.js";

/** The settings of a model: `agents.<name>.chapo.*`. The address is also that of fallbacks of the same provider. */
export interface ModelSettings extends Pick<
  ChapoSettings,
  | "fallback"
  | "baseUrl"
  | "script"
  | "contextWindow"
  | "stream"
  | "temperature"
  | "maxOutputTokens"
  | "maxToolRetries"
> {
  /** `provider/model`. */
  model: string;
  prices?: Prices | undefined;
}

export type ModelDeps = Pick<Ports, "clock" | "files" | "random"> & {
  env: Readonly<Record<string, string | undefined>>;
  /** How long a stream may be silent, in ms; 120 s if not set. */
  idleMs?: number;
};

const IDLE_MS = 120_000;

/** Opens the model. Throws a `UserError` if a name is invalid, an address or a script is missing, or no model has a key. */
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
    ask: createFallbackChain(ready, { clock, random, maxRetries: settings.maxToolRetries }),
  };
}

function parseName(text: string, key: string): ModelName {
  const name = readModelName(text);
  if ("problem" in name) throw usageError(`${key}: ${name.problem}`, "correct the setting");
  return name;
}

/** Opens a provider; `undefined` if its key is missing. */
async function openProvider(
  model: ModelName,
  main: ModelName,
  settings: ModelSettings,
  deps: ModelDeps,
): Promise<Provider | undefined> {
  const { stream, prices, temperature, maxOutputTokens } = settings;
  const { clock, env } = deps;
  if (model.provider === "scripted") return openScript(model, settings, deps);
  const baseUrl = model.provider === main.provider ? settings.baseUrl : undefined;
  if (model.provider === "openai-compatible" && baseUrl === undefined)
    throw usageError(
      `cannot open ${spellModelName(model)}: the address of its server is not set`,
      'set base_url, for example "http://localhost:11434/v1"',
    );
  const key = findKey(model.provider, env);
  if (key === undefined && listNeededKeys(model.provider).length > 0) return undefined;
  return createSdkProvider({
    ...{ model, stream, clock, prices, temperature, maxOutputTokens },
    key: key ?? "",
    idleMs: deps.idleMs ?? IDLE_MS,
    baseUrl: baseUrl?.replace(/(?<!\/)\/+$/, ""),
  });
}

async function openScript(
  model: ModelName,
  { script: file, stream, prices }: ModelSettings,
  { files, clock, env }: ModelDeps,
): Promise<Provider> {
  if (file === undefined)
    throw usageError(
      `cannot open ${spellModelName(model)}: its script file is not set`,
      "set `script` to its path",
    );
  const { LOOPER_TASK_ID: taskId, LOOPER_ATTEMPT: attempt } = env;
  return createScriptedProvider({
    name: spellModelName(model),
    script: await readScript(files, file),
    ...{ file, clock, stream, prices },
    taskId: taskId === "" ? undefined : taskId,
    attempt: Number(attempt ?? 1),
  });
}

function createMissingKeyError(model: ModelName): UserError {
  const keys = listNeededKeys(model.provider).join(" or ");
  return environmentError(
    `cannot open ${spellModelName(model)}: ${keys} is not set`,
    `set ${keys} in the environment, or choose another model`,
  );
}
