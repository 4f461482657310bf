// A small shop with a night behind it: the project that the pictures of the page are taken of. Everything in it is made by the real program.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const looper = path.join(here, "..", "..", "dist", "looper.js");

const TASKS = [
  {
    id: "S1",
    title: "Add up what a cart costs",
    priority: 1,
    tags: ["cart"],
    details: "`total(lines)` adds price times count of every line.\nSeen when: a test of two lines passes.",
  },
  { id: "S2", title: "Round totals to whole cents", priority: 1, depends_on: ["S1"], tags: ["cart"] },
  { id: "S3", title: "Ship for free from 50 euros on", priority: 2, depends_on: ["S1"], tags: ["shipping"] },
  { id: "S4", title: "Explain the cart in docs/cart.md", priority: 3, tags: ["docs"] },
  { id: "S5", title: "Refuse negative counts", priority: 2, depends_on: ["S2"], tags: ["cart"] },
  {
    id: "S6",
    title: "Keep prices as whole cents",
    priority: 2,
    workflow: "plan-approve-execute",
    depends_on: ["S2"],
    tags: ["cart", "prices"],
  },
  { id: "S7", title: "Discount codes, each valid once", priority: 3, depends_on: ["S6"], tags: ["prices"] },
  { id: "S8", title: "Name the currency on every receipt", priority: 4, tags: ["receipt"] },
  { id: "S9", title: "Send the receipt by mail", priority: 4, depends_on: ["S8"], tags: ["receipt"] },
  { id: "S10", title: "Remember a cart for a week", priority: 4, tags: ["cart"] },
  { id: "S11", title: "Warn before something is sold out", priority: 5, depends_on: ["S10"] },
  { id: "S12", title: "Sort the catalogue by name or price", priority: 5 },
  { id: "S13", title: "Find articles by a word in their name", priority: 5, depends_on: ["S12"] },
  { id: "S14", title: "Print an invoice with the tax named apart", priority: 5, depends_on: ["S6"] },
];

/** Chapo's part of the chat. */
const TALK = [
  { call: { name: "fs_readFile", args: { path: "src/cart.js" } } },
  {
    say: "A cart is a list of **lines**, each with a `price` and a `count`. `total(lines)` adds them up and rounds to whole cents:\n\n- one line: `price * count`\n- all lines: the sum, rounded once at the end\n\nNothing refuses a negative count yet; task S5 is about that.",
  },
  {
    call: {
      name: "fs_writeFile",
      args: { path: "docs/rounding.md", content: "# Rounding\n\nTotals are rounded once, at the end.\n" },
    },
  },
  { say: "docs/rounding.md says it now." },
];

/**
 * Makes the project below a folder, and runs it: a night that ended, and a run in progress.
 * @param {string} folder
 */
export function makeShop(folder) {
  const project = path.join(folder, "shop");
  const home = path.join(folder, "home");
  const marks = path.join(folder, "marks");
  for (const one of [path.join(project, "src"), home, marks]) mkdirSync(one, { recursive: true });
  const client = path.join(folder, "claude");
  writeFileSync(client, `#!/bin/sh\nexec '${process.execPath}' '${path.join(here, "client.mjs")}' "$@"\n`);
  chmodSync(client, 0o755);
  const script = path.join(folder, "chapo.json");
  writeFileSync(script, JSON.stringify({ turns: TALK }));
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    SHOP_PLAY: marks,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ann",
    GIT_AUTHOR_EMAIL: "ann@example.org",
    GIT_COMMITTER_NAME: "Ann",
    GIT_COMMITTER_EMAIL: "ann@example.org",
  };
  /** @param {string} name @param {string} text */
  const put = (name, text) => {
    writeFileSync(path.join(project, name), text);
  };
  put(
    "package.json",
    `${JSON.stringify({ name: "shop", type: "module", scripts: { test: "node --test" } }, undefined, 2)}\n`,
  );
  put("src/cart.js", "/** The lines of a cart. */\nexport function lines(cart) {\n  return cart;\n}\n");
  put(
    "src/cart.test.js",
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { lines } from "./cart.js";\n\ntest("a cart has lines", () => {\n  assert.deepEqual(lines([{ price: 1, count: 1 }]), [{ price: 1, count: 1 }]);\n});\n',
  );
  put(".gitignore", "looper-logs/\n");
  const settings = {
    agents: {
      claude: { kind: "claude", binary: client },
      chapo: { model: "scripted", chapo: { script, mode: "default" } },
    },
    schedule: { agent: "claude" },
    verify: { commands: ["node --test"] },
    loop: { max_attempts: 2, review: false },
  };
  // The user's own settings need no approval.
  mkdirSync(path.join(home, ".config", "looper"), { recursive: true });
  writeFileSync(path.join(home, ".config", "looper", "config.json"), JSON.stringify(settings));
  put(
    "to-do.json",
    `${JSON.stringify({ tasks: TASKS.map((task) => ({ status: "todo", ...task })) }, undefined, 2)}\n`,
  );
  const at = { cwd: project, env };
  for (const words of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    ["commit", "-q", "-m", "A cart"],
  ])
    execFileSync("git", words, at);
  /** @param {string[]} words */
  const run = (...words) => {
    try {
      execFileSync(process.execPath, [looper, ...words], { ...at, stdio: "pipe" });
    } catch {
      // A night with a blocked task ends with another exit code.
    }
  };
  run("run", "--trust", "--task", "S1");
  run("run", "--trust", "--task", "S3");
  run("run", "--trust", "--max-iterations", "7");
  const live = spawn(process.execPath, [looper, "run", "--trust", "--task", "S8", "--quiet"], {
    ...at,
    stdio: "ignore",
  });
  return { project, env, live, marks };
}
