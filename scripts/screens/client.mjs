// A client that speaks like Claude Code and plays the tasks of shop.mjs: SHOP_PLAY is the folder of its marks, LOOPER_TASK_ID and
// LOOPER_STAGE say what is asked.
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import path from "node:path";

const { LOOPER_TASK_ID: task = "", LOOPER_STAGE: stage = "", SHOP_PLAY: marks = "." } = process.env;
readFileSync(0);
const session_id = "5f2f7b9e-0000-4000-8000-000000000000";
const usage = {
  input_tokens: 1800 + 140 * task.length,
  cache_creation_input_tokens: 400,
  cache_read_input_tokens: 21_000,
  output_tokens: 1460,
};

/** @param {object} line */
const say = (line) => process.stdout.write(`${JSON.stringify({ ...line, session_id })}\n`);

/** @param {object} block */
const assistant = (block) => {
  say({
    type: "assistant",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "fake-model",
      content: [block],
      usage,
    },
    parent_tool_use_id: null,
  });
};

/** @param {string} text */
const tell = (text) => {
  assistant({ type: "text", text });
};

let calls = 0;

/** @param {string} name @param {object} input @param {string} content */
function call(name, input, content, is_error = false) {
  const id = `toolu_${++calls}`;
  assistant({ type: "tool_use", id, name, input });
  say({
    type: "user",
    message: { role: "user", content: [{ tool_use_id: id, type: "tool_result", content, is_error }] },
    parent_tool_use_id: null,
  });
}

/** @param {string} file @param {string} text */
function write(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  call("Write", { file_path: file, content: text }, `File created successfully at: ${file}`);
}

/** @param {string} file @param {(text: string) => string} change */
function edit(file, change) {
  writeFileSync(file, change(readFileSync(file, "utf8")));
  call("Edit", { file_path: file }, `The file ${file} has been updated.`);
}

/** @param {object} report @param {number} cost */
function report(report, cost) {
  say({
    type: "result",
    subtype: "success",
    is_error: false,
    num_turns: calls + 1,
    result: JSON.stringify({ task_id: task, status: "done", ...report }),
    total_cost_usd: cost,
    usage,
    modelUsage: {},
    permission_denials: [],
    terminal_reason: "completed",
    errors: [],
  });
}

/** Whether this is the first time. @param {string} name */
function first(name) {
  const mark = path.join(marks, name);
  const isFirst = !existsSync(mark);
  writeFileSync(mark, "");
  return isFirst;
}

const PLAN = {
  summary: "Keep every price as a whole number of cents, and turn it into euros only where it is printed.",
  steps: [
    "Read prices into cents in src/prices.js, and refuse more than two decimals",
    "Let src/cart.js add cents instead of euros",
    "Print euros in one place, src/print.js",
  ],
  files_to_create: [{ path: "src/print.js", purpose: "the one place where cents become euros" }],
  files_to_modify: [
    { path: "src/cart.js", purpose: "adds cents" },
    { path: "src/cart.test.js", purpose: "prices in cents" },
  ],
  risks: ["Saved carts hold euros: they are read once more and multiplied by 100."],
  items: ["prices in cents", "the cart adds cents", "one place prints euros"],
};

/** @param {string} name @param {string} call @param {string} wanted */
const testOf = (name, call, wanted) =>
  `\ntest("${name}", () => {\n  assert.equal(${call}, ${wanted});\n});\n`;

