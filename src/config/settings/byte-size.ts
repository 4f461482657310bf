const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** The spelled sizes: `500MB`, `1.5 GB`, or a bare number of bytes. */
export const BYTE_SIZE_PATTERN = /^(\d+(?:\.\d+)?) ?(B|KB|MB|GB)?$/i;

/** A spelled size, or a number of bytes, in whole bytes; `undefined` for anything else. A KB is 1024 bytes. */
export function parseByteSize(value: string | number): number | undefined {
  const [, number, unit = "B"] = BYTE_SIZE_PATTERN.exec(String(value)) ?? [];
  if (number === undefined) return undefined;
  const bytes = Math.round(Number(number) * (UNITS[unit.toUpperCase()] ?? 1));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
