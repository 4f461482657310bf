// Names by which JavaScript, TypeScript and PHP import files of the project without a relative path, as the settings at the
// reference map them: `paths` and `baseUrl` of tsconfig.json, `imports` of package.json, packages of a workspace, PSR-4. Pure.
// Leaves resolving the imports to resolve-imports.ts.
import { posix } from "node:path";
import { z } from "zod";
import { parseJson } from "../../../system/text/json.js";
import { folderOf, isForeign, type ProjectFiles } from "./project-paths.js";

/** Names that begin with `prefix` lead to `target` and what follows: `@/` to `src/`. Without `rest`, only the exact name does. */
export interface Alias {
  prefix: string;
  target: string;
  rest: boolean;
}

/** Which names of a language lead into the project, besides relative ones. */
export interface Aliases {
  js: readonly Alias[];
  php: readonly Alias[];
  /** Packages that a manifest of the project depends on. */
  packages: ReadonlySet<string>;
}

const Options = z.object({
  compilerOptions: z.object({
    baseUrl: z.string().optional(),
    paths: z.record(z.string(), z.array(z.string())).optional(),
  }),
});
const Table = z.record(z.string(), z.unknown()).optional().catch(undefined);
const Package = z.object({
  name: z.string().optional().catch(undefined),
  imports: Table,
  dependencies: Table,
  devDependencies: Table,
  peerDependencies: Table,
  optionalDependencies: Table,
});
const Composer = z.object({
  autoload: z.object({ "psr-4": Table }).optional().catch(undefined),
  "autoload-dev": z.object({ "psr-4": Table }).optional().catch(undefined),
});

/** Reads the names that the settings at the reference map to files of the project. */
export function aliasesOf({ paths, text }: ProjectFiles): Aliases {
  const js: Alias[] = [];
  const php: Alias[] = [];
  const packages = new Set<string>();
  for (const path of paths) {
    const name = posix.basename(path);
    const isOptions = /^[jt]sconfig[\w.-]*\.json$/.test(name);
    if (!(isOptions || name === "package.json" || name === "composer.json") || isForeign(path)) continue;
    const value = parseJson(isOptions ? withoutComments(text(path) ?? "") : (text(path) ?? ""));
    const folder = folderOf(path);
    if (isOptions) js.push(...optionAliases(folder, value));
    else if (name === "composer.json") php.push(...composerAliases(folder, value));
    else js.push(...packageAliases(folder, value, packages));
  }
  return { js: [...js, ...CUSTOM], php, packages };
}

/** Bundlers' settings are code, which is not read: by custom these mean the folder of sources. */
const CUSTOM: readonly Alias[] = ["@/", "~/"].map((prefix) => ({ prefix, target: "src/", rest: true }));

function optionAliases(folder: string, value: unknown): Alias[] {
  const options = Options.safeParse(value).data?.compilerOptions;
  const base = posix.join(folder, options?.baseUrl ?? "");
  const all = options?.baseUrl === undefined ? [] : [{ prefix: "", target: slashed(base), rest: true }];
  const mapped = Object.entries(options?.paths ?? {}).flatMap(([name, targets]) =>
    targets.map((target) => starAlias(name, posix.join(base, target))),
  );
  return [...mapped, ...all];
}

function packageAliases(folder: string, value: unknown, packages: Set<string>): Alias[] {
  const manifest = Package.safeParse(value).data;
  if (manifest === undefined) return [];
  for (const key of ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] as const)
    for (const name of Object.keys(manifest[key] ?? {})) packages.add(name);
  const mapped = Object.entries(manifest.imports ?? {}).flatMap(([name, target]) =>
    stringsIn(target).map((one) => starAlias(name, posix.join(folder, one))),
  );
  if (manifest.name === undefined) return mapped;
  // A package names its own files through what it exports, mostly by their paths.
  const own = ["", "src/", "lib/"].map((inside) => ({
    prefix: `${manifest.name ?? ""}/`,
    target: posix.join(slashed(folder), inside),
    rest: true,
  }));
  return [...mapped, ...own];
}

function composerAliases(folder: string, value: unknown): Alias[] {
  const manifest = Composer.safeParse(value).data;
  return [manifest?.autoload, manifest?.["autoload-dev"]].flatMap((one) =>
    Object.entries(one?.["psr-4"] ?? {}).flatMap(([prefix, target]) =>
      stringsIn(target).map((to) => ({ prefix, target: slashed(posix.join(folder, to)), rest: true })),
    ),
  );
}

function starAlias(name: string, target: string): Alias {
  if (!name.endsWith("*")) return { prefix: name, target, rest: false };
  return { prefix: name.slice(0, -1), target: target.replace(/\*.*$/, ""), rest: true };
}

/** The paths that a name leads to, without an extension that it leaves out. */
export function followAliases(aliases: readonly Alias[], name: string): string[] {
  return aliases.flatMap(({ prefix, target, rest }) => {
    if (!rest) return name === prefix ? [target] : [];
    return name.startsWith(prefix) ? [target + name.slice(prefix.length)] : [];
  });
}

/** Each text in a value of JSON, at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(stringsIn);
  return [];
}

function slashed(folder: string): string {
  return folder === "" || folder === "." || folder === "./" ? "" : folder.replace(/(?<!\/)\/*$/, "/");
}

/** JSON of TypeScript's settings may have comments and commas behind the last element. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/("(?:\\.|[^"\\\n])*")|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, "$1")
    .replaceAll(/,(?=\s*[}\]])/g, "");
}
