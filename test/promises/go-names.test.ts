// Commands and settings of the Go program that are answered here, and the page that lists all its names.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OLD_COMMANDS } from "../../cmd/old-names.js";
import { readCommandLine } from "../../cmd/line.js";
import { SHORT_NAMES } from "../../src/config/read/env-layer.js";
import { readFileLayer } from "../../src/config/read/layers.js";
import { readJsonSettings } from "../../src/config/read/settings-text.js";

const page = readFileSync(new URL("../../docs/from-looper-go.md", import.meta.url), "utf8");
const facts = {
  version: "1.2.3",
  cwd: "/",
  isFile: () => Promise.resolve(false),
  namesIn: () => Promise.resolve([]),
};

test.each(["tui", "workflow", "plugin"])(
  "the command %s is answered, and the page lists it",
  async (command) => {
    const hint = OLD_COMMANDS.get(command);
    await expect(readCommandLine([command], facts)).rejects.toMatchObject({ kind: "usage", hint });
    expect(page).toContain(`\`${command}\``);
  },
);

test.each([
  [["fmt", "-check"], "unknown flag -check", "did you mean --check?"],
  [["run", "-max-iterations=5"], "unknown flag -max-iterations", "did you mean --max-iterations=5?"],
  [["--v"], "unknown flag --v", "did you mean -v?"],
  [["tail", "--f"], "unknown flag --f", "did you mean -f?"],
  [["tui", "--run"], "unknown command tui", OLD_COMMANDS.get("tui")],
])("%j names the form that is taken", async (words, message, hint) => {
  await expect(readCommandLine(words, facts)).rejects.toMatchObject({ kind: "usage", message, hint });
});

test.each([["-v"], ["version"]])("%s prints the version", async (word) => {
  expect(await readCommandLine([word], facts)).toEqual({
    kind: "text",
    text: `${word === "version" ? "" : "looper "}1.2.3\n`,
  });
});

test("the page names every short variable that is the same", () => {
  expect([...SHORT_NAMES.keys()].filter((name) => !page.includes(name))).toEqual([]);
});

test.each([
  ["codex", ["single", "codex"]],
  ["odd-even", ["odd-even"]],
])('"schedule": "%s" means what --schedule means', (word, expected) => {
  const { entries, problems } = readFileLayer(
    readJsonSettings("config.json", JSON.stringify({ schedule: word })),
    "project",
  );
  expect(problems).toEqual([]);
  expect(entries.map(({ value }) => value)).toEqual(expected);
});
