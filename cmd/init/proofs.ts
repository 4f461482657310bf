// Commands that may prove a task done, guessed from the files of a project. Pure: nothing is run, and nothing of what the files
// say is shown.

/** The files that are looked into, in the project's folder. */
export const TELLING_FILES = [
  "package.json",
  "Makefile",
  "makefile",
  "GNUmakefile",
  "Cargo.toml",
  "go.mod",
  "pyproject.toml",
  "pytest.ini",
  "tox.ini",
  "setup.cfg",
  "conftest.py",
] as const;

/** A command, and the file that spoke for it. */
export interface Proof {
  command: string;
  from: string;
}

/** What npm writes where there is no test. */
const NO_TEST = /no test specified/;

/** `names`: of all that lies in the folder; `texts`: of those that tell. */
export function suggestProofs(names: ReadonlySet<string>, texts: ReadonlyMap<string, string>): Proof[] {
  const proofs: Proof[] = [];
  if (hasTestScript(texts.get("package.json") ?? ""))
    proofs.push({ command: `${runnerOf(names)} test`, from: "package.json" });
  for (const name of ["GNUmakefile", "makefile", "Makefile"]) {
    if (
      proofs.every(({ command }) => command !== "make test") &&
      /^test\s*:(?!=)/m.test(texts.get(name) ?? "")
    )
      proofs.push({ command: "make test", from: name });
  }
  const python = ["pytest.ini", "conftest.py"].find((name) => names.has(name)) ?? withPytest(texts);
  if (python !== undefined) proofs.push({ command: "pytest", from: python });
  if (names.has("Cargo.toml")) proofs.push({ command: "cargo test", from: "Cargo.toml" });
  if (names.has("go.mod")) proofs.push({ command: "go test ./...", from: "go.mod" });
  return proofs;
}

function withPytest(texts: ReadonlyMap<string, string>): string | undefined {
  return ["pyproject.toml", "tox.ini", "setup.cfg"].find((name) => /pytest/.test(texts.get(name) ?? ""));
}

function hasTestScript(manifest: string): boolean {
  try {
    const value: unknown = JSON.parse(manifest);
    if (typeof value !== "object" || value === null || !("scripts" in value)) return false;
    const { scripts } = value;
    if (typeof scripts !== "object" || scripts === null || !("test" in scripts)) return false;
    return typeof scripts.test === "string" && scripts.test.trim() !== "" && !NO_TEST.test(scripts.test);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function runnerOf(names: ReadonlySet<string>): string {
  if (names.has("pnpm-lock.yaml")) return "pnpm";
  if (names.has("yarn.lock")) return "yarn";
  return names.has("bun.lock") || names.has("bun.lockb") ? "bun run" : "npm";
}
