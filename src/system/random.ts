import { randomBytes } from "node:crypto";
import type { Random } from "./ports.js";

/** Randomness from the operating system. */
export function nodeRandom(): Random {
  return { hex: (bytes) => randomBytes(bytes).toString("hex") };
}
