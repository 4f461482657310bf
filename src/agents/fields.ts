// Looks into JSON whose shape nobody promised: an absent or differently typed field is `undefined`, never an error.

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

/** The elements of the array under a key; none where it is no array. */
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
