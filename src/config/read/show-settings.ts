// Settings as they are told to people and programs: values as a file would spell them, secrets out. Pure.
import { createRedact, redactValue, findSecretValues } from "../../system/text/secrets/redact.js";
import type { Valued } from "./resolve.js";
import { rowOf } from "../settings/settings.js";
import { byteSize, duration } from "../settings/types.js";

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;
const TWO_MINUTES = 120_000;

/** `1d12h`; below two minutes in seconds: `90s`; a fraction of seconds as a number. */
export function spellDuration(ms: number): string | number {
  if (ms === 0 || ms % 1_000 !== 0) return ms / 1_000;
  if (ms < TWO_MINUTES) return `${String(ms / 1_000)}s`;
  let rest = ms;
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? "" : `${count}${unit}`;
  });
  return parts.join("");
}

const SIZES = [
  ["GB", 1024 ** 3],
  ["MB", 1024 ** 2],
  ["KB", 1024],
] as const;

/** `2GB`; what is not a whole number of any unit as a number of bytes. */
export function spellByteSize(bytes: number): string | number {
  const [unit, size] = SIZES.find(([, one]) => bytes > 0 && bytes % one === 0) ?? ["", 1];
  return unit === "" ? bytes : `${String(bytes / size)}${unit}`;
}

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
  return [...values].map(([key, { value, source }]) => ({ key, value: spell(key, value, redact), source }));
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

function spell(key: string, value: unknown, redact: (text: string) => string): unknown {
  const type = rowOf(key)?.type;
  if (type === duration && typeof value === "number") return spellDuration(value);
  if (type === byteSize && typeof value === "number") return spellByteSize(value);
  return redactValue(redact, value, new Set());
}
