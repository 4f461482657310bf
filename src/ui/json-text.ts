/** Characters that JSON does not escape and a terminal may interpret. */
const STEERING = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A value as JSON that is safe to show on a terminal and parses to the same value. */
export function jsonText(value: unknown, indent?: number): string {
  return spellOut(JSON.stringify(value, undefined, indent));
}

/** The same for a text that is JSON already. */
export function spellOut(json: string): string {
  return json.replace(STEERING, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
