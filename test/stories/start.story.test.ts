// dist/ has esbuild's output as it is, and needs nothing beside it. The files that a start reads: test/promises/bundle.test.ts.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { stop } from "esbuild";
import { bundle, ENTRIES } from "../../scripts/bundle.mjs";
import { ROOT } from "../rig/documents.js";

const DIST = path.join(ROOT, "dist");

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => path.join(one.parentPath, one.name));
}

exhaustively("the JavaScript of dist/ is esbuild's output, unchanged", async () => {
  const { outputFiles } = await bundle({ entryPoints: ENTRIES, outdir: DIST });
  // Other tests of this process end its children, and esbuild's service is one.
  await stop();
  const made = outputFiles.map((file) => file.path);
  expect(
    made.filter((_, index) => readFileSync(made[index] ?? "", "utf8") !== outputFiles[index]?.text),
  ).toEqual([]);
  const scripts = filesIn(DIST).filter((file) => /\.[cm]?js$/.test(file) && !file.includes("/prompts/"));
  expect(scripts.sort()).toEqual([...made].sort());
});

test("the whole of dist/ stays small", () => {
  const bytes = filesIn(DIST).reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes, `dist/ has ${String(bytes)} bytes: what is it that grew, and who needs it?`).toBeLessThan(
    7_500_000,
  );
});

test("the package holds all it needs, and is small", () => {
  const manifest = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as object;
  expect(manifest, "what is bundled need not be installed once more: devDependencies").not.toHaveProperty(
    "dependencies",
  );
  const said = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(said) as [{ size: number; unpackedSize: number }];
  expect(packed.size).toBeLessThan(2_250_000);
  expect(packed.unpackedSize).toBeLessThan(8_500_000);
});

test("every file of dist/ can be loaded with nothing installed beside it", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "looper-start-"));
  try {
    cpSync(DIST, path.join(folder, "dist"), { recursive: true });
    cpSync(path.join(ROOT, "package.json"), path.join(folder, "package.json"));
    // The entry would start the program; it is loaded by every other story.
    const names = readdirSync(path.join(folder, "dist", "chunks")).map((name) => `./dist/chunks/${name}`);
    const lines = [...names, "./dist/api/looper.js", "./dist/api/chapo.js"].map(
      (name) => `await import("${name}");`,
    );
    writeFileSync(
      path.join(folder, "all.mjs"),
      `${lines.join("\n")}\nconsole.log("loaded");\nprocess.exit(0);\n`,
    );
    expect(names.length).toBeGreaterThan(50);
    expect(execFileSync(process.execPath, ["all.mjs"], { cwd: folder, encoding: "utf8" })).toBe("loaded\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
