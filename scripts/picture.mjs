// Draws the README's picture of a run, docs/run.svg, from a real `looper demo`. test/stories/cli.story.test.ts checks that it is current.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { loadCode, root } from "./load-code.mjs";

const { drawDemo } = /** @type {typeof import("./draw-terminal.js")} */ (
  await loadCode("scripts/draw-terminal.ts")
);
const home = await mkdtemp(path.join(tmpdir(), "looper-picture-"));
try {
  const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: home, FORCE_COLOR: "1" };
  const bin = path.join(root, "dist", "looper.js");
  const output = await promisify(execFile)(process.execPath, [bin, "demo"], { cwd: home, env });
  await writeFile(path.join(root, "docs", "run.svg"), drawDemo(output));
} finally {
  await rm(home, { recursive: true, force: true });
}
