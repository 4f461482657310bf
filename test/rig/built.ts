import { execFileSync } from "node:child_process";
import { renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isCompiled } from "./program.js";

const at = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Before any story: `dist/` is made anew when it is older than what it is made from, and compiled for the starts. */
export default function setup(): void {
  execFileSync(process.execPath, [at("scripts/build.mjs"), "--if-older"], { stdio: "inherit" });
  if (isCompiled()) return;
  const [made, there] = [at("build/compiling"), at("build/compiled")];
  rmSync(made, { recursive: true, force: true });
  const compile = ["--require", at("test/rig/compiled.cjs"), at("test/fakes/run-all.cjs"), at("dist")];
  execFileSync(process.execPath, compile, { stdio: "ignore", env: { ...process.env, COMPILE_INTO: made } });
  const { atime, mtime } = statSync(at("dist/looper.js"));
  utimesSync(made, atime, mtime);
  rmSync(there, { recursive: true, force: true });
  renameSync(made, there);
}
