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

/** A text that is not blank, or a number as text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
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

/** The fields that are not empty and not among these keys; `undefined` when there are none. */
export function leftOver(fields: Fields, known: readonly string[]): { kept?: Fields } {
  const left = Object.entries(fields).filter(([key, value]) => !known.includes(key) && !isEmpty(value));
  return left.length === 0 ? {} : { kept: Object.fromEntries(left) };
}

function isEmpty(value: unknown): boolean {
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

/** The number that a word for a priority means; `undefined` for another word. */
export function priorityOf(word: string): number | undefined {
  return WORDS.get(word.trim().toLowerCase());
}

const WORDS: ReadonlyMap<string, number> = new Map([
  ...["critical", "urgent", "highest"].map((word) => [word, 1] as const),
  ["high", 2],
  ...["medium", "normal"].map((word) => [word, 3] as const),
  ["low", 4],
  ["lowest", 5],
]);
