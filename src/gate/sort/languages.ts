// Which language family a file belongs to, by its extension. Pure.
import { posix } from "node:path";
import { FURTHER_EXTENSIONS, FURTHER_INTERPRETERS, type FurtherFamily } from "./further-languages.js";

/** Files of one family may import each other; a program that has one file of a family may be given more of it. */
export type Family =
  | "js"
  | "c"
  | "python"
  | "perl"
  | "ruby"
  | "php"
  | "java"
  | "go"
  | "rust"
  | "csharp"
  | "swift"
  | "elixir"
  | "lua"
  | "shell"
  | FurtherFamily;

const EXTENSIONS: Readonly<Record<Family, string>> = {
  js: "js mjs cjs jsx ts tsx mts cts vue svelte astro",
  c: "c h cc cpp cxx c++ hh hpp hxx h++ inl ipp tpp m mm",
  python: "py pyi pyx pxd",
  perl: "pl pm t",
  ruby: "rb",
  php: "php",
  java: "java kt kts scala groovy",
  go: "go",
  rust: "rs",
  csharp: "cs fs vb",
  swift: "swift",
  elixir: "ex exs erl hrl gleam",
  lua: "lua",
  shell: "sh bash zsh bats",
  ...FURTHER_EXTENSIONS,
};

/** Every family. */
export const FAMILIES = Object.keys(EXTENSIONS) as readonly Family[];

const FAMILY_OF = new Map<string, Family>(
  FAMILIES.flatMap((family) =>
    EXTENSIONS[family].split(" ").map((extension): [string, Family] => [extension, family]),
  ),
);

/** The family of a path's extension; `undefined`: data, documentation, or a language that is not known here. */
export function familyOf(path: string): Family | undefined {
  return FAMILY_OF.get(posix.extname(path).slice(1).toLowerCase());
}

/** The interpreter that a first line names: `#!/usr/bin/env -S node --no-warnings`. */
const SHEBANG =
  /^#![ \t]*(?:\S*\/)?([A-Za-z]+)[\d.]*(?:[ \t]+(?:-\S+[ \t]+)*(?:\S*\/)?([A-Za-z]+)[\d.]*)?(?=\s|$)/;
const INTERPRETER_OF: ReadonlyMap<string, Family> = new Map([
  ...["node", "nodejs", "deno", "bun", "tsx"].map((name): [string, Family] => [name, "js"]),
  ...["python", "pypy"].map((name): [string, Family] => [name, "python"]),
  ...["sh", "bash", "dash", "zsh", "ksh"].map((name): [string, Family] => [name, "shell"]),
  ["perl", "perl"],
  ["ruby", "ruby"],
  ["php", "php"],
  ...["lua", "luajit"].map((name): [string, Family] => [name, "lua"]),
  ...["kotlin", "scala", "groovy"].map((name): [string, Family] => [name, "java"]),
  ...["elixir", "escript"].map((name): [string, Family] => [name, "elixir"]),
  ["swift", "swift"],
  ...FURTHER_INTERPRETERS,
]);

/** The family of a program without an extension, by the interpreter that its first line names. */
export function familyIn(path: string, text: string | undefined): Family | undefined {
  if (posix.extname(path) !== "" || text === undefined) return undefined;
  const [, first = "", second = ""] = SHEBANG.exec(text) ?? [];
  return INTERPRETER_OF.get(first === "env" ? second : first);
}

/** The extensions of a family, each with its dot. */
export function extensionsOf(family: Family): readonly string[] {
  return EXTENSIONS[family].split(" ").map((extension) => `.${extension}`);
}
