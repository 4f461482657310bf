// Writes the published schemas from the code they are made from. With --check it only looks: exit 1 when one differs.
import { loadCode, writeOrCheck } from "./load-code.mjs";

const { PUBLISHED, schemaText } = /** @type {typeof import("./schema-list.js")} */ (
  await loadCode("scripts/schema-list.ts")
);

await writeOrCheck(
  PUBLISHED.map((schema) => ({ path: schema.path, text: () => schemaText(schema) })),
  "npm run schemas",
);
