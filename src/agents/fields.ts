// Reads fields of JSON with an unknown shape: a field that is absent or of another type is `undefined`, never an error.

/** The value under a key of an object. */
export function field(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  const found: unknown = Reflect.get(value, key);
  return found;
}

/** The string under a key. */
export function textField(value: unknown, key: string): string | undefined {
  const found = field(value, key);
  return typeof found === "string" ? found : undefined;
}

/** The finite number under a key. */
export function numberField(value: unknown, key: string): number | undefined {
  const found = field(value, key);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** So many a single figure never is; sums of those that are less stay exact. */
const MOST_TOKENS = 1e12;
const MOST_USD = 1e9;

/** Drops an impossible number of tokens: the figure counts as not reported. */
export function believeTokens(count: number): number | undefined {
  return count <= MOST_TOKENS ? count : undefined;
}

/** Drops an impossible number of dollars. */
export function believeUsd(amount: number): number | undefined {
  return amount <= MOST_USD ? amount : undefined;
}

/** The number of tokens under a key, as far as it can be believed. */
export function tokensField(value: unknown, key: string): number | undefined {
  const count = numberField(value, key);
  return count === undefined ? undefined : believeTokens(count);
}

/** The dollars under a key, as far as they can be believed. */
export function usdField(value: unknown, key: string): number | undefined {
  const amount = numberField(value, key);
  return amount === undefined ? undefined : believeUsd(amount);
}

/** The elements of the array under a key; none when the value is not an array. */
export function listField(value: unknown, key: string): readonly unknown[] {
  const found = field(value, key);
  return Array.isArray(found) ? found : [];
}

/** A value as text: a string as it is, the texts of content blocks (`[{type: "text", text}]`) joined, else JSON. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && value.every((block) => textField(block, "text") !== undefined)) {
    return value.map((block) => textField(block, "text") ?? "").join("\n");
  }
  return JSON.stringify(value);
}
