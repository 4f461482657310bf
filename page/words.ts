// Figures and times in words. Pure.

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  const seconds = Math.round(ms / 1000);
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
  return `${Math.round(minutes / 1440)} days`;
}

export function dollars(cost: number | null | undefined, partly = false): string {
  if (cost === null || cost === undefined) return "–";
  return `${partly ? "≥ " : ""}$${cost.toFixed(2)}`;
}

export function count(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (value < 10_000) return value.toLocaleString("en");
  if (value < 1_000_000) return `${Math.round(value / 1000)} k`;
  return `${(value / 1_000_000).toFixed(1)} M`;
}

/** A value of an event as text. */
export function word(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** One thing, or several. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${value.toLocaleString("en")} ${value === 1 ? one : many}`;
}

/** The time of day, with the date where it is not today's. */
export function clock(at: string | number | null | undefined): string {
  if (at === null || at === undefined) return "–";
  const date = new Date(at);
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.toLocaleDateString([], { day: "numeric", month: "short" })} ${time}`;
}

/** The project's folder, of its task file. */
export function projectName(file: string): string {
  const parts = file.split(/[\\/]/).filter((part) => part !== "");
  return parts.at(-2) ?? "project";
}

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** A text whose invisible direction marks and controls are shown as chips, so that it cannot reorder what stands around it. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (sign) =>
    sign === "\r" ? "" : `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
