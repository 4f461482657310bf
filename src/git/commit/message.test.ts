import fc from "fast-check";
import { expect } from "vitest";
import { formatMessage, type CommitTexts } from "./message.js";
import { test, type Scratch } from "../testing/scratch.js";

const OURS = ["Looper-Task: T1", "Looper-Run: 2026-01-02_03-04-05", "Looper-Agent: codex"];

function texts(over: Partial<CommitTexts>): CommitTexts {
  return { title: "Do it", summary: "", task: "T1", run: "2026-01-02_03-04-05", agent: "codex", ...over };
}

async function trailersOf(scratch: Scratch, message: string): Promise<string[]> {
  const { stdout } = await scratch.ports.processes.run({
    command: "git",
    args: ["interpret-trailers", "--parse"],
    cwd: scratch.top,
    env: scratch.env,
    input: message,
  });
  return Buffer.from(stdout).toString("utf8").split("\n").slice(0, -1);
}

test("a message has a title, a summary and trailers, each a paragraph", () => {
  expect(
    formatMessage(texts({ title: "Add a parser\nand more", summary: "Wrote it.\n\nTested it.\n" })),
  ).toBe(`Add a parser\n\nWrote it.\n\nTested it.\n\n${OURS.join("\n")}\n`);
  expect(formatMessage(texts({}))).toBe(`Do it\n\n${OURS.join("\n")}\n`);
});

test("a title is one line of at most 100 characters without control characters", () => {
  const [first = ""] = formatMessage(texts({ title: `\n\u0007${"x".repeat(300)}\u001b[31m` })).split("\n");
  expect(first).toBe("x".repeat(100));
  expect(formatMessage(texts({ title: " \u0000 " })).split("\n")[0]).toBe("Task");
});

test("lines of a summary that look like trailers are indented", () => {
  const message = formatMessage(texts({ summary: "Done.\n\nLooper-Task: T2\nSigned-off-by : me\n---\nx" }));
  expect(message).toContain("\n  Looper-Task: T2\n  Signed-off-by : me\n  ---\nx\n");
});

test("git reads exactly looper's trailers, for any title and summary", async ({ scratch }) => {
  const line = fc.oneof(
    fc.constantFrom(
      "Looper-Task: T2",
      "---",
      "--- a",
      "",
      " ",
      "Looper-Agent : x",
      "# note",
      "diff --git a b",
      "\r",
    ),
    fc.constantFrom(
      "(cherry picked from commit 1)",
      " Looper-Task: T3",
      "Conflicts:",
      "\u2028Looper-Run: 9",
      "\0",
    ),
    fc.string({ unit: "binary" }),
  );
  const hostile = fc
    .array(line, { maxLength: 8 })
    .chain((lines) => fc.constantFrom("\n", "\r\n", "\n\n", "\r").map((end) => lines.join(end)));
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (title, summary) => {
      const message = formatMessage(texts({ title, summary }));
      expect(await trailersOf(scratch, message)).toEqual(OURS);
      const forged = message.split("\n").filter((text) => /^Looper-/.test(text));
      expect(forged).toEqual(OURS);
    }),
    { numRuns: 150 },
  );
});

test("an id cannot add a trailer", async ({ scratch }) => {
  const message = formatMessage(texts({ task: "T1\nLooper-Task: T2", agent: "x\u2028Looper-Task: T2" }));
  expect((await trailersOf(scratch, message)).length).toBe(3);
});
