// Writes the schemas that are stored in the repository from the code they are made from. With --check it only looks: exit 1 when one differs.
import { loadCode, writeOrCheck } from "./load-code.mjs";

const { STORED, schemaText } = /** @type {typeof import("./schema-list.js")} */ (
  await loadCode("scripts/schema-list.ts")
);

await writeOrCheck(
  STORED.map((schema) => ({ path: schema.path, text: () => schemaText(schema) })),
  "npm run schemas",
);
