// Which files are documentation, and whether examples in it may run as tests. Pure.
import { posix } from "node:path";
import type { Family } from "./families.js";

/** Languages with a tool that runs the examples in documentation: rustdoc, doctest, ExUnit. */
export function runsExamples(family: Family | undefined): boolean {
  return family === "rust" || family === "python" || family === "elixir";
}

/** Whether a document has an example. */
export function hasExample(text: string): boolean {
  return /^[ \t]*(?:>>> |iex(?:\(\d+\))?> |```|~~~)/m.test(text);
}

/** Files that describe the project to people; they decide nothing unless a check names them. */
export function isDocumentation(path: string): boolean {
  const name = posix.basename(path);
  return (
    /\.(?:md|markdown|mdx|rst|adoc|asciidoc)$/i.test(name) ||
    /^(?:README|CHANGELOG|CHANGES|HISTORY|NEWS|LICEN[CS]E|COPYING|AUTHORS|CONTRIBUTORS|NOTICE|TODO)(?:\.(?:txt|html?))?$/i.test(
      name,
    )
  );
}
