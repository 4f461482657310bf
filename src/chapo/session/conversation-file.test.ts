import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { appendMessages, createConversation, type Conversation } from "../engine/conversation.js";
import { journalOf, openConversationFile, readConversationFile } from "./conversation-file.js";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "conversation-"));
  file = path.join(folder, "session.json");
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const ports = nodePorts();
const redact = (text: string): string => text.replaceAll("hunter2", "[secret]");
const empty = createConversation({ id: "s1", agent: "looper", created: "2026-01-01T00:00:00.000Z" });
const say = (before: Conversation, text: string): Conversation =>
  appendMessages(before, { role: "user", text });
const texts = async (): Promise<unknown> => {
  const read = await readConversationFile(ports, file, "s1");
  return "broken" in read
    ? read.broken
    : read.conversation.messages.map((message) => (message.role === "tool" ? "" : message.text));
};
const open = () => openConversationFile({ ports, redact, file });

test("a save appends what is new, and its cost does not grow with the conversation", async () => {
  const long = say(empty, "x".repeat(3_000_000));
  const stored = open();
  await stored.save(long);
  const [whole] = [readFileSync(file, "utf8")];
  let now = long;
  for (const text of ["one", "two", "the key is hunter2"]) {
    now = { ...say(now, text), iterations: now.iterations + 1 };
    await stored.save(now);
  }
  expect(readFileSync(file, "utf8")).toBe(whole);
  expect(statSync(journalOf(file)).size).toBeLessThan(3_000);
  expect(readFileSync(journalOf(file), "utf8")).not.toContain("hunter2");
  expect(await texts()).toEqual([
    long.messages[0]?.role === "user" ? long.messages[0].text : "",
    "one",
    "two",
    "the key is [secret]",
  ]);
  expect(await readConversationFile(ports, file, "s1")).toMatchObject({ conversation: { iterations: 3 } });
});

test("messages that compaction replaced are gone after the next save", async () => {
  const stored = open();
  const three = ["a", "b", "c"].reduce(say, empty);
  await stored.save(three);
  await stored.save({
    ...three,
    messages: [...say(empty, "summary").messages, ...three.messages.slice(2)],
    summaries: ["s"],
  });
  expect(await texts()).toEqual(["summary", "c"]);
});

test("closing folds the journal into the file, which older versions read as well", async () => {
  const stored = open();
  await stored.save(say(empty, "a"));
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ format: 2 });
  await stored.save(say(say(empty, "a"), "b"));
  await stored.close();
  expect(existsSync(journalOf(file))).toBe(false);
  const whole = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  expect([whole["format"], whole["journal"]]).toEqual([undefined, undefined]);
  expect(await texts()).toEqual(["a", "b"]);
});

test("half a line at the end of the journal does not count, and the next process loses nothing", async () => {
  const two = say(say(empty, "a"), "b");
  const killed = open();
  await killed.save(say(empty, "a"));
  await killed.save(two);
  appendFileSync(journalOf(file), '{"journal":"');
  expect(await texts()).toEqual(["a", "b"]);
  await open().save(say(two, "c"));
  expect(await texts()).toEqual(["a", "b", "c"]);
});

test("a journal of an earlier whole file does not count", async () => {
  const stored = open();
  await stored.save(say(empty, "a"));
  await stored.save(say(say(empty, "a"), "b"));
  const old = readFileSync(journalOf(file), "utf8");
  await open().save(say(empty, "anew"));
  writeFileSync(journalOf(file), old);
  expect(await texts()).toEqual(["anew"]);
});

test("a broken line in the middle is named with its number", async () => {
  const stored = open();
  const one = say(empty, "a");
  await stored.save(one);
  await stored.save(say(one, "b"));
  const line = readFileSync(journalOf(file), "utf8");
  writeFileSync(journalOf(file), line.replace('"from":1', '"from":"x"') + line);
  expect(await texts()).toBe(`${journalOf(file)}:1: not a line of a session`);
});

test("after a failed save, and after the file was removed, the next save writes the whole file", async () => {
  let fails = false;
  const files = {
    ...ports.files,
    openAppend: async (...args: Parameters<typeof ports.files.openAppend>) => {
      const opened = await ports.files.openAppend(...args);
      return {
        ...opened,
        append: async (content: string | Uint8Array) => {
          await opened.append(fails ? String(content).slice(0, 20) : content);
          if (fails) throw new Error("ENOSPC: no space left on device");
        },
      };
    },
  };
  const stored = openConversationFile({ ports: { ...ports, files }, redact, file });
  const [one, two] = [say(empty, "a"), say(say(empty, "a"), "b")];
  await stored.save(one);
  fails = true;
  await expect(stored.save(two)).rejects.toThrow("ENOSPC");
  expect(await texts()).toEqual(["a"]);
  fails = false;
  await stored.save(say(two, "c"));
  expect(await texts()).toEqual(["a", "b", "c"]);
  rmSync(file);
  await stored.save(say(say(two, "c"), "d"));
  expect(await texts()).toEqual(["a", "b", "c", "d"]);
});

test("an approval that a file holds is not one: the call waits again", async () => {
  const answer = { verdict: "approve", by: "root", via: "cli", at: "2026-01-01T00:00:00.000Z" } as const;
  const pending = {
    ...{ call: "c1", agent: "commander", tool: "bash_execute", args: { command: "rm -rf x" } },
    ...{ preview: "rm -rf x", digest: "0", because: "it changes files", may_remember: true },
    ...{ asked_at: "2026-01-01T00:00:00.000Z", answer },
  };
  const stored = open();
  await stored.save({ ...empty, pending });
  await stored.close();
  const { answer: _answer, ...waiting } = pending;
  const read = await readConversationFile(ports, file, "s1");
  expect("conversation" in read && read.conversation.pending).toEqual(waiting);
});

test("a folder in the place of the file is said to be one", async () => {
  mkdirSync(file);
  expect(await texts()).toBe(`${file} is a folder, not a file`);
});
