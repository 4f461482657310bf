/** A text as git sees it: one character (0–255) for each byte of its UTF-8. Paths stay in this form from end to end. */
export function toBytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** The text that bytes in that form spell; what is not UTF-8 becomes U+FFFD. For people and logs, never to name a file. */
export function toText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** A path as the streams of git fast-import take it: always in quotes, so that nothing in it can end it. */
export function quotePath(bytes: string): string {
  const quoted = bytes.replace(/["\\]|[^ -~]/g, (byte) =>
    byte === '"' || byte === "\\" ? `\\${byte}` : `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${quoted}"`;
}
