// Reads the project's manifests and its guides for agents, and describes the project by its files: dependencies, scripts and the
// test command. system-prompt.ts formats the description.
import { textField } from "../../agents/fields.js";
import { isRecord, parseJson } from "../../system/text/json.js";
import { readGuides, type Guide, type GuidePlace } from "./guides.js";
import { findGitPlace } from "./git-place.js";
import { readInside } from "../paths.js";

const MOST_SCRIPTS = 30;
const MOST_DEPENDENCIES = 30;
const LONGEST = 200;

/** Files whose text is read. */
const MANIFEST_FILES = ["package.json", "pyproject.toml", "requirements.txt", "Makefile"] as const;

/**
 * Describes a project by the names in its folder and the texts of the files in `MANIFEST_FILES`. The texts of the facts come from the
 * project and are untrusted.
 */
export function describeProject(names: readonly string[], texts: ReadonlyMap<string, string>) {
  const manifest = readManifest(texts.get("package.json"));
  const has = (name: string) => names.includes(name);
  const packageTool = manifest === undefined ? undefined : detectPackageTool(names);
  const python = `${texts.get("pyproject.toml") ?? ""}\n${texts.get("requirements.txt") ?? ""}`;
  const pythonName = /^\[(?:project|tool\.poetry)\][^[]*?^name[ \t]*=[ \t]*["']([^"'\n]+)["']/m.exec(
    python,
  )?.[1];
  const scripts = manifest?.scripts ?? [];
  return {
    name: manifest?.name ?? pythonName,
    /** The names of the first packages that its package.json asks for. */
    dependencies: manifest?.dependencies ?? [],
    /** `npm`, `pnpm`, … */
    packageTool,
    /** In the order of the manifest. */
    scripts: scripts.slice(0, MOST_SCRIPTS),
    /** The command that runs the tests: `npm test`. */
    testCommand:
      (scripts.some(({ name }) => name === "test")
        ? `${packageTool ?? "npm"} ${packageTool === "bun" ? "run test" : "test"}`
        : undefined) ??
      (/^test[ \t]*:/m.test(texts.get("Makefile") ?? "") ? "make test" : undefined) ??
      (has("Cargo.toml") ? "cargo test" : undefined) ??
      (has("go.mod") ? "go test ./..." : undefined) ??
      (has("pom.xml") ? "mvn test" : undefined) ??
      (has("gradlew") ? "./gradlew test" : undefined) ??
      (has("pytest.ini") || /\bpytest\b/.test(python) ? "pytest" : undefined),
  };
}

function readManifest(text: string | undefined) {
  const manifest = parseJson(text);
  if (!isRecord(manifest)) return undefined;
  const entriesOf = (key: string): [string, unknown][] =>
    isRecord(manifest[key]) ? Object.entries(manifest[key]) : [];
  return {
    name: textField(manifest, "name"),
    scripts: entriesOf("scripts").flatMap(([script, command]) =>
      // npm's placeholder for a project without tests.
      typeof command === "string" && !command.includes("no test specified")
        ? [{ name: script.slice(0, LONGEST), command: command.slice(0, LONGEST) }]
        : [],
    ),
    dependencies: [...entriesOf("dependencies"), ...entriesOf("devDependencies")]
      .slice(0, MOST_DEPENDENCIES)
      .map(([name]) => name.slice(0, LONGEST)),
  };
}

function detectPackageTool(names: readonly string[]): string {
  if (names.includes("pnpm-lock.yaml")) return "pnpm";
  if (names.includes("yarn.lock")) return "yarn";
  return names.some((name) => name === "bun.lock" || name === "bun.lockb") ? "bun" : "npm";
}

const LARGEST_MANIFEST = 512 * 1024;
const MOST_ENTRIES = 60;

/** The known facts of a project. */
export interface ProjectContext extends ReturnType<typeof describeProject> {
  /** Its folder, absolute. */
  root: string;
  /** The branch that is checked out, if any. */
  branch?: string;
  /** The first names in its folder, without hidden ones. */
  entries: readonly string[];
  /** The guides for agents; `cut`: the file is longer. */
  guides: readonly Guide[];
}

/** Reads the context. It never fails: files that cannot be read are left out. */
export async function readProjectContext(place: GuidePlace): Promise<ProjectContext> {
  const names: readonly string[] = await place.files.list(place.root).catch(() => []);
  const texts = new Map<string, string>();
  for (const file of MANIFEST_FILES) {
    const read = names.includes(file) ? await readInside(place, file, LARGEST_MANIFEST) : undefined;
    if (read !== undefined) texts.set(file, read.text);
  }
  return {
    ...describeProject(names, texts),
    root: place.root,
    branch: (await findGitPlace(place.files, place.root))?.branch,
    entries: names.filter((name) => !name.startsWith(".")).slice(0, MOST_ENTRIES),
    guides: await readGuides(place),
  };
}
