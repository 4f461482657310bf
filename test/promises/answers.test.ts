import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const COMMANDS = fileURLToPath(new URL("../../cmd/commands", import.meta.url));
const TABLE = fileURLToPath(new URL("../../cmd/commands.ts", import.meta.url));

/** Commands without an answer of their own, and why. */
const WITHOUT: Readonly<Record<string, string>> = {
  "agent-host.ts": "is the process of an agent, and speaks the agents' protocol",
  "completion.ts": "prints the script that it holds",
  "demo.ts": "runs the loop in a new folder",
  "mcp.ts": "answers a client, in the protocol's form",
  "offer-words.ts": "offers words to a shell, in its own form",
  "tail.ts": "prints the log's own lines",
};

/** Files that print a value of their own with `--json`, without a decision: the reasons are those above. */
const PRINTERS: readonly string[] = [];

const texts = new Map(
  readdirSync(COMMANDS, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => [name.split(path.sep).join("/"), readFileSync(path.join(COMMANDS, name), "utf8")]),
);
/** An edit has its answer from cmd/lookup/edit.ts. */
const importsAnswer = (name: string): boolean =>
  /\/src\/ui\/answers\/|\/lookup\/edit\.js"/.test(texts.get(name) ?? "");

/** The files of the commands, as the table loads them. */
function commandFiles(): string[] {
  const loads = readFileSync(TABLE, "utf8").matchAll(/import\("\.\/commands\/(.+)\.js"\)/g);
  return [...loads].map(([, file = ""]) => `${file}.ts`).toSorted();
}

test("each command imports its answer from src/ui/answers, or is named as one without an answer", () => {
  const files = commandFiles();
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((name) => !importsAnswer(name))).toEqual(Object.keys(WITHOUT).toSorted());
});

test("each file that prints JSON imports the answer from src/ui/answers", () => {
  const printers = [...texts].filter(([, text]) => text.includes("printJson(")).map(([name]) => name);
  expect(printers.filter((name) => !importsAnswer(name)).toSorted()).toEqual(PRINTERS);
});
