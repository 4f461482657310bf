// Settings as they are told to people and programs: values as a file would spell them, secrets out. Pure.
import { createRedact, secretValues } from "../system/redact.js";
import type { Valued } from "./resolve.js";
import { rowOf, takesDuration } from "./settings.js";

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;
const TWO_MINUTES = 120_000;

/** `1d12h`; below two minutes in seconds: `90s`; what is no whole number of seconds as a number of them. */
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

/** Every setting that has a value, in the table's order. `env`: whose secret values are looked for in all of them. */
export function spellSettings(
  values: ReadonlyMap<string, Valued>,
  env: Readonly<Record<string, string | undefined>>,
): { key: string; value: unknown; source: Valued["source"] }[] {
  const ofAgents = [...values].flatMap(([key, { value }]) => {
    const [, , part, ...name] = key.split(".");
    return key.startsWith("agents.") && part === "env" && typeof value === "string"
      ? [[name.join("."), value] as const]
      : [];
  });
  const secrets = [
    ...secretValues(env),
    ...ofAgents.flatMap(([name, value]) => secretValues({ [name]: value })),
  ];
  const redact = createRedact(secrets);
  return [...values].map(([key, { value, source }]) => ({ key, value: spell(key, value, redact), source }));
}

function spell(key: string, value: unknown, redact: (text: string) => string): unknown {
  const row = rowOf(key);
  if (row !== undefined && takesDuration(row) && typeof value === "number") return spellDuration(value);
  if (typeof value === "string") return redact(value);
  return Array.isArray(value)
    ? value.map((item: unknown) => (typeof item === "string" ? redact(item) : item))
    : value;
}
