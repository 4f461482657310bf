// Reads the project's manifests and its guides for agents, and describes the project by its files: dependencies, scripts and the
// test command. system-prompt.ts formats the description.
import { z } from "zod";
import { readGuides, type Guide, type GuidePlace } from "./guides.js";
import { findGitPlace } from "./git-place.js";
import { readInside } from "../paths.js";

/** The recognised facts. Their texts come from the project and are untrusted. */
interface ProjectDescription {
  /** The name in the manifest. */
  name: string | undefined;
  /** The names of the first packages that its package.json asks for. */
  dependencies: readonly string[];
  /** `npm`, `pnpm`, … */
  packageTool: string | undefined;
  /** In the order of the manifest. */
  scripts: readonly { name: string; command: string }[];
  /** The command that runs the tests: `npm test`. */
  testCommand: string | undefined;
}

const MOST_SCRIPTS = 30;
const MOST_DEPENDENCIES = 30;
const LONGEST = 200;

/** Files whose text is read. */
const MANIFEST_FILES = ["package.json", "pyproject.toml", "requirements.txt", "Makefile"] as const;

/** Describes a project by the names in its folder and the texts of the files in `MANIFEST_FILES`. */
export function describeProject(
  names: readonly string[],
  texts: ReadonlyMap<string, string>,
): ProjectDescription {
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
    dependencies: manifest?.dependencies ?? [],
    packageTool,
    scripts: scripts.slice(0, MOST_SCRIPTS),
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

const Manifest = z.object({
  name: z.string().optional().catch(undefined),
  scripts: z.unknown().optional(),
  dependencies: z.unknown().optional(),
  devDependencies: z.unknown().optional(),
});

function readManifest(text: string | undefined) {
  if (text === undefined) return undefined;
  try {
    const { name, scripts, dependencies, devDependencies } = Manifest.parse(JSON.parse(text));
    return {
      name,
      scripts: Object.entries(toObject(scripts)).flatMap(([script, command]) =>
        // npm's placeholder for a project without tests.
        typeof command === "string" && !command.includes("no test specified")
          ? [{ name: script.slice(0, LONGEST), command: command.slice(0, LONGEST) }]
          : [],
      ),
      dependencies: [...Object.keys(toObject(dependencies)), ...Object.keys(toObject(devDependencies))]
        .slice(0, MOST_DEPENDENCIES)
        .map((name) => name.slice(0, LONGEST)),
    };
  } catch {
    return undefined;
  }
}

function toObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function detectPackageTool(names: readonly string[]): string {
  if (names.includes("pnpm-lock.yaml")) return "pnpm";
  if (names.includes("yarn.lock")) return "yarn";
  return names.some((name) => name === "bun.lock" || name === "bun.lockb") ? "bun" : "npm";
}

const LARGEST_MANIFEST = 512 * 1024;
const MOST_ENTRIES = 60;

/** The known facts of a project. */
export interface ProjectContext extends ProjectDescription {
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
