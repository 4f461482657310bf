import type { McpServer } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { createUnifiedDiff } from "../../../src/chapo/tools/files/unified-diff.js";
import { addServers, toDiffs, toMessage } from "./acp.js";

test("a file of the project is named as the tools name it, any other address stays", () => {
  const link = (uri: string) => ({ type: "resource_link", uri, name: "x" }) as const;
  const blocks = [
    { type: "text", text: "Compare" } as const,
    link("file:///p/src/a%20b.ts"),
    link("file:///etc/hosts"),
    link("https://example.org/x"),
    link("file://%zz"),
    { type: "resource", resource: { uri: "file:///p/b.txt", text: "beta" } } as const,
    { type: "image", data: "", mimeType: "image/png" } as const,
  ];
  expect(toMessage(blocks, "/p").split("\n")).toEqual([
    "Compare",
    "src/a b.ts",
    "/etc/hosts",
    "https://example.org/x",
    "file://%zz",
    "b.txt:",
    "beta",
    "(image: not supported)",
  ]);
});

test("the client's servers are added, a server of the settings stays, and a transport of old is a problem", () => {
  const own = { docs: { url: "https://docs.example.org", headers: {} } };
  const wanted: McpServer[] = [
    { name: "docs", command: "other", args: [], env: [] },
    { name: "my tools", command: "serve", args: ["--x"], env: [{ name: "A", value: "1" }] },
    { type: "http", name: "web", url: "https://web.example.org", headers: [] },
    { type: "sse", name: "old", url: "https://old.example.org", headers: [] },
  ];
  expect(addServers(own, wanted)).toEqual({
    servers: {
      ...own,
      my_tools: { command: "serve", args: ["--x"], env: { A: "1" } },
      web: { url: "https://web.example.org", headers: {} },
    },
    problems: ["the MCP server old is left out: its transport is sse"],
  });
});

test("an edit is a diff for each hunk, a new file has no old text, and what is not a whole diff is a block of code", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${String(at)}\n`);
  const after = lines.with(0, "first\n").with(19, "last\n").join("");
  const two = createUnifiedDiff([{ path: "a b.txt", before: lines.join(""), after }]);
  expect(toDiffs(two, "/p")).toMatchObject([
    { type: "diff", path: "/p/a b.txt", newText: "first\nline 1\nline 2\nline 3\n" },
    { type: "diff", path: "/p/a b.txt", oldText: "line 16\nline 17\nline 18\nline 19\n" },
  ]);
  const made = createUnifiedDiff([{ path: "new.txt", before: undefined, after: "x\n" }]);
  expect(toDiffs(made, "/p")).toEqual([{ type: "diff", path: "/p/new.txt", oldText: null, newText: "x\n" }]);
  for (const text of ["rm -r x", `${two.slice(0, 60)}\n[900 more characters are not shown]`])
    expect(toDiffs(text, "/p")).toMatchObject([{ type: "content" }]);
});
