import { mkdir, mkdtemp, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { createDocumentTools } from "./documents.js";

async function site(documents = "context/documents") {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "looper-documents-")));
  const write = async (name: string, text: string) => {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  };
  await write("context/documents/guide.md", "# Guide\nHow the Login works\nlogin and logout\n");
  await write("context/documents/deep/notes.txt", `Notes\r\nthe logout button\r\n`);
  await write("context/documents/code.ts", "login");
  await write("context/secret.md", "login secret");
  await symlink(path.join(root, "context/secret.md"), path.join(root, "context/documents/link.md"));
  const tools = createDocumentTools({ ...nodePorts(), root, documents: path.resolve(root, documents) });
  const call = async (name: string, args: object = {}): Promise<string> => {
    const prepared = tools.find((tool) => tool.name === name)?.prepare(args) ?? { problem: "no such tool" };
    if ("problem" in prepared) return `FAILED ${prepared.problem}`;
    const { signal } = new AbortController();
    const result = await prepared.run({ callId: "c", signal });
    return result.success ? result.output : `FAILED ${result.error}`;
  };
  return { call, write };
}

test("context_listDocuments lists only .md and .txt files of the folder", async () => {
  const { call } = await site();
  expect(await call("context_listDocuments")).toBe("deep/notes.txt\nguide.md");
  const none = await site("elsewhere");
  expect(await none.call("context_listDocuments")).toBe("no documents in elsewhere");
  const outside = await site("..");
  expect(await outside.call("context_listDocuments")).toBe("no documents in ..");
});

test("context_readDocument reads documents and refuses other files", async () => {
  const { call, write } = await site();
  expect(await call("context_readDocument", { path: "guide.md" })).toBe(
    "# Guide\nHow the Login works\nlogin and logout\n",
  );
  for (const name of ["../secret.md", "/etc/motd.txt", "link.md", "deep/../../secret.md"])
    expect(await call("context_readDocument", { path: name })).toBe(
      `FAILED ${name}: not in context/documents`,
    );
  expect(await call("context_readDocument", { path: "code.ts" })).toContain(
    "FAILED code.ts is not a document",
  );
  expect(await call("context_readDocument", { path: "none.md" })).toContain("no such document");
  await write("context/documents/long.md", "x".repeat(60_000));
  expect(await call("context_readDocument", { path: "long.md" })).toContain(
    "[truncated: 10000 more characters",
  );
});

test("context_searchDocuments ignores case", async () => {
  const { call } = await site();
  expect(await call("context_searchDocuments", { query: "LOGIN" })).toBe(
    "guide.md:2:How the Login works\nguide.md:3:login and logout",
  );
  expect(await call("context_searchDocuments", { query: "logout login" })).toBe(
    "guide.md:3:login and logout",
  );
  expect(await call("context_searchDocuments", { query: "button how" })).toBe("no matches");
  expect(await call("context_searchDocuments", { query: "nowhere" })).toBe("no matches");
  expect(await call("context_searchDocuments", { query: " " })).toContain("FAILED query");
});
