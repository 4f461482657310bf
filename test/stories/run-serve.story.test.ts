// `looper run --serve`: the page beside the run that the same command makes. The run neither waits for its server nor ends with it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Program } from "../rig/program.js";
import { story, type Rig } from "../rig/rig.js";
import { at, ServeClient, signIn } from "../rig/serve-client.js";

/** A run of one task that is held until `release`, with its page. */
async function startServed(rig: Rig, words: readonly string[] = []) {
  const puppet = await rig.agent({}, { loop: { review: false } });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  puppet.play(async (turn) => {
    begin();
    await held;
    await turn.report();
  });
  const program = rig.start(["run", "--serve", ...words]);
  const [, base = "", key = ""] = await program.says(/(http:\/\/127\.0\.0\.1:\d+)\/#key=(\S+)/);
  const client = new ServeClient(base, await signIn(base, key), program);
  await begun;
  return { program, release, client };
}

/** The process of the server: the run's only child beside its agent's. */
function serverOf({ pid }: Program): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const found = children.find((one) => readFileSync(`/proc/${one}/cmdline`, "utf8").includes("--beside"));
  return Number(found);
}

test(
  "run --serve shows the run of any task file, tells its end, and ends with it",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    rig.write("other.json", rig.read("to-do.json").replaceAll("T1", "T7"));
    const { program, release, client } = await startServed(rig, ["other.json", "--json"]);
    const status = () => client.ask("GET", "/api/v1/status");
    await expect.poll(async () => at(await status(), "run", "state")).toBe("running");
    const run = String(at(await status(), "run", "run"));
    expect(at(await client.ask("GET", "/api/v1/tasks"), "tasks", 0, "id")).toBe("T7");
    const events = client.fetch("GET", `/api/v1/runs/${run}/events`).then((response) => response.text());
    release();
    expect(await events).toMatch(/"type":"run_ended"[\s\S]*event: end/);
    const { code, stdout } = await program.ended;
    expect(code).toBe(0);
    for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("seq");
    await expect(client.ask("GET", "/api/v1/health")).rejects.toThrow();
  }),
);

test(
  "a run whose server is killed works on",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const { program, release } = await startServed(rig);
    process.kill(serverOf(program), "SIGKILL");
    await program.says(/no longer served/);
    release();
    expect((await program.ended).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
  }),
);

test(
  "a server whose run is killed ends",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const { program } = await startServed(rig);
    const server = `/proc/${serverOf(program)}`;
    await program.kill("alone");
    await expect.poll(() => existsSync(server)).toBe(false);
  }),
);

test(
  "a page that cannot be served is told before the run begins",
  story(async (rig) => {
    await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    // Where its sessions would be is a file.
    const state = path.join(rig.root, "state/looper");
    mkdirSync(state, { recursive: true });
    writeFileSync(path.join(state, "serve"), "");
    const { code, stderr } = await rig.run(["run", "--serve"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("the page cannot be served")]);
    expect(rig.statuses()).toEqual({ T1: "todo" });
  }),
);
