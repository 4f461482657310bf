import { createHash, createHmac } from "node:crypto";

/** SHA-256 of bytes, or of a text's UTF-8 bytes, as 64 lower-case hexadecimal digits. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** HMAC with SHA-256, as 64 lower-case hexadecimal digits. */
export function hmacSha256Hex(key: string, content: Uint8Array): string {
  return createHmac("sha256", key).update(content).digest("hex");
}

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
