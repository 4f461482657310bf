import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unpackCapsule } from "../../../src/logging/capsule.js";
import { nodePorts } from "../../../src/system/processes/node-ports.js";
import { CapsuleAnswer, ReplayAnswer } from "../../../src/ui/shapes/runs.js";
import type { CommandOutcome, Typed } from "../../context/command-context.js";
import { contextIn } from "../../testing/testing.js";
import { capsule } from "./capsule.js";
import { replay } from "./replay.js";

const PLAIN = fileURLToPath(new URL("../../../test/recorded/plain.capsule", import.meta.url));
const SECRET = "hunter2-hunter2";
let root = "";
let run = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "capsule-"));
  for (const name of ["project", "home"]) mkdirSync(path.join(root, name));
  writeFileSync(
    path.join(root, "project/to-do.json"),
    JSON.stringify({ schema_version: 1, source_files: [], tasks: [] }),
  );
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** The recorded run as if it were this project's, with this in what the agent reported. */
async function writeLog(said: string): Promise<void> {
  const text = readFileSync(PLAIN, "utf8").replaceAll("did T2", JSON.stringify(said).slice(1, -1));
  run = /"run":"([^"]+)"/.exec(text)?.[1] ?? "";
  const unpacked = await unpackCapsule(nodePorts(), text, path.join(root, "project/looper-logs/runs", run));
  if (!unpacked.ok) throw new Error(unpacked.error);
}

type Run = (context: ReturnType<typeof contextIn>["context"], typed: Typed) => Promise<CommandOutcome>;

async function call(command: Run, operands: string[], flags: Record<string, string | true> = {}) {
  const env = { PATH: process.env["PATH"] ?? "", MY_API_KEY: SECRET, USER: "ann" };
  const started = contextIn(root, env);
  const end = await command(started.context, { operands, flags });
  return { end, out: started.out(), err: started.err() };
}

const file = (name: string) => path.join(root, "project", name);

test("secrets, the home folder and the user's name are replaced; the decisions replay all the same", async () => {
  const home = path.join(root, "home");
  await writeLog(`did T2 in ${home}/work with ${SECRET}, as ann; /home/ann/x, /Users/ann; annual`);
  const { end, out, err } = await call(capsule, []);
  expect({ end, err }).toEqual({ end: "ok", err: "" });
  expect(out).toMatch(
    new RegExp(`^wrote ${run}\\.capsule: run ${run}, \\d+ lines of its log, 1 index of its tasks`),
  );
  for (const told of ["not in it: prompts", "your user name (user)", "39 decisions replay", "read it before"])
    expect(out).toContain(told);
  const text = readFileSync(file(`${run}.capsule`), "utf8");
  expect(text).toContain("did T2 in ~/work with [redacted], as user; /home/user/x, /Users/user; annual");
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain(home);
  expect(JSON.parse(text.split("\n")[0] ?? "")).toEqual({
    capsule: "looper",
    format: 1,
    run,
    version: "0.0.0",
    node: "20.19.0",
    platform: "linux x64",
  });
  expect(statSync(file(`${run}.capsule`)).mode & 0o777).toBe(0o600);
  const replayed = await call(replay, [`${run}.capsule`], { "--json": true });
  expect(ReplayAnswer.parse(JSON.parse(replayed.out))).toEqual({ same: true, run, decisions: 39 });
  expect(replayed.err).toContain("its decisions are all that can be replayed");
  const at = await call(replay, [`${run}.capsule`], { "--at": "5" });
  expect(at.out).toContain(`${run}, line 5:`);
});

test("nothing is overwritten; with --tree it is said that a capsule has none", async () => {
  await writeLog("did T2");
  writeFileSync(file("there.capsule"), "mine");
  await expect(call(capsule, [run], { "--output": "there.capsule" })).rejects.toThrow("is there already");
  expect(readFileSync(file("there.capsule"), "utf8")).toBe("mine");
  await expect(call(capsule, [run], { "--output": "no/such/folder" })).rejects.toThrow("cannot be written");
  await expect(call(replay, ["there.capsule"])).rejects.toThrow("it is not a capsule");
  await expect(call(replay, ["nowhere.capsule"])).rejects.toThrow("there is no capsule");
  const written = await call(capsule, [], { "--output": "new", "--json": true });
  const answer = CapsuleAnswer.parse(JSON.parse(written.out));
  expect(answer).toMatchObject({ file: file("new"), run, decisions: 39, indexes: 1, names_left: false });
  expect(answer.bytes).toBe(statSync(file("new")).size);
  await expect(call(replay, ["new"], { "--tree": true })).rejects.toThrow(
    "its decisions are all that can be replayed",
  );
  writeFileSync(file("new"), readFileSync(file("new"), "utf8").replace('"format":1', '"format":2'));
  await expect(call(replay, ["new"])).rejects.toThrow("update looper");
});

test("- prints it; a name that means something else in the log as well is left where no path is", async () => {
  await writeLog("did T2 as iteration in /home/iteration/x");
  const env = { PATH: process.env["PATH"] ?? "", LOGNAME: "iteration" };
  const started = contextIn(root, env);
  expect(await capsule(started.context, { operands: [], flags: { "--output": "-" } })).toBe("ok");
  expect(started.out()).toContain('"summary":"did T2 as iteration in /home/user/x"');
  expect(started.err()).toContain("in paths only your user name, since it is a word of this log as well");
  expect(started.err()).toContain("39 decisions replay");
});

test("an index file with a strange name is not read, and none is written outside the folder", async () => {
  await writeLog("did T2");
  const log = path.join(root, "project/looper-logs/runs", run, "events.jsonl");
  writeFileSync(log, readFileSync(log, "utf8").replace('"index-1.json"', '"../../../to-do.json"'));
  const started = contextIn(root);
  expect(await capsule(started.context, { operands: [], flags: {} })).toBe("ok");
  expect(started.out()).toContain("replaying it finds a difference, as the log itself does");
  const folder = path.join(root, "unpacked/deep");
  const header = { capsule: "looper", format: 1, run, version: "1", node: "1", platform: "p" };
  const evil = { index: "../index-1.json", rows: [] };
  const text = [header, evil].map((line) => `${JSON.stringify(line)}\n`).join("");
  expect(await unpackCapsule(nodePorts(), text, folder)).toEqual({ ok: true, value: header });
  expect(() => statSync(path.join(root, "unpacked/index-1.json"))).toThrow();
});
