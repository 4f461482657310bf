// The rules a machine can hold us to: strict types, sizes, and the second rule of the house: a file thinks or touches.
// Leaves the first rule, imports go down, to test/promises/layers.test.ts, layout to oxfmt, and Node's parts to scripts/lint-ports.mjs.
import { defineConfig } from "oxlint";

/** Libraries that touch the world, or are read only where they are needed; each with the only files that may import it. */
const TOUCHING = [
  { name: "chokidar", home: "src/system/**" },
  { name: "execa", home: "src/system/processes/child.ts" },
  { name: "pino", home: "{src/logging/diagnostics-file,cmd/serve/access-log}.ts" },
  { name: "cosmiconfig", home: "src/config/read/search.ts" },
  { name: "ai", home: "src/chapo/models/**" },
  { name: "@ai-sdk", home: "src/chapo/models/**" },
  { name: "@modelcontextprotocol/sdk", home: "{src/chapo,cmd/commands}/mcp/**" },
  { name: "turndown", home: "src/chapo/tools/web/*" },
  { name: "@mozilla/readability", home: "src/chapo/tools/web/*" },
  { name: "linkedom", home: "src/chapo/tools/web/*" },
];

/** Those homes whose files take no part of Node that touches the world. */
const PURE_HOMES = [
  "{src/logging/diagnostics-file,cmd/serve/access-log}.ts",
  "src/config/read/search.ts",
  "src/chapo/models/**",
  "{src/chapo,cmd/commands}/mcp/**",
  "src/chapo/tools/web/*",
];

/** The files outside src/system that are the world's edge. */
const TOUCHING_FILES = [
  "cmd/start.ts",
  "cmd/looper.ts",
  "cmd/serve/{listen,peer,documents/socket}.ts",
  "api/silent-context.ts",
];

const TESTS = ["**/*.test.ts"];

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

const bannedProperties = [
  { object: "Date", property: "now", message: askAPort },
  { object: "Math", property: "random", message: askAPort },
  { object: "AbortSignal", property: "timeout", message: askAPort },
];

const NO_PROGRAMS = {
  regex: "^(node:)?child_process$",
  message: "src/system/processes/child.ts starts programs, with execa",
};

/**
 * The imports allowed in a home: no library that has another home.
 * @param {string} [home]
 * @param {object[]} [more] further imports that are not allowed
 * @returns {["error", object]}
 */
function imports(home, more = []) {
  const elsewhere = TOUCHING.filter((library) => library.home !== home);
  return [
    "error",
    {
      patterns: [
        ...elsewhere.map(({ name, home }) => ({
          regex: `^${name}(/|$)`,
          message: `only ${home} imports it`,
        })),
        ...more,
      ],
    },
  ];
}

/**
 * The rules of a file that touches the world.
 * @param {string} [home]
 */
const touches = (home) => ({
  "ports/no-node": "off",
  "ports/no-now": "off",
  "no-restricted-globals": "off",
  "no-restricted-properties": "off",
  "no-restricted-imports": imports(home, [NO_PROGRAMS]),
});

/** Strict rules about types and common mistakes, without options. */
const STRICT = [
  "no-array-constructor",
  "no-unused-expressions",
  "no-useless-constructor",
  "typescript/await-thenable",
  "typescript/no-array-delete",
  "typescript/no-base-to-string",
  "typescript/no-confusing-void-expression",
  "typescript/no-deprecated",
  "typescript/no-duplicate-enum-values",
  "typescript/no-duplicate-type-constituents",
  "typescript/no-dynamic-delete",
  "typescript/no-empty-object-type",
  "typescript/no-explicit-any",
  "typescript/no-extra-non-null-assertion",
  "typescript/no-extraneous-class",
  "typescript/no-floating-promises",
  "typescript/no-for-in-array",
  "typescript/no-generated-empty-object-type",
  "typescript/no-implied-eval",
  "typescript/no-invalid-void-type",
  "typescript/no-meaningless-void-operator",
  "typescript/no-misused-new",
  "typescript/no-misused-promises",
  "typescript/no-misused-spread",
  "typescript/no-mixed-enums",
  "typescript/no-namespace",
  "typescript/no-non-null-asserted-nullish-coalescing",
  "typescript/no-non-null-asserted-optional-chain",
  "typescript/no-non-null-assertion",
  "typescript/no-redundant-type-constituents",
  "typescript/no-require-imports",
  "typescript/no-this-alias",
  "typescript/no-unnecessary-boolean-literal-compare",
  "typescript/no-unnecessary-condition",
  "typescript/no-unnecessary-template-expression",
  "typescript/no-unnecessary-type-arguments",
  "typescript/no-unnecessary-type-assertion",
  "typescript/no-unnecessary-type-constraint",
  "typescript/no-unnecessary-type-conversion",
  "typescript/no-unnecessary-type-parameters",
  "typescript/no-unsafe-argument",
  "typescript/no-unsafe-assignment",
  "typescript/no-unsafe-call",
  "typescript/no-unsafe-declaration-merging",
  "typescript/no-unsafe-enum-comparison",
  "typescript/no-unsafe-function-type",
  "typescript/no-unsafe-member-access",
  "typescript/no-unsafe-return",
  "typescript/no-unsafe-unary-minus",
  "typescript/no-useless-default-assignment",
  "typescript/no-wrapper-object-types",
  "typescript/only-throw-error",
  "typescript/prefer-as-const",
  "typescript/prefer-literal-enum-member",
  "typescript/prefer-namespace-keyword",
  "typescript/prefer-promise-reject-errors",
  "typescript/prefer-reduce-type-parameter",
  "typescript/prefer-return-this-type",
  "typescript/related-getter-setter-pairs",
  "typescript/require-await",
  "typescript/triple-slash-reference",
  "typescript/unbound-method",
  "typescript/unified-signatures",
  "typescript/use-unknown-in-catch-callback-variable",
];

