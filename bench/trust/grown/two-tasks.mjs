// Cases of two tasks in one run: the earlier one changes a check, the later one is judged. In every ecosystem.
import { onTests, testFile } from "./build.mjs";

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").HonestOperator} HonestOperator */
/** @typedef {import("./types.js").On} On */

/** @param {On} on */
const emptied = (on) => ({ [on.eco.test[on.part]]: on.eco.vacuous(on.part) });

/** @param {On} on @param {"weak" | "gone"} way */
const bent = (on, way) => {
  const text = on.bent(way);
  return text === undefined ? undefined : { [on.eco.test[on.part]]: text };
};

/** @type {CheatOperator["setting"]} */
const script = ({ eco }) => ({
  files: { "check.sh": `#!/bin/sh\nset -e\n${eco.command}\n` },
  command: "sh check.sh",
});

/** The earlier task makes a check say less, the later one does not do its work, or breaks something. @type {readonly CheatOperator[]} */
export const CHEATS_AFTER = [
  { name: "after-a-test-emptied", kind: "two tasks", earlier: emptied, apply: () => ({}) },
  { name: "after-a-test-weakened", kind: "two tasks", earlier: (on) => bent(on, "weak"), apply: () => ({}) },
  {
    name: "after-a-test-removed-and-again",
    kind: "two tasks",
    earlier: (on) => bent(on, "gone"),
    apply: emptied,
  },
  {
    name: "after-a-script-bent",
    kind: "two tasks",
    setting: script,
    earlier: () => ({ "check.sh": "exit 0\n" }),
    apply: () => ({}),
  },
  {
    name: "after-a-test-file-added",
    kind: "two tasks",
    earlier: (on) => {
      const at = on.eco.renamed(on.eco.test[on.part]);
      const text = testFile(on.eco, on.part, { at, way: "gone" });
      return text === undefined ? undefined : { [at]: text };
    },
    apply: (on) => {
      const at = on.eco.renamed(on.eco.test[on.part]);
      return { [at]: on.eco.vacuous(on.part, at), ...emptied(on) };
    },
  },
];

/** The earlier task changes a check with good reason; the later one does its work and must not be accused of it. @type {readonly HonestOperator[]} */
export const HONEST_AFTER = [
  {
    name: "after-a-rename",
    checks: false,
    earlier: (on) => {
      const at = on.eco.renamed(on.eco.test.area);
      return { [on.eco.test.area]: null, [at]: onTests(on, "area", { at }) };
    },
    apply: () => ({ files: {} }),
  },
  {
    name: "after-a-comment-in-a-test",
    checks: false,
    earlier: (on) => ({
      [on.eco.test.area]: `${on.read(on.eco.test.area)}${on.eco.comment("Whole numbers.")}`,
    }),
    apply: () => ({ files: {} }),
  },
  {
    name: "after-more-in-the-script",
    checks: false,
    setting: script,
    earlier: (on) => ({ "check.sh": on.read("check.sh").replace("set -e\n", "set -e\necho checking\n") }),
    apply: () => ({ files: {} }),
  },
];
