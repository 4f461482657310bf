import { fileURLToPath } from "node:url";

/** Node from 22.1 keeps compiled code, in TMPDIR unless it is told where: that is none of what a story leaves behind. */
export const NODE_CACHE: Readonly<Record<string, string>> = process.versions.node.startsWith("20.")
  ? {}
  : { NODE_COMPILE_CACHE: fileURLToPath(new URL("../../build/compile-cache", import.meta.url)) };
