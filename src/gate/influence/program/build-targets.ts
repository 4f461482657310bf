// Lists the files that CMake and Cargo build programs and libraries from, and the files of programs that are run as tests. Pure.
// https://cmake.org/cmake/help/latest/command/add_test.html, https://doc.rust-lang.org/cargo/reference/cargo-targets.html
import { posix } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { z } from "zod";
import { folderOf, isForeign, isTestish, type ProjectFiles } from "./project-paths.js";

/** Files by what is built from them; a file of both is the program's. */
export interface BuildTargets {
  program: readonly string[];
  tests: readonly string[];
}

/** Reads the targets of all build files at the reference. */
export function buildTargets(files: ProjectFiles): BuildTargets {
  const program = new Set<string>();
  const tests = new Set<string>();
  for (const path of files.paths) {
    const name = posix.basename(path);
    if ((name !== "CMakeLists.txt" && name !== "Cargo.toml") || isForeign(path)) continue;
    const text = files.text(path) ?? "";
    const found = name === "Cargo.toml" ? cargoTests(text) : cmakeTargets(text);
    const at = (one: string): string => posix.normalize(posix.join(folderOf(path), one));
    for (const one of found.program.map(at)) if (files.has(one)) program.add(one);
    for (const one of found.tests.map(at)) if (files.has(one)) tests.add(one);
  }
  return { program: [...program], tests: [...tests].filter((one) => !program.has(one)) };
}

const CMAKE_CALL = /^[ \t]*(\w+)[ \t]*\(([^)]*)\)/gm;

function cmakeTargets(text: string): BuildTargets {
  const made = new Map<string, string[]>();
  const run = new Set<string>();
  for (const [, call = "", inside = ""] of text.replaceAll(/#[^\n]*/g, "").matchAll(CMAKE_CALL)) {
    const words = inside
      .replaceAll(/["]|\$\{\w+\}\//g, "")
      .split(/\s+/)
      .filter(Boolean);
    const [target = "", ...rest] = words;
    const how = call.toLowerCase();
    if (how === "add_test") for (const word of words) run.add(word.replace(/^\$<TARGET_FILE:(.*)>$/, "$1"));
    if (how === "gtest_discover_tests" || how === "catch_discover_tests") run.add(target);
    if (how === "add_executable" || how === "add_library" || how === "target_sources")
      made.set(target, [...(made.get(target) ?? []), ...rest]);
  }
  const files = [...made];
  // A test may run the program itself: then only the name tells them apart.
  const isTest = (target: string): boolean => run.has(target) && (isTestish(target) || CHECKS.test(target));
  return {
    program: files.flatMap(([target, names]) => (run.has(target) ? [] : names)),
    tests: files.flatMap(([target, names]) => (isTest(target) ? names : [])),
  };
}

const CHECKS = /(?:^|[_-])(?:checks?|checker|verify|verifier|prove|asserts?)(?:[_-]|$)/i;

const Target = z
  .array(z.object({ path: z.string().optional() }))
  .optional()
  .catch(undefined);
const Cargo = z.object({ test: Target, bench: Target });

function cargoTests(text: string): BuildTargets {
  const { test, bench } = Cargo.safeParse(readToml(text)).data ?? {};
  const paths = [...(test ?? []), ...(bench ?? [])].flatMap(({ path }) => (path === undefined ? [] : [path]));
  return { program: [], tests: paths };
}

function readToml(text: string): unknown {
  try {
    return parseToml(text);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}
