/** FNV-1a with 64 bits over the parts, texts as UTF-8, as 16 lower-case hexadecimal digits. Tells versions apart; keeps no secret. */
export function digest(parts: Iterable<string | Uint8Array>): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const part of parts) {
    for (const byte of typeof part === "string" ? Buffer.from(part, "utf8") : part) {
      low = (low ^ byte) >>> 0;
      // Times the prime 2^40 + 0x1b3, in two halves of 32 bits; every product stays below 2^53.
      const product = low * 0x1b3;
      high = (Math.imul(high, 0x1b3) + Math.floor(product / 0x100000000) + (low << 8)) >>> 0;
      low = product >>> 0;
    }
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}
