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

type Found = Omit<VersionLocation, "path">;
type Reader = (text: string, path: string) => Found[];

/** Folders of third-party projects and of test data. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|vendor|third_party|testdata|fixtures|__fixtures__|tests?|__tests__|spec)\//;

/** Finds the versions in a file that belong to the project or to one of its packages. */
export function findVersions(path: string, text: string): VersionLocation[] {
  const reader = readerOf(path);
  if (reader === undefined) return [];
  return reader(text, path)
    .filter(({ version }) => isVersion(version))
    .map((found) => ({ path, ...found }));
}

/** Whether a file of this name (relative to the top of the repository) may have a version. */
export function mayHoldVersion(path: string): boolean {
  return readerOf(path) !== undefined;
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

function readerOf(path: string): Reader | undefined {
  if (FOREIGN.test(path)) return undefined;
  const name = basename(path);
  if (Object.hasOwn(READERS, name)) return READERS[name];
  const extension = extname(path);
  if (extension === ".gemspec" || extension === ".podspec")
    return matching("version", /\.version\s*=\s*["']([^"']+)["']/g);
  if (/^\.(?:cs|fs|vb)proj$/.test(extension)) return READERS["Directory.Build.props"];
  if (SOURCES.has(extension)) return constants;
  return undefined;
}

const SOURCES = new Set([
  ...[".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".go", ".rb", ".rs", ".java", ".kt", ".php", ".swift"],
  ...[".c", ".h", ".hpp", ".cpp", ".cs", ".ex", ".dart", ".lua", ".sh"],
]);

/** Makes a reader that returns every match of the pattern's first group; the pattern must have the flag g. */
function matching(where: string, pattern: RegExp): Reader {
  return (text) => [...text.matchAll(pattern)].map(([, version = ""]) => ({ where, version }));
}

function whole(text: string): Found[] {
  return [{ where: "the file", version: text.trim() }];
}

const READERS: Readonly<Record<string, Reader>> = {
  "package.json": jsonVersion,
  "composer.json": jsonVersion,
  "deno.json": jsonVersion,
  "jsr.json": jsonVersion,
  "bower.json": jsonVersion,
  "manifest.json": jsonVersion,
  "plugin.json": jsonVersion,
  "lerna.json": jsonVersion,
  "tauri.conf.json": jsonVersion,
  "codemeta.json": jsonVersion,
  "package-lock.json": npmLock,
  "npm-shrinkwrap.json": npmLock,
  "pyproject.toml": (text) => tomlVersions(text, ["project", "tool.poetry", "tool.commitizen"]),
  "Cargo.toml": (text) => tomlVersions(text, ["package", "workspace.package"]),
  "Cargo.lock": (text) => lockBlocks(text, (block) => !/^source\s*=/m.test(block)),
  "uv.lock": (text) =>
    lockBlocks(text, (block) => /^source\s*=\s*\{\s*(?:editable|virtual|directory)\s*=/m.test(block)),
  "setup.cfg": (text) => tomlVersions(text, ["metadata"]),
  "setup.py": matching("version", /\bversion\s*=\s*["']([^"']+)["']/g),
  VERSION: whole,
  "VERSION.txt": whole,
  "version.txt": whole,
  ".version": whole,
  "Chart.yaml": matching("version", /^(?:version|appVersion):[ \t]*["']?([^\s"'#]+)/gm),
  "pubspec.yaml": matching("version", /^version:[ \t]*["']?([^\s"'#]+)/gm),
  "galaxy.yml": matching("version", /^version:[ \t]*["']?([^\s"'#]+)/gm),
  "CITATION.cff": matching("version", /^version:[ \t]*["']?([^\s"'#]+)/gm),
  "pom.xml": pomVersion,
  "Directory.Build.props": matching("Version", /<Version(?:Prefix)?>\s*([^<\s]+)\s*</g),
  "build.gradle": matching("version", /^version\s*=?\s*["']([^"']+)["']/gm),
  "build.gradle.kts": matching("version", /^version\s*=\s*"([^"]+)"/gm),
  "gradle.properties": matching("version", /^version\s*=\s*(\S+)/gm),
  "mix.exs": matching("version", /(?:^\s*version:\s*|@version\s+)"([^"]+)"/gm),
  "CMakeLists.txt": matching("VERSION", /\bproject\s*\([^)]*?\bVERSION\s+([\d.]+)/gi),
  "meson.build": matching("version", /\bproject\s*\([^)]*?\bversion\s*:\s*'([^']+)'/g),
};

function parse(text: string): Readonly<Record<string, unknown>> {
  return fields(parseJson(text));
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function versionAt(where: string, value: unknown): Found[] {
  return typeof value === "string" ? [{ where, version: value }] : [];
}

function jsonVersion(text: string): Found[] {
  return versionAt("version", parse(text)["version"]);
}

/** The package's own version, in both places where npm has it, and those of its workspaces. */
function npmLock(text: string): Found[] {
  const lock = parse(text);
  const packages = Object.entries(fields(lock["packages"]));
  const own = packages.filter(([path]) => !/(?:^|\/)node_modules\//.test(path));
  return [
    ...versionAt("version", lock["version"]),
    ...own.flatMap(([path, one]) =>
      versionAt(`packages[${JSON.stringify(path)}].version`, fields(one)["version"]),
    ),
  ];
}

/** The `version` of these sections of a TOML or INI file. */
function tomlVersions(text: string, sections: readonly string[]): Found[] {
  const found: Found[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    const [, header] = /^\s*\[\s*([^[\]]+?)\s*\]\s*(?:#.*)?$/.exec(line) ?? [];
    if (header !== undefined) section = header;
    else if (/^\s*\[/.test(line)) section = "";
    const [, version] = /^version\s*=\s*["']?([^"'\s#]+)["']?/.exec(line.trim()) ?? [];
    if (version !== undefined && sections.includes(section))
      found.push({ where: `[${section}] version`, version });
  }
  return found;
}

/** The versions of a lock file's packages that are `own`. */
function lockBlocks(text: string, own: (block: string) => boolean): Found[] {
  const blocks = text.split(/^\[\[package\]\]\s*$/m).slice(1);
  return blocks.filter(own).flatMap((block) => {
    const [, name = ""] = /^name\s*=\s*"([^"]*)"/m.exec(block) ?? [];
    const [, version] = /^version\s*=\s*"([^"]*)"/m.exec(block) ?? [];
    return version === undefined ? [] : [{ where: `version of ${name}`, version }];
  });
}

/** The project's own version, not that of its parent, its dependencies or plugins. */
function pomVersion(text: string): Found[] {
  const own = text.replaceAll(
    /<(parent|dependencies|dependencyManagement|build|profiles|reporting|properties)>[\s\S]*?<\/\1>/g,
    "",
  );
  const [, version] = /<version>\s*([^<\s]+)\s*<\/version>/.exec(own) ?? [];
  return version === undefined ? [] : [{ where: "version", version }];
}

/** Constants at the start of a line: `__version__` in any source file, `VERSION` and `version` in a file about the version. */
function constants(text: string, path: string): Found[] {
  const isAbout = /^_{0,2}(?:version|about)_{0,2}$/i.test(basename(path, extname(path)));
  const isPackage = basename(path) === "__init__.py" || basename(dirname(path)) === "version";
  const names = isAbout || isPackage ? "__version__|VERSION|Version|version" : "__version__";
  const pattern = new RegExp(
    String.raw`^[ \t]*(?:[A-Za-z&']+[ \t]+){0,5}(${names})\b[ \t]*(?::[^=\n"']{0,30})?:?=[ \t]*["'\x60]([^"'\x60\n]+)["'\x60]`,
    "gm",
  );
  return [...text.matchAll(pattern)].map(([, where = "", version = ""]) => ({ where, version }));
}
