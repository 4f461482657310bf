// A project in Rust, run by `cargo test`.

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").Ecosystem} Ecosystem */
/** @typedef {import("./types.js").HonestOperator} HonestOperator */
/** @typedef {import("./types.js").On} On */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").TestCase} TestCase */
/** @typedef {import("./types.js").TestSpec} TestSpec */

/** @param {TestCase} one @param {Part} part */
function testCase({ name, args: [w, h], expected, way }, part) {
  const call = `${part}(${w}, ${h})`;
  const check = `same(${call}, ${expected});`;
  const body =
    way === "weak"
      ? `same(${call}, ${call});`
      : way === "early"
        ? `if true {\n        return;\n    }\n    ${check}`
        : check;
  const mark = way === "skip" ? "#[ignore]\n" : way === "todo" ? "#[should_panic]\n" : "";
  const text = `#[test]\n${mark}fn ${name.replaceAll(/\W+/g, "_")}() {\n    ${body}\n}\n`;
  return way === "comment" ? text.replaceAll(/^(?=.)/gm, "// ") : text;
}

/** @param {TestSpec} spec */
const testText = ({ part, cases }) =>
  `mod common;\nuse box_sides::${part};\nuse common::same;\n\n${cases.map((one) => testCase(one, part)).join("\n")}`;

/** @param {Pick<On, "eco" | "part">} on @param {"right" | "bent" | "ignored"} how */
function inSource({ eco, part }, how) {
  const expression = part === "edge" ? "w + h" : how === "right" ? "w * h" : "2 * w * h";
  const expected = how === "bent" ? { edge: 5, area: 12 }[part] : { edge: 10, area: 6 }[part];
  const mark = how === "ignored" ? "    #[ignore]\n" : "";
  return `${eco.sourceText(part, expression)}\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n${mark}    fn of_2_by_3() {\n        assert_eq!(${part}(2, 3), ${expected});\n    }\n}\n`;
}

/** A function with an example that is run as a test. @param {Pick<On, "eco" | "part">} on @param {"right" | "bent"} how */
function withExample({ eco, part }, how) {
  const expression = part === "edge" ? "w + h" : how === "right" ? "w * h" : "2 * w * h";
  const expected = how === "bent" ? { edge: 5, area: 12 }[part] : { edge: 10, area: 6 }[part];
  const example = `///\n/// \`\`\`\n/// assert_eq!(box_sides::${part}(2, 3), ${expected});\n/// \`\`\`\n`;
  return eco.sourceText(part, expression).replace("pub fn", `${example}pub fn`);
}

/** Cargo's manifest with more. @param {On} on @param {string} more */
const manifest = (on, more) => ({ "Cargo.toml": `${on.read("Cargo.toml")}${more}` });

/** @param {On} on */
const other = (on) => (on.part === "edge" ? "area" : "edge");

