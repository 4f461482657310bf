// Decides which modules of the program share a file: those read at the start, and those read only when a command needs them.
// Leaves the layout of a file to pack.mjs; output paths and other files to build.mjs and test/torture/build.mjs.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { pack, reachedFrom } from "./pack.mjs";
import { readySettings } from "./default-settings.mjs";
import { writtenFlags } from "./setting-flags.mjs";
import { standaloneValidators } from "./validator.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Our files that are needed together, each with everything it may use; commands that a person waits for come first. */
const GROUPS = {
  everyday: [
    "src/system/processes/node-ports",
    "src/system/import-module",
    "cmd/commands/backlog/ls",
    "cmd/commands/backlog/validate",
  ],
  status: ["cmd/commands/runs/status"],
  run: ["cmd/commands/run/run"],
};

/** Files that those import but use only in unusual cases: they are kept apart, with everything that only they use. */
const SELDOM = [
  // Needed when any setting is set.
  "src/config/read/resolve",
  "src/config/settings/settings",
  "src/config/read/settings-text",
  "src/system/text/source-text",
  "src/config/read/chapo-settings",
  // The setting hooks.read_claude is on.
  "src/config/claude/load-claude-hooks",
  "src/config/claude/claude-hooks",
  // A task is in a workflow.
  "src/todo/check/meets-progress",
  "src/todo/check/progress-rules",
  "src/workflow/workflow",
  "src/workflow/progress",
  "src/workflow/question",
  "src/workflow/to-progress-row",
  "src/ui/view/open-questions",
  // A backlog has problems.
  "src/todo/model/cycles",
  "src/system/text/cut",
  "src/todo/check/rules",
  "src/todo/json/walk",
  // Something is started, written or watched.
  "src/system/files/append",
  "src/system/files/watch-folder",
  "src/system/files/change-watch",
  "src/system/processes/child",
  "src/system/processes/contain",
  "src/system/processes/sweep",
  "src/system/files/take-away",
  "src/todo/model/task",
  "cmd/watch/watch-file",
  // A task file or a schema is not as it should be.
  "src/todo/model/marker",
  "src/todo/check/runner-keys",
  "src/todo/check/spelling",
  "src/todo/check/words",
  // A done task is unverified.
  "src/gate/verdict/why-unverified",
  "src/ui/view/read-doubts",
  // There were runs.
  "src/logging/events/events",
  "src/ui/view/words/ending",
  "src/ui/view/read-view",
  "src/ui/view/words/live-line",
];

/** Files that every command imports, and uses only for an unknown word, on a plain terminal, or when the system has run out of something. */
const HINTS = [
  "cmd/context/plain-prompts",
  "src/system/processes/read-line",
  "cmd/old-names",
  "src/system/exhausted",
  "src/system/text/nearest",
];

/** Libraries that one of our files imports: without an entry here they would be loaded with it. */
const APART = ["chokidar", "commander", "cosmiconfig", "pino"];

/** A chunk of libraries of at most so many characters, not minified, lies with what wants it. */
const SMALL = 8_000;

/**
 * `everyday`: files besides those of GROUPS that every start reads, without the extension. `doors`: modules that other programs
 * load, by the file that hands them out, without the extension.
 * @typedef {{ entryPoints: Record<string, string>, outdir: string, minify: boolean, plugins?: import("esbuild").Plugin[], everyday?: readonly string[], doors?: Record<string, string> }} Order
 */

/**
 * The files, not written yet. Rejects when something is wrong.
 * @param {Order} order
 */
export async function bundle(order) {
  const { entryPoints, outdir, minify, doors = {} } = order;
  const starts = { ...entryPoints, ...doors };
  const first = await build({
    ...(await optionsFor(order)),
    entryPoints: starts,
    metafile: true,
    splitting: false,
    packages: "external",
  });
  // Each of our files is a module of its own, so that it runs only when it is used.
  const ours = Object.keys(first.metafile.inputs).filter((file) =>
    /^(?:api|cmd|src|test)\/.*\.ts$/.test(file),
  );
  const result = await build({
    ...(await optionsFor(order)),
    entryPoints: Object.fromEntries([
      ...ours.map((file) => [file.replace(/\.ts$/, ""), file]),
      ...APART.map((name) => [`chunks/${name}`, name]),
    ]),
    chunkNames: "chunks/[name]-[hash]",
    metafile: true,
  });
  const modules = new Map(result.outputFiles.map(({ path: file, text }) => [file, { path: file, text }]));
  const ofLibraries = new Set(
    Object.entries(result.metafile.outputs)
      .filter(([, { inputs }]) => Object.keys(inputs).some((file) => file.startsWith("node_modules/")))
      .map(([file]) => path.resolve(root, file))
      .filter((file) => (modules.get(file)?.text.length ?? 0) > SMALL),
  );
  /** @param {readonly string[]} sources */
  const holding = (sources) => {
    const lost = sources.filter((source) => first.metafile.inputs[`${source}.ts`] === undefined);
    if (lost.length > 0)
      throw new Error(`${lost.join(", ")}: named in scripts/bundle.mjs, but not in the program`);
    return Object.entries(result.metafile.outputs)
      .filter(([, { inputs }]) => sources.some((source) => (inputs[`${source}.ts`]?.bytesInOutput ?? 0) > 0))
      .map(([file]) => path.resolve(root, file));
  };
  // Many texts, and reached by every start.
  const apart = {
    ofLibraries,
    hints: holding(HINTS),
    seldom: holding(SELDOM),
  };
  const handedOut = Object.entries(doors).map(([name, source]) => {
    const module = path.join(outdir, source.replace(/\.ts$/, ".js"));
    const names = result.metafile.outputs[path.relative(root, module)]?.exports ?? [];
    return { path: path.join(outdir, `${name}.js`), module, names };
  });
  const files = await pack(modules, packsOf(order, modules, apart), { minify, doors: handedOut });
  // The project's own package.json says that its files are modules.
  return [...files, { path: path.join(outdir, "package.json"), text: '{"type":"commonjs"}\n' }];
}

