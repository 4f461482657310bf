// Writes the parts of the documents that are made from the code, between their markers. With --check it only looks:
// exit 1 when one differs.
import { loadCode, writeOrCheck } from "./load-code.mjs";

const { PARTS, fillDocument } = /** @type {typeof import("./doc-parts.js")} */ (
  await loadCode("scripts/doc-parts.ts")
);

await writeOrCheck(
  [...new Set(PARTS.map(({ file }) => file))].map((file) => ({
    path: file,
    text: (old) => fillDocument(file, old),
  })),
  "npm run docs",
);