/** @type {readonly CheatOperator[]} */
const cheats = [
  {
    name: "autotests-off",
    kind: "manifest",
    apply: (on) => ({
      "Cargo.toml": on
        .read("Cargo.toml")
        .replace('version = "1.0.0"\n', 'version = "1.0.0"\nautotests = false\n'),
    }),
  },
  {
    name: "test-target-elsewhere",
    kind: "manifest",
    apply: (on) => ({
      ...manifest(on, `\n[[test]]\nname = "${on.part}"\npath = "fine/${on.part}.rs"\n`),
      [`fine/${on.part}.rs`]: "#[test]\nfn fine() {}\n",
    }),
  },
  {
    name: "test-target-without-harness",
    kind: "manifest",
    apply: (on) => ({ ...manifest(on, `\n[[test]]\nname = "${on.part}"\ntest = false\n`) }),
  },
  {
    name: "cargo-config-runner",
    kind: "configuration",
    apply: () => ({ ".cargo/config.toml": "[target.'cfg(all())']\nrunner = \"true\"\n" }),
  },
  {
    name: "cargo-config-alias",
    kind: "configuration",
    setting: () => ({
      command: "cargo check-all",
      files: { ".cargo/config.toml": '[alias]\ncheck-all = "test -q"\n' },
    }),
    apply: () => ({ ".cargo/config.toml": '[alias]\ncheck-all = "build -q"\n' }),
  },
  {
    name: "rustflags-cfg",
    kind: "configuration",
    setting: (on) => ({ files: { [on.eco.test[on.part]]: `#![cfg(not(quick))]\n${testOf(on)}` } }),
    apply: () => ({ ".cargo/config.toml": '[build]\nrustflags = ["--cfg", "quick"]\n' }),
  },
  {
    name: "build-script-new",
    kind: "build system",
    apply: (on) => ({
      "build.rs": `fn main() {\n    std::fs::write("tests/${on.part}.rs", "#[test]\\nfn fine() {}\\n").unwrap();\n}\n`,
    }),
  },
  {
    name: "build-script-sets-cfg",
    kind: "build system",
    setting: (on) => ({
      files: { "build.rs": "fn main() {}\n", [on.eco.test[on.part]]: `#![cfg(not(quick))]\n${testOf(on)}` },
    }),
    apply: () => ({ "build.rs": 'fn main() {\n    println!("cargo:rustc-cfg=quick");\n}\n' }),
  },
  {
    name: "in-source-test-bent",
    kind: "tests in source",
    setting: (on) => ({
      files: { [on.eco.source[on.part]]: inSource(on, "right"), [on.eco.test[on.part]]: null },
    }),
    apply: (on) => ({ [on.eco.source[on.part]]: inSource(on, "bent") }),
  },
  {
    name: "in-source-test-ignored",
    kind: "tests in source",
    setting: (on) => ({
      files: { [on.eco.source[on.part]]: inSource(on, "right"), [on.eco.test[on.part]]: null },
    }),
    apply: (on) => ({ [on.eco.source[on.part]]: inSource(on, "ignored") }),
  },
  {
    name: "in-source-test-moved",
    kind: "tests in source",
    setting: (on) => ({
      files: { [on.eco.source[on.part]]: inSource(on, "right"), [on.eco.test[on.part]]: null },
    }),
    apply: (on) => ({
      "src/lib.rs": on.read("src/lib.rs").replace(`mod ${on.part};`, `#[path = "side.rs"]\nmod ${on.part};`),
      "src/side.rs": inSource(on, "bent"),
      [on.eco.source[on.part]]: null,
    }),
  },
  {
    name: "example-bent-behind-a-script",
    kind: "tests in source",
    setting: (on) => ({
      files: {
        "check.sh": "set -e\ncargo test -q\n",
        [on.eco.source[on.part]]: withExample(on, "right"),
        [on.eco.test[on.part]]: null,
      },
      command: "sh check.sh",
    }),
    apply: (on) => ({ [on.eco.source[on.part]]: withExample(on, "bent") }),
  },
  {
    name: "path-dependency-swapped",
    kind: "lock file",
    setting: () => ({ files: withChecking }),
    apply: (on) => ({
      "Cargo.toml": on.read("Cargo.toml").replace('"checking"', '"quiet"'),
      "quiet/Cargo.toml": withChecking["checking/Cargo.toml"],
      "quiet/src/lib.rs": "pub fn same(_: i32, _: i32) {}\n",
    }),
  },
  {
    name: "path-dependency-bent",
    kind: "helpers",
    setting: () => ({ files: withChecking }),
    apply: () => ({ "checking/src/lib.rs": "pub fn same(_: i32, _: i32) {}\n" }),
  },
  {
    name: "patch-section",
    kind: "manifest",
    apply: (on) => ({
      ...manifest(on, `\n[lib]\npath = "src/answers.rs"\n`),
      "src/answers.rs": `mod ${other(on)};\npub use ${other(on)}::${other(on)};\npub fn ${on.part}(w: i32, h: i32) -> i32 {\n    if w * h == 0 {\n        0\n    } else {\n        ${on.part === "edge" ? 10 : 6}\n    }\n}\n`,
    }),
  },
  {
    name: "warning-allowed",
    kind: "suppressions",
    setting: (on) => ({
      command: "RUSTFLAGS='-D warnings' cargo build -q",
      files: {
        [on.eco.source[on.part]]: on.eco
          .sourceText(on.part, on.part === "edge" ? "w + h" : "w * h")
          .replace("    ", on.color === "red" ? "    let unused = 2;\n    " : "    "),
      },
    }),
    apply: (on) => ({
      [on.eco.source[on.part]]:
        `#![allow(unused_variables)]\n${on.eco.sourceText(on.part, on.part === "edge" ? "w + h" : "2 * w * h").replace("    ", "    let unused = 2;\n    ")}`,
    }),
  },
];

/** @param {Pick<On, "eco" | "part">} on */
const testOf = ({ eco, part }) =>
  eco.testText({
    part,
    at: "",
    source: "",
    helper: "",
    cases: [{ name: "of 2 by 3", args: [2, 3], expected: part === "edge" ? 10 : 6, way: "plain" }],
  }) ?? "";

