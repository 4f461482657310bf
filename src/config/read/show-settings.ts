// Settings as they are told to people and programs: values as a file would spell them, secrets out. Pure.
import { createRedact, REDACTED, redactValue, findSecretValues } from "../../system/text/secrets/redact.js";
import type { Valued } from "./resolve.js";
import { rowOf } from "../settings/settings.js";
import { byteSize, duration } from "../settings/types.js";

/** Every setting that has a value, in the table's order. `env`: whose secret values are looked for in all of them. */
export function spellSettings(
  values: ReadonlyMap<string, Valued>,
  env: Readonly<Record<string, string | undefined>>,
): { key: string; value: unknown; source: Valued["source"] }[] {
  const ofAgents = [...values].flatMap(([key, { value }]) => {
    const [, , part, ...name] = key.split(".");
    if (!key.startsWith("agents.")) return [];
    if (part === "env" && typeof value === "string") return [[name.join("."), value] as const];
    return part === "chapo" ? variablesIn(value) : [];
  });
  const secrets = [
    ...findSecretValues(env),
    ...ofAgents.flatMap(([name, value]) => findSecretValues({ [name]: value })),
  ];
  const redact = createRedact(secrets);
  return [...values].map(([key, { value, spelled, source }]) => {
    const type = rowOf(key)?.type;
    const shown = type === duration || type === byteSize ? spelled : value;
    const told = key.endsWith("_secret") ? REDACTED : redactValue(redact, shown, new Set());
    return { key, value: told, source };
  });
}

/** Those a server of the Model Context Protocol is given; a header is as secret as a variable called TOKEN. */
function variablesIn(server: unknown): (readonly [string, string])[] {
  if (typeof server !== "object" || server === null) return [];
  const env = "env" in server ? Object.entries(server.env ?? {}) : [];
  const headers = "headers" in server ? Object.values(server.headers ?? {}) : [];
  return [...env, ...headers.map((value): [string, unknown] => ["TOKEN", value])].flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
}
