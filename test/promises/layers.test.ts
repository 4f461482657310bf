import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

/**
 * The tower, lowest floor first: a floor's name, and its groups, lowest first. "." is the floor's own files; `testing` is
 * test support and may use all. A floor without groups is one room. A floor that is not built yet is absent; cmd and api are the roof.
 */
const TOWER: Readonly<Record<string, readonly string[]>> = {
  system: [".", "text", "files", "processes", "sandbox"],
  shell: [],
  workflow: [],
  todo: ["model", "json", "change", "check", "understand", "store", "exchange"],
  config: ["settings", "claude", "read", "project", "workflows", "trust"],
  prompts: [],
  agents: [".", "limits", "process", "hosted", "acp", "clients"],
  chapo: [".", "rules", "models", "hooks", "engine", "memory", "mcp", "prompt", "tools", "session", "run"],
  git: [
    ...[
      "base",
      "index",
      "rescue",
      "checkpoint",
      "restore",
      "bring-back",
      "attempt",
      "commit",
      "saved-work",
      "undo",
      "room",
      "release",
    ],
  ],
  gate: [".", "report", "runners", "verdict", "commands", "sort", "influence", "rooms"],
  logging: [],
  loop: ["step", "hooks", "runs", "perform", "replay", "start", "release", "undo", "explain"],
  ui: [".", "shapes", "view", "answers", "terminal", "github-actions"],
  cmd: ["context", "lookup", "watch", "commands", "serve", "."],
  api: ["types", "."],
};
const FLOORS = Object.keys(TOWER);

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = ["src", "cmd", "api"].flatMap((top) =>
  readdirSync(path.join(root, top), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("testdata"))
    .map((name) => path.join(top, name)),
);
const source = new Map(files.map((file) => [file, readFileSync(path.join(root, file), "utf8")]));

/** The imports of our own files: values and types, static and dynamic; never a text that looks like one. */
function imports(file: string, text: string): string[] {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith("."))
    .map((name) => path.join(path.dirname(file), name).replace(/\.js$/, ".ts"));
}
const graph = new Map([...source].map(([file, text]) => [file, imports(file, text)]));

function floor(file: string): number {
  const [top = "", name = ""] = file.split(path.sep);
  return FLOORS.indexOf(top === "src" ? name : top);
}

/** A file's group on its floor, counted from the lowest; -1 for a group that the tower does not have. */
function group(file: string): number {
  const [top = "", ...rest] = file.split(path.sep);
  const [name = "", ...inside] = top === "src" ? rest : [top, ...rest];
  const groups = TOWER[name] ?? [];
  const own = inside.length > 1 ? (inside[0] ?? ".") : ".";
  if (own === "testing") return groups.length;
  return groups.length === 0 ? 0 : groups.indexOf(own);
}

const isTest = (file: string) => file.endsWith(".test.ts");

/** Takes away, again and again, the files that import nothing that is left: what stays is in a ring or leads to one. */
function rings(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(edges);
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [file, to] of left) if (!to.some((target) => left.has(target))) left.delete(file);
  }
  return [...left.keys()];
}

test("every file stands on a floor, and what it imports is there", () => {
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => floor(file) < 0)).toEqual([]);
  expect(
    [...graph].flatMap(([file, to]) =>
      to.filter((target) => !source.has(target)).map((t) => `${file} → ${t}`),
    ),
  ).toEqual([]);
});

test("imports go down, never up", () => {
  const up = [...graph].flatMap(([file, to]) =>
    to.filter((target) => floor(target) > floor(file)).map((target) => `${file} → ${target}`),
  );
  expect(up).toEqual([]);
});

test("every file is in a group of its floor, and every group has a file", () => {
  expect(files.filter((file) => group(file) < 0)).toEqual([]);
  const filled = new Set(files.map((file) => `${String(floor(file))} ${String(group(file))}`));
  const empty = FLOORS.flatMap((name, at) =>
    (TOWER[name] ?? [])
      .filter((_, index) => !filled.has(`${String(at)} ${String(index)}`))
      .map((one) => `${name}: ${one}`),
  );
  expect(empty).toEqual([]);
});

test("inside a floor, too, imports go down from group to group", () => {
  const up = [...graph]
    .filter(([file]) => !isTest(file))
    .flatMap(([file, to]) =>
      to
        .filter((target) => floor(target) === floor(file) && group(target) > group(file))
        .map((target) => `${file} → ${target}`),
    );
  expect(up).toEqual([]);
});

test("no import rings, types included", () => {
  expect(rings(graph)).toEqual([]);
});

test("a ring, an import of a type and a late import are seen", () => {
  expect(
    rings(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["a"]],
        ["d", []],
      ]),
    ),
  ).toEqual(["a", "b", "c"]);
  const text = `import type { A } from "./a.js";\nexport const b = import(\n  "../loop/b.js"\n);\nimport "../c.js";`;
  expect(imports("src/todo/x.ts", text)).toEqual(["src/todo/a.ts", "src/loop/b.ts", "src/c.ts"]);
});

test("no barrels: nothing is handed on that was made elsewhere", () => {
  expect(
    files.filter((file) =>
      /^export\s+(type\s+)?(\*|\{[^}]*\})\s*(as \w+ )?from/m.test(source.get(file) ?? ""),
    ),
  ).toEqual([]);
});

test("ARCHITECTURE draws the tower as it is, from the roof down", () => {
  const text = readFileSync(path.join(root, "docs/ARCHITECTURE.md"), "utf8");
  const drawn = [...text.matchAll(/^\| `([a-z]+)` \| ((?:`[a-z-]+` ?)+|none) \|/gm)].map(
    ([, name = "", groups = ""]) => [name, groups.match(/(?<=`)[a-z-]+(?=`)/g) ?? []],
  );
  const built = new Set(files.map(floor));
  const tower = Object.entries(TOWER)
    .filter((_, at) => built.has(at))
    .map(([name, groups]) => [name, groups.filter((one) => one !== ".")]);
  expect(drawn).toEqual(tower.reverse());
});
