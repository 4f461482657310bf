import { mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { createNotebookTools } from "./notebook.js";

const NOTEBOOK = {
  cells: [
    { cell_type: "markdown", id: "m1", metadata: { x: 1 }, source: ["# Title\n", "text"] },
    {
      cell_type: "code",
      id: "c1",
      execution_count: 3,
      metadata: {},
      outputs: [
        { output_type: "stream", name: "stdout", text: ["hi\n", "there\n"] },
        { output_type: "execute_result", data: { "text/plain": "42", "image/png": "AAAA" } },
        { output_type: "error", ename: "E", evalue: "bad", traceback: ["\u001b[31mone\u001b[0m", "two"] },
      ],
      source: "print('hi')",
    },
  ],
  metadata: { kernelspec: { name: "python3" } },
  nbformat: 4,
  nbformat_minor: 5,
};

async function site(text = `${JSON.stringify(NOTEBOOK, undefined, 1)}\n`) {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "looper-notebook-")));
  await writeFile(path.join(root, "n.ipynb"), text);
  const tools = createNotebookTools({ ...nodePorts(), root });
  const prepare = (name: string, args: object) =>
    tools.find((tool) => tool.name === name)?.prepare({ path: "n.ipynb", ...args }) ?? { problem: "no tool" };
  return {
    call: async (name: string, args: object = {}): Promise<string> => {
      const prepared = prepare(name, args);
      if ("problem" in prepared) return `FAILED ${prepared.problem}`;
      const { signal } = new AbortController();
      const result = await prepared.run({ callId: "c", signal });
      return result.success ? result.output : `FAILED ${result.error}`;
    },
    preview: async (name: string, args: object) => {
      const prepared = prepare(name, args);
      return "problem" in prepared ? prepared.problem : prepared.preview();
    },
    check: async (name: string, args: object) => {
      const prepared = prepare(name, args);
      return "problem" in prepared ? prepared.problem : prepared.check?.();
    },
    text: () => readFile(path.join(root, "n.ipynb"), "utf8"),
    json: async () => JSON.parse(await readFile(path.join(root, "n.ipynb"), "utf8")) as typeof NOTEBOOK,
  };
}

test("notebook_read returns the cells in order with type, source and outputs", async () => {
  const { call } = await site();
  expect(await call("notebook_read")).toBe(
    "cell 0: markdown (id m1)\n# Title\ntext\n\ncell 1: code (id c1)\nprint('hi')\noutput:\nhi\nthere\n\noutput:\n42\n[image/png]\noutput:\nE: bad\none\ntwo",
  );
});

test("a file that is not a notebook is refused", async () => {
  expect(await (await site("{")).call("notebook_read")).toMatch(/^FAILED n.ipynb is not a notebook: /);
  expect(await (await site("[]")).call("notebook_read")).toContain("not an object");
  expect(await (await site('{"cells": [1]}')).call("notebook_edit", { cell_idx: 0, content: "" })).toContain(
    "no list of cells",
  );
  expect(await (await site()).call("notebook_read", { path: "none.ipynb" })).toContain("no such file");
});

test("replacing changes only the source of one cell", async () => {
  const { call, json, text } = await site();
  expect(await call("notebook_edit", { cell_idx: 0, content: "a\nb\n" })).toBe(
    "replaced the source of cell 0 of n.ipynb",
  );
  await call("notebook_edit", {
    notebook_path: "n.ipynb",
    path: undefined,
    cell_id: "c1",
    new_source: "x\ny",
  });
  const [markdown, code] = NOTEBOOK.cells;
  expect(await json()).toEqual({
    ...NOTEBOOK,
    cells: [
      { ...markdown, source: ["a\n", "b\n"] },
      { ...code, source: "x\ny" },
    ],
  });
  expect(await text()).toMatch(/^\{\n "cells"[^]*\}\n$/);
});

test("notebook_edit inserts and deletes cells", async () => {
  const { call, json } = await site();
  await call("notebook_edit", { cell_idx: 2, content: "last", edit_mode: "insert" });
  await call("notebook_edit", { cell_id: "m1", content: "note", edit_mode: "insert", cell_type: "markdown" });
  await call("notebook_edit", { cell_idx: 0, edit_mode: "delete" });
  const { cells } = await json();
  expect(cells).toEqual([
    { cell_type: "markdown", id: expect.stringMatching(/^\w{8}$/) as string, metadata: {}, source: ["note"] },
    NOTEBOOK.cells[1],
    {
      cell_type: "code",
      id: expect.stringMatching(/^\w{8}$/) as string,
      metadata: {},
      execution_count: null,
      outputs: [],
      source: ["last"],
    },
  ]);
});

test.each([
  [{ cell_idx: 2, content: "x" }, "cell_idx: 2 is out of range; there are 2 cells"],
  [{ cell_idx: -1, content: "x" }, "cell_idx"],
  [{ cell_idx: 3, content: "x", edit_mode: "insert" }, "out of range"],
  [{ cell_id: "nope", content: "x" }, "no such cell: nope"],
  [{ cell_idx: 0 }, "content: missing"],
  [{ content: "x" }, "cell_idx: missing"],
])("notebook_edit with %j is an error and changes nothing", async (args, why) => {
  const { call, json } = await site();
  const told = await call("notebook_edit", args);
  expect(told).toContain("FAILED");
  expect(told).toContain(why);
  expect(await json()).toEqual(NOTEBOOK);
});

test("a preview shows the diff of the file", async () => {
  const { preview, json } = await site();
  const told = await preview("notebook_edit", { cell_idx: 1, content: "new" });
  expect(told).toContain(`+   "source": "new"`);
  expect(await json()).toEqual(NOTEBOOK);
});

test("the same insertion is shown the same twice, so that its approval is for what was shown", async () => {
  const { call, preview, json } = await site();
  const args = { edit_mode: "insert", cell_idx: 0, content: "y = 1" };
  const shown = await preview("notebook_edit", args);
  expect(await preview("notebook_edit", args)).toBe(shown);
  await call("notebook_edit", args);
  await call("notebook_edit", args);
  const ids = (await json()).cells.map(({ id }) => id);
  expect(shown).toContain(ids[1]);
  expect(new Set(ids).size).toBe(4);
});

test("an edit that is known to fail says so before anybody is asked", async () => {
  const { check } = await site();
  expect(await check("notebook_edit", { cell_idx: 9, content: "x" })).toContain("out of range");
  expect(await check("notebook_edit", { path: "gone.ipynb", cell_idx: 0, content: "x" })).toContain(
    "no such",
  );
  expect(await check("notebook_edit", { cell_idx: 0, content: "x" })).toBeUndefined();
});
