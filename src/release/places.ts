// Finds the places in a project's files that have its version: manifests, lock files, constants. Pure. A file that cannot be
// parsed by its type has none. judge.ts decides which of them must change.
import { basename, dirname, extname } from "node:path";
import { parseJson } from "../system/text/json.js";
import { isVersion } from "./version.js";

/** A version in a file. */
export interface VersionLocation {
  /** Relative to the top of the repository. */
  path: string;
  /** The name of the place in the file, e.g. `version`, `packages[""].version`. */
  where: string;
  version: string;
}

type PlaceInFile = Omit<VersionLocation, "path">;
type Reader = (text: string, path: string) => PlaceInFile[];

/** Folders of third-party projects and of test data. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|vendor|third_party|testdata|fixtures|__fixtures__|tests?|__tests__|spec)\//;

/** Finds the versions in a file that belong to the project or to one of its packages. */
export function findVersions(path: string, text: string): VersionLocation[] {
  const reader = findReader(path);
  if (reader === undefined) return [];
  return reader(text, path)
    .filter(({ version }) => isVersion(version))
    .map((found) => ({ path, ...found }));
}

/** Whether a file of this name (relative to the top of the repository) may have a version. */
export function mayHoldVersion(path: string): boolean {
  return findReader(path) !== undefined;
}

/** Whether the place is the source of the version, such as a manifest, not a lock file, a chart or a constant. */
export function isLeading({ path, where }: VersionLocation): boolean {
  return LEADING.has(basename(path)) && !where.startsWith("dependency ");
}

const LEADING = new Set([
  ...["package.json", "pyproject.toml", "Cargo.toml", "setup.cfg", "setup.py", "composer.json", "pom.xml"],
  ...["VERSION", "VERSION.txt", "version.txt", "deno.json", "jsr.json", "mix.exs", "pubspec.yaml"],
  ...["gradle.properties", "build.gradle", "build.gradle.kts", "Directory.Build.props", "CMakeLists.txt"],
]);

function findReader(path: string): Reader | undefined {
  if (FOREIGN.test(path)) return undefined;
  const name = basename(path);
  if (Object.hasOwn(READERS, name)) return READERS[name];
  const extension = extname(path);
  if (extension === ".gemspec" || extension === ".podspec")
    return makePatternReader("version", /\.version\s*=\s*["']([^"']+)["']/g);
  if (/^\.(?:cs|fs|vb)proj$/.test(extension)) return READERS["Directory.Build.props"];
  if (SOURCES.has(extension)) return readConstants;
  return undefined;
}

