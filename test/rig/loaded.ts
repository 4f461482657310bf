// Which files of dist/ a start of the program reads, and how many bytes they are.
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Program } from "./program.js";

export const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const PROBE = fileURLToPath(new URL("../fakes/loaded.cjs", import.meta.url));

/** Runs it in a folder; the files by their place in dist/, with their sizes. `env` on top of what the test has. */
export async function loadedBy(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, number>> {
  const said = path.join(cwd, ".loaded.json");
  const facts = { LOADED: said, LOADED_PARENT: String(process.pid), NODE_OPTIONS: `--require=${PROBE}` };
  const { code, stderr } = await new Program(args, { cwd, env: { ...ownEnvironment(), ...env, ...facts } })
    .ended;
  if (code === undefined || code === 70)
    throw new Error(`looper ${args.join(" ")} ended with ${String(code)}: ${stderr}`);
  const files = JSON.parse(readFileSync(said, "utf8")) as readonly string[];
  const ours = files.filter((file) => file.startsWith(`${DIST}${path.sep}`));
  return new Map(ours.map((file) => [path.relative(DIST, file), statSync(file).size]));
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