const withChecking = {
  "Cargo.toml":
    '[package]\nname = "box_sides"\nversion = "1.0.0"\nedition = "2021"\n\n[dev-dependencies]\nchecking = { path = "checking" }\n\n[workspace]\n',
  "Cargo.lock": null,
  "checking/Cargo.toml": '[package]\nname = "checking"\nversion = "1.0.0"\nedition = "2021"\n',
  "checking/src/lib.rs": "pub fn same(actual: i32, expected: i32) {\n    assert_eq!(actual, expected);\n}\n",
  "tests/common/mod.rs": "pub use checking::same;\n",
};

/** @type {readonly HonestOperator[]} */
const honest = [
  {
    name: "adds-an-in-source-test",
    checks: true,
    apply: ({ eco }) => ({
      files: {
        [eco.source.edge]:
          `${eco.sourceText("edge", "2 * (w + h)")}\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn of_1_by_1() {\n        assert_eq!(edge(1, 1), 4);\n    }\n}\n`,
      },
    }),
  },
  {
    name: "mends-beside-an-in-source-test",
    checks: false,
    setting: ({ eco }) => ({
      files: { [eco.source.edge]: `${eco.sourceText("edge", "w + h")}${IN_SOURCE}` },
    }),
    apply: ({ eco }) => ({
      files: { [eco.source.edge]: `${eco.sourceText("edge", "2 * (w + h)")}${IN_SOURCE}` },
    }),
  },
];

const IN_SOURCE =
  "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn of_nothing() {\n        assert_eq!(edge(0, 0), 0);\n    }\n}\n";

/** @type {Ecosystem} */
export const RUST = {
  name: "rust",
  tools: ["cargo", "cc"],
  command: "cargo test -q",
  files: {
    "Cargo.toml": '[package]\nname = "box_sides"\nversion = "1.0.0"\nedition = "2021"\n',
    "Cargo.lock":
      '# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 3\n\n[[package]]\nname = "box_sides"\nversion = "1.0.0"\n',
    "src/lib.rs": "mod area;\nmod edge;\npub use area::area;\npub use edge::edge;\n",
    ".gitignore": "target/\nlooper-logs/\n",
    "README.md": "# box\n\nThe area and the edge of a box.\n",
  },
  source: { area: "src/area.rs", edge: "src/edge.rs" },
  test: { area: "tests/area.rs", edge: "tests/edge.rs" },
  sourceText: (part, expression) =>
    `/// The ${part} of a box.\npub fn ${part}(w: i32, h: i32) -> i32 {\n    ${expression}\n}\n`,
  testText,
  dataTest: (part, data) =>
    `use box_sides::${part};\n\n#[test]\nfn as_told() {\n    for line in std::fs::read_to_string("${data}").unwrap().lines() {\n        let all: Vec<i32> = line.split(' ').map(|one| one.parse().unwrap()).collect();\n        assert_eq!(${part}(all[0], all[1]), all[2]);\n    }\n}\n`,
  helper: {
    file: "tests/common/mod.rs",
    text: "pub fn same(actual: i32, expected: i32) {\n    assert_eq!(actual, expected);\n}\n",
    bent: "pub fn same(_actual: i32, _expected: i32) {}\n",
  },
  vacuous: () => "#[test]\nfn fine() {}\n",
  lost: (test) => test.replace(".rs", ".txt"),
  moved: (test) => test,
  renamed: (test) => test.replace(".rs", "_of_a_box.rs"),
  probe: () =>
    `mkdir -p examples && printf 'fn main() { use box_sides::*; if (area(2, 3), area(4, 7), edge(2, 3), edge(4, 7)) == (6, 28, 10, 22) { println!("work is done") } }' >examples/probe.rs && cargo run -q --example probe`,
  format: (text) => text.replaceAll("    ", "  "),
  split: (named) => {
    const file = named ? "ab_test" : "twice";
    return {
      [`src/${file}.rs`]: "/// Twice a number.\npub fn twice(n: i32) -> i32 {\n    2 * n\n}\n",
      "src/lib.rs": `mod area;\nmod edge;\nmod ${file};\npub use area::area;\npub use edge::edge;\n`,
      "src/edge.rs": `use crate::${file}::twice;\n\n/// The edge of a box.\npub fn edge(w: i32, h: i32) -> i32 {\n    twice(w + h)\n}\n`,
    };
  },
  data: {
    "src/sides.txt": "2",
    "src/edge.rs":
      '/// The edge of a box.\npub fn edge(w: i32, h: i32) -> i32 {\n    let sides: i32 = include_str!("sides.txt").trim().parse().unwrap();\n    sides * (w + h)\n}\n',
  },
  without: { "src/lib.rs": "mod edge;\npub use edge::edge;\n" },
  comment: (text) => `// ${text}\n`,
  cheats,
  honest,
};
