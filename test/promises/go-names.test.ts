// Commands, flags and template variables of the Go program: each is answered with what takes its place, and the page lists it.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { GO_COMMANDS, GO_FLAGS } from "../../cmd/old-names.js";
import { readCommandLine } from "../../cmd/line.js";
import { SHORT_NAMES } from "../../src/config/read/env-layer.js";
import { readFileLayer } from "../../src/config/read/layers.js";
import { readJsonSettings } from "../../src/config/read/settings-text.js";
import { GO_NAMES } from "../../src/prompts/render.js";
import { render } from "../../src/prompts/render.js";

const page = readFileSync(new URL("../../docs/from-looper-go.md", import.meta.url), "utf8");
const prompts = readFileSync(new URL("../../docs/prompts.md", import.meta.url), "utf8");
const facts = {
  version: "1.2.3",
  cwd: "/",
  isFile: () => Promise.resolve(false),
  namesIn: () => Promise.resolve([]),
};

test.each([...GO_FLAGS])("the flag %s is answered: %s", async (flag, hint) => {
  await expect(
    readCommandLine(["run", flag === "--schema" ? "--schema=x" : flag], facts),
  ).rejects.toMatchObject({ kind: "usage", hint });
  expect(page).toContain(flag.replace(/^-v$/, "ls -v"));
});

test.each([...GO_COMMANDS])("the command %s is answered: %s", async (command, hint) => {
  await expect(readCommandLine([command], facts)).rejects.toMatchObject({ kind: "usage", hint });
  expect(page).toContain(`\`${command}\``);
});

test.each([
  [["fmt", "-check"], "unknown flag -check", "did you mean --check?"],
  [["run", "-max-iterations=5"], "unknown flag -max-iterations", "did you mean --max-iterations=5?"],
  [["-todo", "x.json"], "unknown flag -todo", GO_FLAGS.get("--todo")],
  [["--v"], "unknown flag --v", "did you mean -v?"],
  [["tail", "--f"], "unknown flag --f", "did you mean -f?"],
  [["tui", "--run"], "unknown command tui", GO_COMMANDS.get("tui")],
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

test.each([...GO_NAMES])("the template variable %s is answered", (name, instead) => {
  const variables = Object.fromEntries(instead.map((one) => [one, "x"]));
  const expected =
    instead[0] === undefined ? "nothing in this prompt takes its place" : `write {{${instead[0]}}}`;
  expect(() => render({ name: "t.md", text: `a {{.${name}}}` }, variables)).toThrow(expected);
  expect(prompts).toContain(`\`${name}\``);
});

test("a block of the Go program's templates is answered", () => {
  expect(() => render({ name: "t.md", text: "{{if .HasGH}}" }, {})).toThrow("nothing in this prompt");
  expect(() => render({ name: "t.md", text: "{{end}}" }, {})).toThrow("write {{#name}} … {{/name}}");
});
