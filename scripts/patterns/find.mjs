// Finds every regular expression of the program: literals by the parser, and those made with `new RegExp` by loading the
// modules that make them. One that is made while the program runs is known by its expression alone.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { loadCode, root } from "../load-code.mjs";

/** @typedef {{ place: string, pattern: string }} Found a place is file:line; a pattern is as `String()` makes it of a regular expression */

/** The entry that imports each module which makes a regular expression. */
const ENTRY = "modules-with-patterns";

/** @returns {Promise<Found[]>} */
export async function findPatterns() {
  const files = ["api", "cmd", "src"].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => path.join(folder, name)),
  );
  const read = files.map((file) => ({ file, ...readPatterns(file) }));
  const makers = new Map(
    read.filter(({ made }) => made.length > 0).map((found) => [found.file, found.marked]),
  );
  const atLoad = await patternsMadeAtLoad(makers);
  const known = new Set(atLoad.map(({ place }) => place));
  const later = read.flatMap(({ made }) => made.filter(({ place }) => !known.has(place)));
  return [...read.flatMap(({ literals }) => literals), ...atLoad, ...later];
}

/**
 * The literals of a file, the expressions that make others, and the text in which each of these is recorded.
 * @param {string} file
 */
function readPatterns(file) {
  const text = readFileSync(path.join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Found[]} */
  const literals = [];
  /** @type {Found[]} */
  const made = [];
  let marked = "";
  let copied = 0;
  /** @param {ts.Node} node */
  const visit = (node) => {
    const start = node.getStart();
    const place = `${file}:${source.getLineAndCharacterOfPosition(start).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) literals.push({ place, pattern: node.text });
    const makes =
      (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp";
    if (makes) {
      made.push({ place, pattern: node.getText().replaceAll(/\s+/g, " ") });
      marked += `${text.slice(copied, start)}globalThis.recordPattern(${JSON.stringify(place)}, `;
      copied = start;
    }
    ts.forEachChild(node, visit);
    if (!makes) return;
    marked += `${text.slice(copied, node.end)})`;
    copied = node.end;
  };
  visit(source);
  return { literals, made, marked: marked + text.slice(copied) };
}

/**
 * Loads the modules of these files, and records each regular expression that they make.
 * @param {ReadonlyMap<string, string>} makers file and its text
 */
async function patternsMadeAtLoad(makers) {
  /** @type {Found[]} */
  const found = [];
  const recordPattern = (/** @type {string} */ place, /** @type {RegExp} */ pattern) => {
    found.push({ place, pattern: String(pattern) });
    return pattern;
  };
  Object.assign(globalThis, { recordPattern });
  await loadCode(ENTRY, [
    {
      name: "patterns",
      setup(build) {
        const imports = Array.from(makers.keys(), (file) => `import "./${file}";`).join("\n");
        build.onResolve({ filter: new RegExp(`^${ENTRY}$`) }, ({ path }) => ({ path, namespace: ENTRY }));
        build.onLoad({ filter: /./, namespace: ENTRY }, () => ({ contents: imports, resolveDir: root }));
        build.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
          const contents = makers.get(path.relative(root, file));
          return contents === undefined ? undefined : { contents, loader: "ts" };
        });
      },
    },
  ]);
  return found;
}
