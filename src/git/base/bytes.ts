/** Encodes a text as git sees it: one character (0–255) for each byte of its UTF-8. Paths always have this form. */
export function toBytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Decodes that form; invalid UTF-8 becomes U+FFFD. For people and logs, never for file names. */
export function toText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** Quotes a path for the streams of `git fast-import`, so that no character in it can end it. */
export function quotePath(bytes: string): string {
  const quoted = bytes.replace(/["\\]|[^ -~]/g, (byte) =>
    byte === '"' || byte === "\\" ? `\\${byte}` : `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${quoted}"`;
}

/** Every folder above these paths (bytes, from the top), without the top. */
export function foldersAbove(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}
