// The commands that a GitHub workflow's log understands, and how to keep other text from being read as one. Pure.
import { clean } from "../text.js";

/** The properties of a command: a title, and the place in a file. */
export interface Properties {
  title?: string;
  file?: string;
  line?: number;
  col?: number;
}

/** `::error title=…::…`; line breaks of the message are kept. */
export function annotation(
  kind: "error" | "warning" | "notice",
  message: string,
  properties: Properties = {},
): string {
  const said = Object.entries(properties).map(
    ([key, value]) => `${key}=${escapeProperty(clean(String(value)))}`,
  );
  const head = said.length === 0 ? kind : `${kind} ${said.join(",")}`;
  return `::${head}::${escapeMessage(
    message
      .split(/\r\n|[\r\n]/)
      .map(clean)
      .join("\n"),
  )}`;
}

/** Opens a group of lines that can be collapsed. */
export function group(title: string): string {
  return `::group::${escapeMessage(clean(title))}`;
}

/** Ends the group. */
export const END_GROUP = "::endgroup::";

function escapeMessage(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** A line whose first visible characters are `::` is a command; CR and LF end lines, and nothing else does. */
const AT_START = /(?:^|[\r\n])(?:[^\S\r\n]|\u0085)*::/gu;
/** The older form works anywhere in a line; similar forms are `##vso[` and `##teamcity[`. */
const ANYWHERE = /#(?=#\w*\[)/gu;

/**
 * Removes everything that the log of a workflow would read as a command. JSON keeps its meaning: in it no line begins
 * with `::`, and an escaped `#` is a `#`.
 */
export function disarm(text: string): string {
  return text.replaceAll(AT_START, (found) => `${found.slice(0, -2)}\\::`).replaceAll(ANYWHERE, "\\u0023");
}
