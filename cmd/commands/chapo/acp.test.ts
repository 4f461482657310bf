import type { McpServer } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { addServers, toMessage } from "./acp.js";

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