/** @type {Record<string, () => void>} */
const PLAY = {
  S1() {
    tell("I read the cart first, then add what is missing: a total over all lines.");
    call("Read", { file_path: "src/cart.js" }, readFileSync("src/cart.js", "utf8"));
    edit(
      "src/cart.js",
      (text) => `${text}
/** The cost of all lines together. */
export function total(lines) {
  return lines.reduce((sum, line) => sum + line.price * line.count, 0);
}
`,
    );
    edit(
      "src/cart.test.js",
      (text) =>
        text.replace("import { lines }", "import { lines, total }") +
        testOf("a total adds every line", "total([{ price: 2.5, count: 3 }, { price: 1, count: 1 }])", "8.5"),
    );
    call("Bash", { command: "node --test" }, "# tests 2\n# pass 2\n# fail 0");
    report(
      { summary: "The cart has a total, with a test.", files: ["src/cart.js", "src/cart.test.js"] },
      0.14,
    );
  },
  S2() {
    if (first("S2")) {
      tell("Rounding belongs into the total.");
      edit("src/cart.js", (text) =>
        text
          .replace("return lines.reduce", "return Math.floor(lines.reduce")
          .replace("* line.count, 0);", "* line.count, 0));"),
      );
      report({ summary: "The total is rounded." }, 0.09);
      return;
    }
    tell("The last attempt cut off the cents: 8.5 became 8. I round to whole cents instead.");
    edit("src/cart.js", (text) =>
      text.replace(
        "return Math.floor(lines.reduce((sum, line) => sum + line.price * line.count, 0));",
        "const sum = lines.reduce((all, line) => all + line.price * line.count, 0);\n  return Math.round(sum * 100) / 100;",
      ),
    );
    edit(
      "src/cart.test.js",
      (text) => text + testOf("a total has whole cents", "total([{ price: 0.1, count: 3 }])", "0.3"),
    );
    call("Bash", { command: "node --test" }, "# tests 3\n# pass 3\n# fail 0");
    report(
      { summary: "Totals are rounded to whole cents.", files: ["src/cart.js", "src/cart.test.js"] },
      0.12,
    );
  },
  S3() {
    tell("Shipping is a rule of its own, so it gets a file.");
    write(
      "src/shipping.js",
      "/** Shipping in euros: nothing from 50 euros on. */\nexport function shipping(total) {\n  return total >= 50 ? 0 : 4.9;\n}\n",
    );
    write(
      "src/shipping.test.js",
      `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { shipping } from "./shipping.js";\n${testOf("shipping is free from 50 euros on", "shipping(50)", "0")}${testOf("below it costs 4.90", "shipping(49.99)", "4.9")}`,
    );
    call("Bash", { command: "node --test" }, "# tests 5\n# pass 5\n# fail 0");
    report({ summary: "Shipping is free from 50 euros on.", files: ["src/shipping.js"] }, 0.11);
  },
  S4() {
    tell("A page that explains the cart for people who join the project.");
    write("docs/cart.md", "# The cart\n\nA cart is a list of lines. Each has a `price` and a `count`.\n");
    report({ summary: "docs/cart.md says what a cart is.", files: ["docs/cart.md"] }, 0.05);
  },
  S5() {
    tell("Negative counts must be refused when a line is added.");
    edit("src/cart.js", (text) =>
      text.replace("export function lines", "export function line").replace("return cart", "return [cart]"),
    );
    call("Bash", { command: "node --test" }, "not ok 1 - a cart has lines\n# fail 1", true);
    report({ summary: "Negative counts are refused." }, 0.08);
  },
  S8() {
    tell("I look for every place that prints a price before I change one.");
    call("Bash", { command: 'grep -rn "toFixed" src' }, "src/receipt.js:4:  return price.toFixed(2);");
    call("Read", { file_path: "src/cart.js" }, readFileSync("src/cart.js", "utf8"));
    tell(
      "Only the receipt prints prices. It gets the currency's sign from one function, and the tests name both currencies.",
    );
    edit("src/cart.js", (text) => text);
    call("Bash", { command: "node --test" }, "# tests 5\n# pass 5\n# fail 0");
    const until = path.join(marks, "go-on");
    const watcher = watch(marks, () => {
      if (!existsSync(until)) return;
      watcher.close();
      report({ summary: "Receipts name their currency." }, 0.1);
    });
  },
};

if (stage === "clarify")
  report({ outcome: "clear", output: { status: "clear", clarified_query: "Keep prices in cents" } }, 0.02);
else if (stage === "plan") {
  tell("I looked at the cart, its tests and the receipt: prices are euros with decimals in all three.");
  report({ outcome: "done", output: PLAN }, 0.07);
} else if (process.env["LOOPER_PHASE"] === "review")
  report({ summary: "Nothing is missing.", new_tasks: [] }, 0.03);
else (PLAY[task] ?? PLAY["S4"] ?? (() => undefined))();
