// The rules a machine can hold us to: strict types, sizes, and the second rule of the house: a file thinks or touches.
// Leaves the first rule, imports go down, to test/promises/layers.test.ts, and layout to prettier.
import { builtinModules } from "node:module";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** Modules of Node that only compute. */
const THINKING = ["path", "url", "util"];

/** Libraries that touch the world, or are read only where they are needed; each with the only files that may import it. */
const TOUCHING = [
  { name: "chokidar", home: "src/system/**" },
  { name: "pino", home: "src/logging/diagnostics-file.ts" },
  { name: "cosmiconfig", home: "src/config/read/load.ts" },
  { name: "ai", home: "src/chapo/models/**" },
  { name: "@ai-sdk", home: "src/chapo/models/**" },
  { name: "@modelcontextprotocol/sdk", home: "{src/chapo,cmd/commands}/mcp/**" },
  { name: "turndown", home: "src/chapo/tools/web/*" },
  { name: "@mozilla/readability", home: "src/chapo/tools/web/*" },
  { name: "linkedom", home: "src/chapo/tools/web/*" },
];

/** Those homes whose files take no part of Node that touches. */
const PURE_HOMES = [
  "src/logging/diagnostics-file.ts",
  "src/config/read/load.ts",
  "src/chapo/models/**",
  "{src/chapo,cmd/commands}/mcp/**",
  "src/chapo/tools/web/*",
];

const TESTS = ["**/*.test.ts"];

const builtins = builtinModules.filter((name) => !/^(_|node:)/.test(name)).join("|");
const touchingNode = `^(node:(?!(${THINKING.join("|")})$)|(${builtins})$)`;

const AMBIENT = [
  "process",
  "console",
  "fetch",
  "performance",
  "crypto",
  "globalThis",
  "WebSocket",
  "EventSource",
];
const TIMERS = [
  "setTimeout",
  "setInterval",
  "setImmediate",
  "clearTimeout",
  "clearInterval",
  "clearImmediate",
];

const askAPort =
  "outside src/system, cmd/looper.ts and api/silent-context.ts the world is reached through a port";

/** @param {string[]} names */
const bannedGlobals = (names) => names.map((name) => ({ name, message: askAPort }));

const bannedSyntax = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: askAPort },
  { selector: "CallExpression[callee.name='Date']", message: askAPort },
  ...["ImportExpression", "TSImportType"].map((node) => ({
    selector: `${node}[source.value=/${touchingNode.replaceAll("/", "\\u002f")}/]`,
    message: askAPort,
  })),
];

const bannedProperties = [
  { object: "Date", property: "now", message: askAPort },
  { object: "Math", property: "random", message: askAPort },
  { object: "AbortSignal", property: "timeout", message: askAPort },
];

/**
 * The imports allowed: no part of Node that touches the world in a `pure` file, and no library outside its home.
 * @param {{ pure: boolean, home?: string }} file
 * @returns {["error", object]}
 */
function imports({ pure, home }) {
  const elsewhere = TOUCHING.filter((library) => library.home !== home);
  return [
    "error",
    {
      patterns: [
        ...elsewhere.map(({ name, home }) => ({
          regex: `^${name}(/|$)`,
          message: `only ${home} imports it`,
        })),
        ...(pure ? [{ regex: touchingNode, message: askAPort }] : []),
      ],
    },
  ];
}

export default defineConfig(
  { ignores: ["dist/", "build/", "coverage/", "looper-logs/", ".mutants/", "**/testdata/"] },
  {
    files: ["**/*.{ts,js,mjs}"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { noInlineConfig: true },
    rules: {
      eqeqeq: "error",
      "no-empty": ["error", { allowEmptyCatch: false }],
      "default-case": "error",
      "no-implicit-coercion": "error",
      "object-shorthand": "error",
      "max-lines": ["error", { max: 400, skipBlankLines: false, skipComments: false }],
      "@typescript-eslint/max-params": ["error", { max: 4 }],
      "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
      // To take a key out of an object it is named beside the rest.
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      // A number reads the same everywhere; what else a template would turn into text stays an error.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        // A fold over events names those it needs; a switch that must name all ends in never(x), which does not compile else.
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
    },
  },
  {
    files: ["**/*.{ts,js,mjs}"],
    ignores: TESTS,
    rules: {
      "max-lines-per-function": [
        "error",
        { max: 60, skipBlankLines: false, skipComments: false, IIFEs: true },
      ],
    },
  },
  {
    files: ["src/**/*.ts", "cmd/**/*.ts", "api/**/*.ts"],
    ignores: [...TESTS, "src/system/**", "cmd/looper.ts", "api/silent-context.ts"],
    rules: {
      "no-restricted-globals": ["error", ...bannedGlobals([...AMBIENT, ...TIMERS])],
      "no-restricted-properties": ["error", ...bannedProperties],
      "no-restricted-syntax": ["error", ...bannedSyntax],
      "no-restricted-imports": imports({ pure: true }),
    },
  },
  ...PURE_HOMES.map((home) => ({
    files: [home],
    ignores: TESTS,
    rules: { "no-restricted-imports": imports({ pure: true, home }) },
  })),
  {
    files: ["src/system/**/*.ts"],
    rules: { "no-restricted-imports": imports({ pure: false, home: "src/system/**" }) },
  },
  {
    files: ["cmd/looper.ts", "api/silent-context.ts"],
    rules: { "no-restricted-imports": imports({ pure: false }) },
  },
  {
    files: [...TESTS, "test/**/*.{ts,mjs}"],
    rules: {
      "no-restricted-globals": ["error", ...TIMERS.map((name) => ({ name, message: "no sleeps in tests" }))],
      "no-restricted-imports": [
        "error",
        { patterns: [{ regex: "^(node:)?timers", message: "no sleeps in tests" }] },
      ],
      "no-restricted-properties": [
        "error",
        ...["mock", "doMock", "stubGlobal", "useFakeTimers"].map((property) => ({
          object: "vi",
          property,
          message: "no mocks: hand the code its ports",
        })),
      ],
    },
  },
);
