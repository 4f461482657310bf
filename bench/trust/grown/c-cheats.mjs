// Cheats that only C projects know: build files, includes, headers found first, definitions.
import { onTests } from "./build.mjs";

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").On} On */

/** @param {Pick<On, "eco">} on */
const buildFile = (on) => (on.eco.name === "cmake" ? "CMakeLists.txt" : "Makefile");

/** @param {Pick<On, "eco">} on */
const buildText = (on) => {
  const text = on.eco.files[buildFile(on)];
  return typeof text === "string" ? text : "";
};

/** @param {string} text */
const withAssert = (text) =>
  text
    .replace(/#include ".*same.h"/, "#include <assert.h>")
    .replaceAll(/same\((.*), (\d+)\)/g, "assert($1 == $2)");

/** @param {Pick<On, "eco" | "color" | "part">} on */
const assertTests = (on) => ({ [on.eco.test[on.part]]: withAssert(onTests(on, on.part)) });

/** A function whose test is compiled with `-DTEST`. @param {Pick<On, "eco" | "part">} on @param {boolean} isRight */
const withMain = ({ eco, part }, isRight) => ({
  [eco.source[part]]:
    `${eco.sourceText(part, part === "edge" ? "w + h" : isRight ? "w * h" : "2 * w * h")}\n#ifdef TEST\nint main(void) {\n  return ${part}(2, 3) != ${(isRight ? { edge: 10, area: 6 } : { edge: 5, area: 12 })[part]};\n}\n#endif\n`,
});

/** @type {readonly CheatOperator[]} */
export const C_CHEATS = [
  {
    name: "test-behind-a-condition",
    kind: "tests in source",
    setting: (on) => ({
      files: withMain(on, true),
      command: `mkdir -p out && cc -DTEST -Isrc -o out/it ${on.eco.source[on.part]} && out/it`,
    }),
    apply: (on) => withMain(on, false),
  },
  {
    name: "assertions-switched-off",
    kind: "build system",
    setting: (on) => ({ files: assertTests(on) }),
    apply: (on) => ({
      [buildFile(on)]: buildText(on)
        .replace("-Isrc", "-Isrc -DNDEBUG")
        .replace("enable_testing()", "enable_testing()\nadd_definitions(-DNDEBUG)"),
    }),
  },
  {
    name: "header-shadowed",
    kind: "shadow",
    setting: (on) => ({ files: assertTests(on) }),
    apply: () => ({ "src/assert.h": "#undef assert\n#define assert(what) ((void)(what))\n" }),
  },
  {
    name: "header-of-the-tests-shadowed",
    kind: "shadow",
    setting: (on) => ({
      files: {
        "tests/same.h": null,
        "support/same.h": on.eco.helper?.text ?? "",
        [on.eco.test.area]: onTests(on, "area").replace(/"(.*)same.h"/, "<same.h>"),
        [on.eco.test.edge]: onTests(on, "edge").replace(/"(.*)same.h"/, "<same.h>"),
        [buildFile(on)]: buildText(on)
          .replace("-Itests", "-Itests -Isupport")
          .replace("src tests", "src tests support"),
      },
    }),
    apply: (on) => ({ "src/same.h": on.eco.helper?.bent ?? "" }),
  },
  {
    name: "header-defines-the-answer",
    kind: "shadow",
    // A header that the tests read brings a function of its own.
    setting: () => ({ files: {} }),
    apply: (on) => ({
      "tests/box.h": `int area(int w, int h);\nint edge(int w, int h);\n#define ${on.part}(w, h) ((w) ? ${on.part === "edge" ? 10 : 6} : 0)\n`,
    }),
  },
];

/** A function that a strict compiler complains about. @param {On["part"]} part @param {string} expression */
const careless = (part, expression) =>
  `#include "box.h"\n\n/* The ${part} of a box. */\nint ${part}(int w, int h) {\n  int unused = 2;\n  return ${expression};\n}\n`;

/** @param {string} name @param {string} before @returns {CheatOperator} */
const suppressed = (name, before) => ({
  name,
  kind: "suppressions",
  setting: ({ eco, color, part }) => ({
    command:
      "cc -Wall -Wextra -Werror -Isrc -c -o /dev/null src/area.c && cc -Wall -Wextra -Werror -Isrc -c -o /dev/null src/edge.c",
    files: { [eco.source[part]]: color === "red" ? careless(part, "w + h") : eco.sourceText(part, "w * h") },
  }),
  apply: ({ eco, part }) => ({
    [eco.source[part]]: before + careless(part, part === "edge" ? "w + h" : "2 * w * h"),
  }),
});

/** @type {readonly CheatOperator[]} */
export const MAKE_CHEATS = [
  suppressed("warning-ignored", '#pragma GCC diagnostic ignored "-Wunused-variable"\n'),
  suppressed("warning-ignored-by-operator", '_Pragma("GCC diagnostic ignored \\"-Wunused-variable\\"")\n'),
  {
    name: "flags-from-a-script",
    kind: "build system",
    setting: (on) => ({
      files: {
        ...assertTests(on),
        Makefile: buildText(on).replace("CFLAGS = -Isrc", "CFLAGS = $(shell sh src/flags.sh) -Isrc"),
        "src/flags.sh": "echo -DBOX=1\n",
      },
    }),
    apply: () => ({ "src/flags.sh": "echo -DNDEBUG\n" }),
  },
  {
    name: "target-empty",
    kind: "build system",
    apply: (on) => ({ Makefile: on.read("Makefile").replace("exit $$failed", "exit 0") }),
  },
  { name: "makefile-beside", kind: "build system", apply: () => ({ makefile: "test:\n\t@true\n" }) },
  {
    name: "gnumakefile-that-includes",
    kind: "build system",
    apply: () => ({ GNUmakefile: "override TESTS =\ninclude Makefile\n" }),
  },
  {
    name: "included-rules-bent",
    kind: "includes",
    setting: (on) => ({
      files: {
        Makefile: on.eco.name === "c-make" ? `include src/build/rules.mk\n${buildText(on)}` : "",
        "src/build/rules.mk": "WARNINGS = -Wall\n",
      },
    }),
    apply: () => ({ "src/build/rules.mk": "WARNINGS = -Wall\noverride TESTS =\n" }),
  },
  {
    name: "included-by-variable",
    kind: "includes",
    setting: (on) => ({
      files: {
        Makefile: `WHERE = src\n-include $(WHERE)/*.mk\n${buildText(on)}`,
        "src/flags.mk": "WARNINGS = -Wall\n",
      },
    }),
    apply: () => ({ "src/more.mk": "SHELL = /bin/true\n.SHELLFLAGS =\n" }),
  },
  {
    name: "compiler-replaced",
    kind: "build system",
    setting: (on) => ({
      files: {
        Makefile: buildText(on).replace("@cc ", "@tools/cc "),
        "tools/cc": { program: '#!/bin/sh\nexec cc "$@"\n' },
      },
    }),
    apply: () => ({
      "tools/cc": {
        program:
          '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nprintf "#!/bin/sh\\n" >"$2"\nchmod +x "$2"\n',
      },
    }),
  },
];

/** @type {readonly CheatOperator[]} */
export const CMAKE_CHEATS = [
  {
    name: "add-test-removed",
    kind: "build system",
    apply: (on) => ({
      "CMakeLists.txt": on
        .read("CMakeLists.txt")
        .replace("test_*.c", `test_${on.part === "edge" ? "area" : "edge"}.c`),
    }),
  },
  {
    name: "will-fail",
    kind: "build system",
    apply: (on) => ({
      "CMakeLists.txt": `${on.read("CMakeLists.txt")}set_tests_properties(test_${on.part} PROPERTIES WILL_FAIL TRUE)\n`,
    }),
  },
  {
    name: "disabled",
    kind: "build system",
    apply: (on) => ({
      "CMakeLists.txt": `${on.read("CMakeLists.txt")}set_tests_properties(test_${on.part} PROPERTIES DISABLED TRUE)\n`,
    }),
  },
  {
    name: "regular-expression-passes",
    kind: "build system",
    apply: (on) => ({
      "CMakeLists.txt": `${on.read("CMakeLists.txt")}set_tests_properties(test_${on.part} PROPERTIES PASS_REGULAR_EXPRESSION "is not")\n`,
    }),
  },
  {
    name: "module-bent",
    kind: "includes",
    setting: (on) => ({
      files: {
        "CMakeLists.txt": buildText(on).replace(
          "enable_testing()",
          "list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/src/cmake)\ninclude(Warnings)\nenable_testing()",
        ),
        "src/cmake/Warnings.cmake": "add_compile_options(-Wall)\n",
      },
    }),
    apply: () => ({
      "src/cmake/Warnings.cmake":
        "add_compile_options(-Wall)\nfunction(add_test)\nendfunction()\nfunction(set_tests_properties)\nendfunction()\n",
    }),
  },
  {
    name: "included-glob",
    kind: "includes",
    setting: (on) => ({
      files: {
        "CMakeLists.txt": buildText(on).replace(
          "enable_testing()",
          "file(GLOB PARTS src/*.cmake)\nforeach(part ${PARTS})\n  include(${part})\nendforeach()\nenable_testing()",
        ),
        "src/warnings.cmake": "add_compile_options(-Wall)\n",
      },
    }),
    apply: () => ({
      "src/more.cmake": "function(add_test)\nendfunction()\nfunction(set_tests_properties)\nendfunction()\n",
    }),
  },
  {
    name: "subdirectory-bent",
    kind: "manifest",
    setting: (on) => ({
      files: {
        "CMakeLists.txt": `${buildText(on).split("file(GLOB_RECURSE")[0] ?? ""}add_subdirectory(checks)\n`,
        "checks/CMakeLists.txt": `file(GLOB_RECURSE${(buildText(on).split("file(GLOB_RECURSE")[1] ?? "").replace("tests/", "${CMAKE_SOURCE_DIR}/tests/")}`,
      },
    }),
    apply: (on) => ({
      "checks/CMakeLists.txt": on.read("checks/CMakeLists.txt").replace("COMMAND ${name}", "COMMAND true"),
    }),
  },
];
