import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isCompiled } from "./program.js";

const at = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Before any story: `dist/` is made anew when it is older than what it is made from, and compiled for the starts. */
export default function setup(): void {
  execFileSync(process.execPath, [at("scripts/build.mjs"), "--if-older"], { stdio: "inherit" });
  if (isCompiled()) return;
  execFileSync(process.execPath, [at("test/rig/compile-dist.mjs")], { stdio: "inherit" });
}
