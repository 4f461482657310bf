// Notifications through the real program: commands and a local HTTP server in the place of the services.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { story, type Rig } from "../rig/rig.js";

const PAGE = readFileSync(fileURLToPath(new URL("../../docs/notifications.md", import.meta.url)), "utf8");

/** A recipe of the page: the first `text` block below the words. */
function recipe(words: string): string {
  const [, line] = /```text\n([^]*?)\n```/.exec(PAGE.slice(PAGE.indexOf(words))) ?? [];
  if (line === undefined) throw new Error(`the page has no recipe ${words}`);
  return line;
}

interface Got {
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Serves until the test ends; `answer` may end the response itself. */
async function listen(
  answer: (response: ServerResponse, got: Got) => boolean = () => false,
): Promise<{ origin: string; got: Got[]; close: () => Promise<void> }> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one = {
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      got.push(one);
      if (!answer(response, one)) response.end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    got,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}

const Event = z.looseObject({ of: z.string(), text: z.string() });

function eventsIn(file: string): z.infer<typeof Event>[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => Event.parse(JSON.parse(line)));
}

const ofs = (events: readonly { of: string }[]) => events.map(({ of }) => of);

/** T1 is done, and T2 is blocked by its agent. */
async function runTwo(rig: Rig, receivers: readonly string[], more: Record<string, unknown> = {}) {
  rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
  const agent = await rig.agent({}, { hooks: { notification: receivers, ...more } });
  agent.play(async (turn) => {
    if (turn.task === "T2") return turn.report({ status: "blocked", blockers: ["the key is missing"] });
    await turn.write("made.txt", "x\n");
    return turn.report();
  });
  return rig.run(["run", "--no-review", "--max-attempts", "1"]);
}

test(
  "a command and an address are told once each of a commit, a blocked task and the end",
  story(async (rig) => {
    const server = await listen();
    const file = path.join(rig.root, "events");
    const { code } = await runTwo(rig, [`cat >> ${file}; env > ${file}-env`, `${server.origin}/secret?x=1`]);
    await server.close();
    expect(code).toBe(1);
    const events = eventsIn(file);
    expect(ofs(events)).toEqual(["committed", "blocked", "run_ended"]);
    expect(events).toMatchObject([
      { type: "notification", task_id: "T1", title: "Do T1", text: "T1 (Do T1) is done" },
      { task_id: "T2", why: expect.stringContaining("the key is missing") as unknown },
      { ending: "blocked", totals: { done: 1, tasks: 2 } },
    ]);
    expect(server.got.map(({ body }) => JSON.parse(body) as unknown)).toEqual(events);
    expect(server.got[0]).toMatchObject({
      url: "/secret?x=1",
      headers: { "content-type": "application/json" },
    });
    expect(readFileSync(`${file}-env`, "utf8")).toMatch(/^LOOPER_EVENT=run_ended$/m);
    const log = rig.events();
    expect(log.at(-2)?.type).toBe("run_ended");
    const told = log.filter(({ type }) => type === "notified");
    expect(told).toHaveLength(6);
    expect(told).toContainEqual(
      expect.objectContaining({ of: "blocked", to: `${server.origin}/…`, outcome: "ok", task_id: "T2" }),
    );
    expect(JSON.stringify(log)).not.toContain("/secret");
  }),
);

test(
  "receivers that fail, hang or cannot start change nothing in the run",
  story(async (rig) => {
    const server = await listen((response, { url }) => {
      if (url === "/hang") return true;
      if (url === "/moved") response.writeHead(307, { location: "file:///etc/passwd" });
      else response.writeHead(500);
      response.end("no luck");
      return true;
    });
    const { code } = await runTwo(
      rig,
      [
        "echo broken >&2; exit 3",
        "./no-such-program",
        "sleep 1000",
        `${server.origin}/error`,
        `${server.origin}/moved`,
        "http://127.0.0.1:1/",
      ],
      { timeout: "8s" },
    );
    await server.close();
    expect(code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "blocked" });
    const told = rig.events().filter(({ type, of }) => type === "notified" && of === "committed");
    expect(told.map(({ to, outcome, error }) => [to, outcome, error])).toEqual(
      expect.arrayContaining([
        ["echo broken >&2; exit 3", "failed", "exit code 3: broken"],
        ["./no-such-program", "failed", expect.stringContaining("not found")],
        ["sleep 1000", "timed-out", undefined],
        [`${server.origin}/…`, "failed", "answered 500: no luck"],
        [`${server.origin}/…`, "failed", expect.stringContaining("a redirect, which is not followed")],
        ["http://127.0.0.1:1/…", "failed", expect.stringContaining("ECONNREFUSED")],
      ]),
    );
  }),
);

test(
  "the end of an interrupted run waits three seconds for an address that does not answer",
  story(async (rig) => {
    const server = await listen(() => true);
    rig.writeBacklog([{ id: "T1" }]);
    const agent = await rig.agent({}, { hooks: { notification: [`${server.origin}/`] } });
    const running = rig.start(["run", "--no-review"]);
    await agent.next();
    running.signal("SIGTERM");
    running.signal("SIGTERM");
    await running.ended;
    await server.close();
    const told = rig.events().filter(({ type }) => type === "notified");
    expect(told).toMatchObject([{ of: "run_ended", outcome: "timed-out" }]);
    // Another end waits ten.
    expect(Number(told[0]?.["duration_ms"])).toBeLessThan(9_500);
  }),
);

/** Makes a program of a recipe that writes its arguments and its stdin to a file. */
function standIn(rig: Rig, name: string): string {
  const file = path.join(rig.root, `${name}-got`);
  mkdirSync(path.join(rig.root, "bin"), { recursive: true });
  const read = name === "notify-send" ? "" : `cat >> ${file}; `;
  writeFileSync(
    path.join(rig.root, "bin", name),
    `#!/bin/sh\nprintf '[%s]' "$@" >> ${file}; ${read}echo >> ${file}\n`,
    { mode: 0o755 },
  );
  return file;
}

test(
  "the recipes for the desktop, ntfy, Slack and e-mail reach programs and a server in their place",
  story(async (rig) => {
    const server = await listen();
    const desktop = standIn(rig, "notify-send");
    const mail = standIn(rig, "sendmail");
    const ntfy = recipe("**[ntfy]").replace("https://ntfy.sh", server.origin);
    const slack = recipe("**Slack**").replace("https://hooks.slack.com", server.origin);
    await runTwo(rig, [
      recipe("**Desktop** (Linux"),
      recipe("**E-mail**"),
      ntfy,
      slack,
      recipe("**Only some"),
    ]);
    await server.close();
    const told = rig.events().filter(({ type }) => type === "notified");
    expect(told.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    expect(readFileSync(desktop, "utf8").split("\n")[0]).toBe("[Looper][T1 (Do T1) is done]");
    expect(readFileSync(mail, "utf8")).toMatch(
      /\[-t\]To: ada@example\.com\nSubject: Looper: committed\nContent-Type: text\/plain; charset=utf-8\n\nT1 \(Do T1\) is done\n\n\{"type":"notification"/,
    );
    const topic = server.got.filter(({ url }) => url === "/your-topic");
    expect(topic[0]).toMatchObject({
      body: "T1 (Do T1) is done",
      headers: { title: "Looper", tags: "committed" },
    });
    const hook = server.got.filter(({ url }) => url.startsWith("/services/"));
    expect(hook.map(({ body }) => Event.parse(JSON.parse(body)).text)[0]).toBe("T1 (Do T1) is done");
    expect([topic.length, hook.length]).toEqual([3, 3]);
  }),
);
