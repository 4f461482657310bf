import { createHash } from "node:crypto";

/** The id of a git object with this content, as lower-case hexadecimal digits. */
export function gitHash(
  algorithm: "sha1" | "sha256",
  kind: "commit" | "tree" | "blob",
  content: Uint8Array,
): string {
  return createHash(algorithm)
    .update(`${kind} ${String(content.length)}\0`)
    .update(content)
    .digest("hex");
}