export default defineConfig({
  ignorePatterns: ["dist/", "build/", "coverage/", "looper-logs/", ".mutants/", "**/testdata/", "**/*.cjs"],
  categories: { correctness: "off" },
  options: { typeAware: true, typeCheck: true },
  plugins: ["typescript"],
  jsPlugins: ["./scripts/lint-ports.mjs"],
  rules: {
    ...Object.fromEntries(STRICT.map((name) => [name, "error"])),
    "typescript/ban-ts-comment": ["error", { minimumDescriptionLength: 10 }],
    "typescript/restrict-plus-operands": [
      "error",
      {
        allowAny: false,
        allowBoolean: false,
        allowNullish: false,
        allowNumberAndString: false,
        allowRegExp: false,
      },
    ],
    "typescript/return-await": ["error", "error-handling-correctness-only"],
    eqeqeq: "error",
    "no-empty": ["error", { allowEmptyCatch: false }],
    "default-case": "error",
    "no-implicit-coercion": "error",
    "object-shorthand": "error",
    "max-lines": ["error", { max: 600, skipBlankLines: false, skipComments: false }],
    "max-lines-per-function": ["error", { max: 80, skipBlankLines: false, skipComments: false, IIFEs: true }],
    "max-params": ["error", { max: 4 }],
    "typescript/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
    // To take a key out of an object it is named beside the rest.
    "no-unused-vars": ["error", { ignoreRestSiblings: true }],
    // A number reads the same everywhere; what else a template would turn into text stays an error.
    "typescript/restrict-template-expressions": ["error", { allowNumber: true }],
    "typescript/switch-exhaustiveness-check": [
      "error",
      // A fold over events names those it needs; a switch that must name all ends in never(x), which does not compile else.
      { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
    ],
  },
  // Of two that name a file, the later one counts.
  overrides: [
    {
      files: ["src/**/*.ts", "cmd/**/*.ts", "api/**/*.ts"],
      rules: {
        "ports/no-node": "error",
        "ports/no-now": "error",
        "no-restricted-globals": ["error", ...bannedGlobals([...AMBIENT, ...TIMERS])],
        "no-restricted-properties": ["error", ...bannedProperties],
        "no-restricted-imports": imports(),
      },
    },
    ...PURE_HOMES.map((home) => ({
      files: [home],
      rules: { "no-restricted-imports": imports(home) },
    })),
    { files: ["src/system/**/*.ts"], rules: touches("src/system/**") },
    {
      files: ["src/system/processes/child.ts"],
      rules: touches("src/system/processes/child.ts"),
    },
    { files: ["src/system/**/*.test.ts"], rules: { "no-restricted-imports": imports("src/system/**") } },
    { files: TOUCHING_FILES, rules: touches() },
    {
      files: TESTS,
      rules: { "max-lines-per-function": "off", "ports/no-node": "off", "ports/no-now": "off" },
    },
    {
      files: [...TESTS, "test/**/*.{ts,mjs}"],
      rules: {
        "no-restricted-globals": [
          "error",
          ...TIMERS.map((name) => ({ name, message: "no sleeps in tests" })),
        ],
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
  ],
});
