import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Before any story: `dist/` is made anew when it is older than what it is made from. */
export default function setup(): void {
  const build = fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url));
  execFileSync(process.execPath, [build, "--if-older"], { stdio: "inherit" });
}