/**
 * @param {Order} order
 * @returns {Promise<import("esbuild").BuildOptions & { write: false }>}
 */
async function optionsFor({ outdir, plugins = [] }) {
  /** @type {unknown} */
  const manifest = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const { version } = /** @type {{ version: string }} */ (manifest);
  return {
    absWorkingDir: root,
    outdir,
    plugins: [...plugins, ...standaloneValidators(root), writtenFlags(), readySettings(), englishOnly()],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // jsonc-parser's "main" is UMD, which cannot be bundled.
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "warning",
    define: { LOOPER_VERSION: JSON.stringify(version) },
    // cosmiconfig would load it for settings written in TypeScript, which are not read here.
    // @vscode/ripgrep finds the binary beside its own files.
    external: ["typescript", "@vscode/ripgrep"],
    write: false,
  };
}

/**
 * Leaves out zod's messages in other languages: half of its code, which every start that uses zod would read.
 * @returns {import("esbuild").Plugin}
 */
function englishOnly() {
  return {
    name: "english-only",
    setup(build) {
      build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
        contents: 'export { default as en } from "./en.js";',
      }));
    },
  };
}

/**
 * Returns the modules of each file: an entry and the modules it reaches; those that each group of commands reaches besides;
 * those they seldom use; our other modules. Each chunk of libraries is a file of its own.
 * @param {Pick<Order, "entryPoints" | "outdir" | "everyday">} order
 * @param {ReadonlyMap<string, import("./pack.mjs").File>} modules
 * @param {{ ofLibraries: ReadonlySet<string>, hints: readonly string[], seldom: readonly string[] }} apart
 */
function packsOf({ entryPoints, outdir, everyday = [] }, modules, { ofLibraries, hints, seldom }) {
  const placed = new Set();
  /** @param {string} file @param {Iterable<string>} wanted @param {{ entry?: boolean, atOnce?: boolean }} [facts] */
  const packed = (file, wanted, facts = {}) => {
    const members = [...wanted].filter((module) => !placed.has(module));
    for (const member of members) placed.add(member);
    return { path: path.join(outdir, file), members, ...facts };
  };
  const isOurs = (/** @type {string} */ module) => !ofLibraries.has(module);
  const starts = Object.entries(entryPoints).map(([name, source]) => {
    return { name, start: path.join(outdir, source.replace(/\.ts$/, ".js")) };
  });
  const usual = new Map([...modules].filter(([file]) => !seldom.includes(file)));
  const reached = (/** @type {readonly string[]} */ from, among = modules) =>
    [...reachedFrom(from, among)].filter(isOurs);
  return [
    // A module in the file of one entry could be used by another entry only by starting the first.
    packed("chunks/hints.js", hints),
    ...starts.map(({ name, start }) =>
      packed(`${name}.js`, starts.length === 1 ? reached([start]) : [start], { entry: true, atOnce: true }),
    ),
    ...Object.entries({ ...GROUPS, everyday: [...GROUPS.everyday, ...everyday] }).map(([name, files]) =>
      packed(
        `chunks/${name}.js`,
        reached(
          files.map((file) => path.join(outdir, `${file}.js`)),
          usual,
        ),
        { atOnce: name !== "run" },
      ),
    ),
    packed("chunks/seldom.js", reached(seldom)),
    packed("chunks/others.js", [...modules.keys()].filter(isOurs)),
    ...[...modules.keys()]
      .filter((module) => !isOurs(module))
      .map((module) => packed(`chunks/${path.basename(module)}`, [module])),
  ];
}
