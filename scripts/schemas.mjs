// Writes the published schemas from the code they are made from. With --check it only looks: exit 1 when one differs.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @returns {Promise<typeof import("./schema-list.js")>} */
async function load() {
  // Inside node_modules, so that the packages left out of the bundle are found.
  const folder = await mkdtemp(path.join(root, "node_modules", ".schemas-"));
  const outfile = path.join(folder, "schema-list.mjs");
  try {
    await build({
      absWorkingDir: root,
      entryPoints: ["scripts/schema-list.ts"],
      outfile,
      bundle: true,
      packages: "external",
      format: "esm",
      platform: "node",
      logLevel: "warning",
    });
    /** @type {unknown} */
    const loaded = await import(pathToFileURL(outfile).href);
    return /** @type {typeof import("./schema-list.js")} */ (loaded);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function main() {
  const { PUBLISHED, schemaText } = await load();
  /** @type {string[]} */
  const differing = [];
  for (const schema of PUBLISHED) {
    const file = path.join(root, schema.path);
    const text = schemaText(schema);
    if (text === (await readFile(file, "utf8").catch(() => ""))) continue;
    differing.push(schema.path);
    if (process.argv.includes("--check")) continue;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  if (!process.argv.includes("--check") || differing.length === 0) return;
  console.error(`out of step with the code: ${differing.join(", ")}\nrun: npm run schemas`);
  process.exitCode = 1;
}

await main();
