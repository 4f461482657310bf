// Writes the program into dist/, with the page, assets, prompts, workflows and schemas. Leaves how it is bundled to bundle.mjs.
// With --if-older it does nothing while dist/ is newer than everything it is made from.
import { chmod, cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { apiTypes } from "./api-types.mjs";
import { bundle, bundlePage, ENTRIES, root } from "./bundle.mjs";
import { isCurrent } from "./is-current.mjs";
import { loadCode } from "./load-code.mjs";

const dist = path.join(root, "dist");
const bin = path.join(dist, "looper.js");
async function main() {
  if (process.argv.includes("--if-older") && (await isCurrent())) return;
  const { outputFiles } = await bundle({ entryPoints: ENTRIES, outdir: dist });
  const page = await bundlePage(path.join(dist, "page"));
  const { PUBLISHED, schemaText } = /** @type {typeof import("./schema-list.js")} */ (
    await loadCode("scripts/schema-list.ts")
  );
  const schemas = PUBLISHED.filter((schema) => schema.path.startsWith("schemas/")).map((schema) => ({
    path: path.join(dist, schema.path),
    text: schemaText(schema),
  }));
  const types = await apiTypes(root, path.join(dist, "api"), PUBLISHED);
  await rm(dist, { recursive: true, force: true });
  for (const name of ["chunks", "api", "schemas/cli", "schemas/output", "page"])
    await mkdir(path.join(dist, name), { recursive: true });
  for (const name of ["assets", "prompts", "workflows"])
    await cp(path.join(root, name), path.join(dist, name), { recursive: true });
  await cp(path.join(root, "page", "index.html"), path.join(dist, "page", "index.html"));
  // The entry comes last: it is what tells that the rest is there.
  for (const file of [...outputFiles, ...page, ...types, ...schemas].sort((a) => (a.path === bin ? 1 : -1)))
    await writeFile(file.path, file.text);
  await chmod(bin, 0o755);
}

await main();