const SOURCES = new Set([
  ...[".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".go", ".rb", ".rs", ".java", ".kt", ".php", ".swift"],
  ...[".c", ".h", ".hpp", ".cpp", ".cs", ".ex", ".dart", ".lua", ".sh"],
]);

/** Makes a reader that returns every match of the pattern's first group; the pattern must have the flag g. */
function makePatternReader(where: string, pattern: RegExp): Reader {
  return (text) => [...text.matchAll(pattern)].map(([, version = ""]) => ({ where, version }));
}

function readWhole(text: string): PlaceInFile[] {
  return [{ where: "the file", version: text.trim() }];
}

const READERS: Readonly<Record<string, Reader>> = {
  "package.json": readJson,
  "composer.json": readJson,
  "deno.json": readJson,
  "jsr.json": readJson,
  "bower.json": readJson,
  "manifest.json": readJson,
  "plugin.json": readJson,
  "lerna.json": readJson,
  "tauri.conf.json": readJson,
  "codemeta.json": readJson,
  "package-lock.json": readNpmLock,
  "npm-shrinkwrap.json": readNpmLock,
  "pyproject.toml": (text) => readToml(text, ["project", "tool.poetry", "tool.commitizen"]),
  "Cargo.toml": (text) => readToml(text, ["package", "workspace.package"]),
  "Cargo.lock": (text) => readLockBlocks(text, (block) => !/^source\s*=/m.test(block)),
  "uv.lock": (text) =>
    readLockBlocks(text, (block) => /^source\s*=\s*\{\s*(?:editable|virtual|directory)\s*=/m.test(block)),
  "setup.cfg": (text) => readToml(text, ["metadata"]),
  "setup.py": makePatternReader("version", /\bversion\s*=\s*["']([^"']+)["']/g),
  VERSION: readWhole,
  "VERSION.txt": readWhole,
  "version.txt": readWhole,
  ".version": readWhole,
  "Chart.yaml": makePatternReader("version", /^(?:version|appVersion):[ \t]*["']?([^\s"'#]+)/gm),
  "pubspec.yaml": makePatternReader("version", /^version:[ \t]*["']?([^\s"'#]+)/gm),
  "galaxy.yml": makePatternReader("version", /^version:[ \t]*["']?([^\s"'#]+)/gm),
  "CITATION.cff": makePatternReader("version", /^version:[ \t]*["']?([^\s"'#]+)/gm),
  "pom.xml": readPom,
  "Directory.Build.props": makePatternReader("Version", /<Version(?:Prefix)?>\s*([^<\s]+)\s*</g),
  "build.gradle": makePatternReader("version", /^version\s*(?:=\s*)?["']([^"']+)["']/gm),
  "build.gradle.kts": makePatternReader("version", /^version\s*=\s*"([^"]+)"/gm),
  "gradle.properties": makePatternReader("version", /^version\s*=\s*(\S+)/gm),
  "mix.exs": makePatternReader("version", /(?:^[ \t]*version:\s*|@version\s+)"([^"]+)"/gm),
  "CMakeLists.txt": makePatternReader("VERSION", /\bproject\s*\([^()]*?\bVERSION\s+([\d.]+)/gi),
  "meson.build": makePatternReader("version", /\bproject\s*\([^()]*?\bversion\s*:\s*'([^']+)'/g),
};

function parseFields(text: string): Readonly<Record<string, unknown>> {
  return toFields(parseJson(text));
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function toFound(where: string, value: unknown): PlaceInFile[] {
  return typeof value === "string" ? [{ where, version: value }] : [];
}

function readJson(text: string): PlaceInFile[] {
  return toFound("version", parseFields(text)["version"]);
}

/** The package's own version, in both places where npm has it, and those of its workspaces. */
function readNpmLock(text: string): PlaceInFile[] {
  const lock = parseFields(text);
  const packages = Object.entries(toFields(lock["packages"]));
  const own = packages.filter(([path]) => !/(?:^|\/)node_modules\//.test(path));
  return [
    ...toFound("version", lock["version"]),
    ...own.flatMap(([path, one]) =>
      toFound(`packages[${JSON.stringify(path)}].version`, toFields(one)["version"]),
    ),
  ];
}

/** The `version` of these sections of a TOML or INI file. */
function readToml(text: string, sections: readonly string[]): PlaceInFile[] {
  const found: PlaceInFile[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    const [, header] = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line) ?? [];
    if (header !== undefined) section = header.trim();
    else if (/^\s*\[/.test(line)) section = "";
    const [, version] = /^version\s*=\s*["']?([^"'\s#]+)["']?/.exec(line.trim()) ?? [];
    if (version !== undefined && sections.includes(section))
      found.push({ where: `[${section}] version`, version });
  }
  return found;
}

/** The versions of a lock file's packages that are `own`. */
function readLockBlocks(text: string, own: (block: string) => boolean): PlaceInFile[] {
  const blocks = text.split(/^\[\[package\]\]\s*$/m).slice(1);
  return blocks.filter(own).flatMap((block) => {
    const [, name = ""] = /^name\s*=\s*"([^"]*)"/m.exec(block) ?? [];
    const [, version] = /^version\s*=\s*"([^"]*)"/m.exec(block) ?? [];
    return version === undefined ? [] : [{ where: `version of ${name}`, version }];
  });
}

/** The project's own version, not that of its parent, its dependencies or plugins. */
function readPom(text: string): PlaceInFile[] {
  const own = text.replaceAll(
    /<(parent|dependencies|dependencyManagement|build|profiles|reporting|properties)>[\s\S]*?<\/\1>/g,
    "",
  );
  const [, version] = /<version>\s*([^<\s]+)\s*<\/version>/.exec(own) ?? [];
  return version === undefined ? [] : [{ where: "version", version }];
}

/** Constants at the start of a line: `__version__` in any source file, `VERSION` and `version` in a file about the version. */
function readConstants(text: string, path: string): PlaceInFile[] {
  const isAbout = /^_{0,2}(?:version|about)_{0,2}$/i.test(basename(path, extname(path)));
  const isPackage = basename(path) === "__init__.py" || basename(dirname(path)) === "version";
  const names = isAbout || isPackage ? "__version__|VERSION|Version|version" : "__version__";
  const pattern = new RegExp(
    String.raw`^[ \t]*(?:[A-Za-z&']+[ \t]+){0,5}(${names})\b[ \t]*(?::[^=\n"']{0,30})?:?=[ \t]*["'\x60]([^"'\x60\n]+)["'\x60]`,
    "gm",
  );
  return [...text.matchAll(pattern)].map(([, where = "", version = ""]) => ({ where, version }));
}
