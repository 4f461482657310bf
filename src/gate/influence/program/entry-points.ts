// The entry points and folders that the manifests of a project declare to be its program. Pure.
// Leaves what is the program by custom to program-roots.ts.
import { posix } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { z } from "zod";
import { parseJson } from "../../../system/text/json.js";
import { stringsIn } from "./aliases.js";
import { folderOf, isForeign, type ProjectFiles } from "./project-paths.js";

const Node = z.object({
  main: z.string().optional().catch(undefined),
  module: z.string().optional().catch(undefined),
  browser: z.unknown().optional(),
  types: z.string().optional().catch(undefined),
  bin: z.unknown().optional(),
  exports: z.unknown().optional(),
  imports: z.unknown().optional(),
});

/** The files that the manifest of a package names as entry points, where they are there or have one source. */
export function entriesOf(files: ProjectFiles, top: string): string[] {
  const read = (name: string): string => files.text(posix.join(top, name)) ?? "";
  const named = [
    ...nodeEntries(read("package.json")),
    ...cargoEntries(read("Cargo.toml")),
    ...pythonEntries(read("pyproject.toml")),
  ];
  const found = named.flatMap((name) => {
    const path = posix.normalize(posix.join(top, name));
    if (path.includes("*")) return matching(files.paths, path);
    return variantsOf(path)
      .filter((one) => files.has(one))
      .slice(0, 1);
  });
  return [...new Set(found)].filter((path) => !path.startsWith("../") && !isForeign(path));
}

const Scripts = z.object({ scripts: z.record(z.string(), z.unknown()).optional().catch(undefined) });

/** The files that the scripts of a package start to run the program: `"start": "node server/index.js"`. */
export function startedEntries(files: ProjectFiles, top: string): string[] {
  const { scripts = {} } =
    Scripts.safeParse(parseJson(files.text(posix.join(top, "package.json")) ?? "")).data ?? {};
  const lines = ["start", "dev", "serve"]
    .map((name) => scripts[name])
    .filter((one) => typeof one === "string");
  const words = lines.flatMap((line) => line.split(/\s+/));
  const found = words
    .filter((word) => /\.[cm]?[jt]sx?$/.test(word))
    .map((word) => posix.normalize(posix.join(top, word)));
  return [...new Set(found)].filter((path) => files.has(path) && folderOf(path) !== top && !isForeign(path));
}

function nodeEntries(text: string): string[] {
  const parsed = Node.safeParse(parseJson(text));
  if (!parsed.success) return [];
  const { main, module, types, browser, bin, exports, imports } = parsed.data;
  return [
    main,
    module,
    types,
    ...stringsIn(browser),
    ...stringsIn(bin),
    ...stringsIn(exports),
    ...stringsIn(imports),
  ]
    .filter((one) => one !== undefined)
    .filter((one) => one.startsWith(".") || !one.startsWith("#"));
}

/** The files that a pattern of `exports` names: `./lib/*.js`. */
function matching(paths: readonly string[], pattern: string): string[] {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.at(-1) ?? "";
  return paths.filter(
    (path) =>
      path.length > head.length + tail.length &&
      path.startsWith(head) &&
      (path.endsWith(tail) || tail === ""),
  );
}

const Cargo = z.object({
  lib: z.object({ path: z.string() }).optional().catch(undefined),
  bin: z
    .array(z.object({ path: z.string().optional() }))
    .optional()
    .catch(undefined),
});

function cargoEntries(text: string): string[] {
  const parsed = Cargo.safeParse(readToml(text));
  if (!parsed.success) return [];
  return [parsed.data.lib?.path, ...(parsed.data.bin ?? []).map((one) => one.path)].filter(
    (one) => one !== undefined,
  );
}

const Python = z.object({
  project: z
    .object({
      scripts: z.record(z.string(), z.string()).optional(),
      "gui-scripts": z.record(z.string(), z.string()).optional(),
    })
    .optional()
    .catch(undefined),
  tool: z
    .object({
      poetry: z
        .object({
          scripts: z.record(z.string(), z.unknown()).optional(),
          packages: z.array(z.object({ include: z.string(), from: z.string().optional() })).optional(),
        })
        .optional()
        .catch(undefined),
      setuptools: z
        .object({
          packages: z.unknown().optional(),
          "py-modules": z.array(z.string()).optional(),
          "package-dir": z.record(z.string(), z.string()).optional(),
        })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

function pythonEntries(text: string): string[] {
  const parsed = Python.safeParse(readToml(text));
  if (!parsed.success) return [];
  const { project, tool } = parsed.data;
  const scripts = [project?.scripts, project?.["gui-scripts"], tool?.poetry?.scripts].flatMap((one) =>
    stringsIn(one),
  );
  const modules = scripts.map((one) => one.split(":")[0] ?? "").filter((one) => /^\w[\w.]*$/.test(one));
  const files = modules.flatMap((module) => {
    const at = module.replaceAll(".", "/");
    return [`${at}.py`, `${at}/__init__.py`, `src/${at}.py`, `src/${at}/__init__.py`];
  });
  return [...files, ...(tool?.setuptools?.["py-modules"] ?? []).map((one) => `${one}.py`)];
}

/** Folders that a manifest declares to be the program. */
export function declaredFolders(files: ProjectFiles, top: string): string[] {
  const at = (name: string): string => posix.normalize(posix.join(top, name)).replace(/\/$/, "");
  const python = Python.safeParse(readToml(files.text(posix.join(top, "pyproject.toml")) ?? "")).data;
  const composer = Composer.safeParse(parseJson(files.text(posix.join(top, "composer.json")) ?? "")).data;
  const folders = [
    ...(python?.tool?.poetry?.packages ?? []).map(({ include, from }) => posix.join(from ?? "", include)),
    ...Object.values(python?.tool?.setuptools?.["package-dir"] ?? {}),
    ...setuptoolsFolders(python?.tool?.setuptools?.packages),
    ...stringsIn(composer?.autoload?.["psr-4"]),
    ...stringsIn(composer?.autoload?.classmap),
  ];
  return folders.map(at).filter((folder) => folder !== "." && folder !== "" && !folder.startsWith(".."));
}

/** `packages = ["a", "a.b"]`, or `packages.find.where = ["src"]`. */
function setuptoolsFolders(packages: unknown): string[] {
  const names = stringsIn(Array.isArray(packages) ? packages : undefined);
  const found = z.object({ find: z.object({ where: z.array(z.string()) }) }).safeParse(packages);
  return [...names.map((name) => name.replaceAll(".", "/")), ...(found.data?.find.where ?? [])];
}

const Composer = z.object({
  autoload: z
    .object({ "psr-4": z.unknown().optional(), classmap: z.unknown().optional() })
    .optional()
    .catch(undefined),
});

/** `./dist/a.js` may be made from `src/a.ts`; only what is there counts. */
function variantsOf(path: string): string[] {
  const bare = path.replace(/\.d\.[cm]?ts$/, "").replace(/\.[cm]?[jt]sx?$/, "");
  const extensions = [
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".mts",
    ".cts",
    ".tsx",
    ".jsx",
    "/index.js",
    "/index.ts",
    "/index.mjs",
  ];
  return [path, ...extensions.map((extension) => bare + extension)];
}

function readToml(text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}
