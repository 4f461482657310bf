// Reads values of foreign JSON by their probable meaning. Pure; never throws on valid JSON.

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a list; other items are left out. */
export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** A text that is not blank, or a number as text; of an object, its name. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (isFields(value)) return textOf(value["name"] ?? value["title"] ?? value["text"]);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** The texts of a list, or a single text as a list. */
export function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => textOf(one) ?? []);
}

/** A text in one line. */
export function lineOf(value: unknown): string {
  return (textOf(value) ?? "").replaceAll(/\s+/gu, " ");
}

/** Whether a value says nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isFields(value) && Object.keys(value).length === 0;
}

/** Joins titled parts to a longer text; empty ones are left out. Several texts become a list. */
export function sections(parts: readonly (readonly [string, unknown])[]): string | undefined {
  const said = parts.flatMap(([title, value]) => {
    const texts = textsOf(value);
    if (texts.length === 0) return [];
    const body = Array.isArray(value) ? texts.map((text) => `- ${text}`).join("\n") : texts.join("\n");
    return title === "" ? [body] : [`${title}:\n${body}`];
  });
  return said.length === 0 ? undefined : said.join("\n\n");
}
