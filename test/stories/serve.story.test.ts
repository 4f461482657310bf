// `looper serve`: the API of a project, as a client sees it, and as a page of another origin, an agent or a careless client tries it.
import { renameSync } from "node:fs";
import { createHmac } from "node:crypto";
import { request as requestOf } from "node:http";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { Program } from "../rig/program.js";
import { isRecord } from "../../src/system/text/json.js";
import { story, type Rig } from "../rig/rig.js";
import { PLAN, playStages } from "../rig/stages.js";

interface Said {
  status: number;
  body: unknown;
}

/** A value inside an answer. */
function at({ body }: Said, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isRecord(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined),
    body,
  );
}

/** A server that was started, and a client that is signed in. */
class Client {
  constructor(
    readonly base: string,
    readonly key: string,
    readonly program: Program,
  ) {}

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Said> {
    const response = await this.fetch(method, path, body, headers);
    const text = await response.text();
    const read: unknown = text === "" ? undefined : JSON.parse(text);
    return { status: response.status, body: read };
  }

  fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.base}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  async stop(): Promise<void> {
    this.program.signal("SIGTERM");
    await this.program.ended;
  }
}

/** Starts a server at a port, 0 for any, and signs in. */
async function serve(rig: Rig, words: readonly string[] = [], port = "0"): Promise<Client> {
  const program = rig.start(["serve", "--port", port, ...words]);
  const [, base = "", key = ""] = await program.says(/(http:\/\/127\.0\.0\.1:\d+)\/#key=(\S+)/);
  return new Client(base, await signIn(base, key), program);
}

async function signIn(base: string, key: string): Promise<string> {
  const response = await fetch(`${base}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { session: string }).session;
}

/** A request with these headers alone; its status. */
function statusOf(
  client: Client,
  where: string,
  headers: Record<string, string>,
  method = "GET",
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(client.base);
    const sent = requestOf(
      { host: "127.0.0.1", port, path: where, method, headers, setHost: false },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

/** Says what the server answers to a change from each of these addresses. */
const ASK = `const { request } = require("node:http");
const [base, key, ...all] = process.argv.slice(2);
const ask = (from) => new Promise((done) => {
  const [localAddress, port] = from.split(":");
  const headers = { authorization: "Bearer " + key };
  const at = { localAddress, ...(port ? { localPort: Number(port) } : {}) };
  const sent = request(base + "/api/v1/tasks/T1/done", { method: "POST", headers, ...at }, (answer) => {
    let text = "";
    answer.on("data", (more) => (text += more)).on("end", () => done(answer.statusCode + " " + text));
  });
  sent.on("error", (error) => done(String(error))).end();
});
(async () => {
  for (const from of all) console.log(await ask(from));
})();
`;
const OWN_ADDRESSES = Object.values(networkInterfaces()).flatMap(
  (all) => all?.filter((one) => !one.internal && one.family === "IPv4").map((one) => one.address) ?? [],
);

const TASK = { id: "T1", title: "Do T1", priority: 3, status: "todo" };

/** Its agent has more rights than the one of the settings, which a person approves. */
const OWN_WORKFLOW = {
  workflow: 1,
  name: "own",
  start: "work",
  stages: {
    work: { kind: "work", prompt: "execute", permissions: "full", next: { done: "finish" } },
  },
};

/** The events of a run's stream, until it ends or `most` came. */
async function eventsOf(client: Client, run: string, { after = 0, most = Infinity } = {}): Promise<number[]> {
  const response = await client.fetch("GET", `/runs/${run}/events?after=${after}`);
  const seen: number[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const frames = rest.split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (frame.startsWith("id: ") && data !== undefined)
        seen.push((JSON.parse(data) as { seq: number }).seq);
      if (frame.startsWith("event: end") || seen.length >= most) return seen;
    }
  }
  return seen;
}

/** The attempt that made made.txt: its row, its verdict and its patch. */
async function attemptIsTold(client: Client, run: string): Promise<void> {
  const list = await client.ask("GET", "/tasks/T1/attempts");
  const [result, job] = [at(list, "attempts", 0, "result"), String(at(list, "attempts", 0, "job"))];
  expect([at(list, "attempts", 0, "run"), result, at(list, "attempts", 1)]).toEqual([run, "done", undefined]);
  const one = `/tasks/T1/attempts/${run}/${job}`;
  const told = await client.ask("GET", one);
  expect(told.body).toMatchObject({
    gate: {
      verdict: "unverified",
      commands: [{ command: "test -s made.txt", verdict: "fixed" }],
      reasons: ["it passes only with made.txt (+made)"],
    },
    report: { status: "done" },
    failure: null,
  });
  const rules = at(told, "decisions") as { because: { rule: string }; effects: string[] }[];
  expect(rules.flatMap(({ effects }) => effects)).toContain("commit");
  const diff = await client.ask("GET", `${one}/diff`);
  expect(diff.body).toMatchObject({ of: "commit", files: [{ path: "made.txt", added: 1, removed: 0 }] });
  const patch = await client.ask("GET", `${one}/diff?of=attempt&path=made.txt`);
  expect(at(patch, "patch")).toContain("\n+made\n");
  const nowhere = [
    `${one}/diff?path=${encodeURIComponent("../made.txt")}`,
    `${one}/diff?of=rescue`,
    `${one}9`,
  ];
  for (const at of nowhere) expect((await client.ask("GET", at)).status, at).toBe(404);
  const jobs = at(await client.ask("GET", "/agents/fake/history?limit=5"), "jobs");
  expect(jobs).toContainEqual(
    expect.objectContaining({ run, task: "T1", result: "done", phase: "iteration" }),
  );
  expect(at(await client.ask("GET", "/agents/none/history"), "jobs")).toEqual([]);
  const log = `/runs/${run}/log`;
  const bytes = await client.fetch("GET", log, undefined, { range: "bytes=0-9" });
  expect([bytes.status, (await bytes.text()).length]).toEqual([206, 10]);
  expect((await client.ask("GET", log)).status).toBe(416);
}

test(
  "a task is added, changed, run, watched, shown and undone through the API",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["test -s made.txt"] } });
    puppet.play(async (turn) => {
      if (turn.task !== "") await turn.write("made.txt", "made\n");
      await turn.report();
    });
    rig.writeBacklog([{ id: "T1" }]);
    rig.write("src/a.js", "1;\n");
    rig.gitInit();
    const client = await serve(rig);
    const changes = await client.fetch("GET", "/changes");
    const first = changes.body?.getReader();
    const begun: { value?: Uint8Array | undefined } | undefined = await first?.read();
    expect(new TextDecoder().decode(begun?.value)).toContain("event: state");

    const added = await client.ask("POST", "/tasks", { title: "Second", priority: 1, depends_on: ["T1"] });
    expect([added.status, at(added, "changed")]).toEqual([201, [{ id: "T2", from: null, to: "todo" }]]);
    const old = await client.ask("PATCH", "/tasks/T2", { priority: 4 }, { "if-match": '"old"' });
    const seen2 = await client.fetch("GET", "/tasks/T2");
    expect(seen2.headers.get("etag")).toBe(at(old, "error", "tag"));
    await seen2.body?.cancel();
    const tag = String(at(old, "error", "tag"));
    expect((await client.ask("PATCH", "/tasks/T2", { priority: 4 }, { "if-match": tag })).status).toBe(200);
    expect((await client.ask("PATCH", "/tasks/T2", { tags: { add: ["ui"] }, details: null })).status).toBe(
      200,
    );
    expect((await client.ask("GET", "/tasks/T2/why")).body).toMatchObject({
      answer: "waits",
      waits_for: ["T1"],
    });
    expect((await client.ask("PATCH", "/tasks/T2", { priority: { add: ["x"] } })).status).toBe(422);
    expect((await client.ask("PATCH", "/tasks/T2", { workflow: "nosuch" })).status).toBe(422);
    expect((await client.ask("POST", "/tasks", { title: "x", workflow: "nosuch" })).status).toBe(422);
    expect((await client.ask("POST", "/tasks", { title: " " })).status).toBe(400);
    const old2 = { "if-match": tag };
    for (const verb of ["done", "todo", "pause", "accept", "undo"])
      expect((await client.ask("POST", `/tasks/T2/${verb}`, undefined, old2)).status, verb).toBe(412);
    expect((await client.ask("DELETE", "/tasks/T2", undefined, old2)).status).toBe(412);
    expect((await client.ask("DELETE", "/tasks/T1")).status).toBe(409);
    expect((await client.ask("DELETE", "/tasks/T2")).status).toBe(200);
    expect(at(await client.ask("GET", "/board"), "rows")).toEqual([
      { id: "T1", title: "Do T1", status: "todo", priority: 3 },
    ]);

    const started = await client.ask("POST", "/runs", {});
    expect(started.status, JSON.stringify(started.body)).toBe(201);
    const run = String(at(started, "run"));
    const seen = await eventsOf(client, run);
    expect(seen).toEqual(rig.events().map(({ seq }) => seq));
    expect(rig.statuses()).toEqual({ T1: "done" });
    const shown = await client.ask("GET", "/tasks/T1");
    const printed = await rig.run(["show", "T1", "--json"]);
    expect(shown.body).toEqual(JSON.parse(printed.stdout));
    expect(at(await client.ask("GET", `/runs/${run}`), "tasks", 0)).toMatchObject({
      task: "T1",
      result: "done",
    });
    await attemptIsTold(client, run);
    rig.write("made.txt", "changed since\n");
    const refused = await client.ask("POST", "/tasks/T1/undo");
    expect([refused.status, at(refused, "error", "code")]).toEqual([409, "changes"]);
    rig.write("made.txt", "made\n");
    expect((await client.ask("POST", "/tasks/T1/undo", { reason: "not that" })).status).toBe(200);
    expect(rig.statuses()).toEqual({ T1: "todo" });
    await first?.cancel();
    await client.stop();
  }),
);

test(
  "requests of other origins, in other forms, without a key or for what is not there are refused, and change nothing",
  story(async (rig) => {
    await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const before = rig.read("to-do.json");
    const client = await serve(rig, ["--share", "read", "--as", "ann"]);
    const { host, port } = new URL(client.base);
    const where = "/api/v1/status";
    const key = { authorization: `Bearer ${client.key}` };
    const heads: [Record<string, string>, number][] = [
      [{ host, ...key }, 200],
      [{ host: host.toUpperCase().replace("127.0.0.1", "LOCALHOST"), ...key }, 200],
      [{ host }, 401],
      [{ host, authorization: "Bearer wrong-wrong-wrong-wrong-wrong" }, 401],
      [{ host, cookie: `key=${client.key}` }, 401],
      [{ host: "evil.example", ...key }, 421],
      [{ host: `127.0.0.1.evil.example:${port}`, ...key }, 421],
      [{ host: "127.0.0.1:1", ...key }, 421],
      [{ host, origin: "null", ...key }, 403],
      [{ host, origin: `http://${host}`, ...key }, 200],
      [{ host, origin: `http://127.0.0.1:1`, ...key }, 403],
      [{ host, origin: `https://${host}`, ...key }, 403],
      [{ host, "sec-fetch-site": "same-site", ...key }, 403],
      [{ host, "sec-fetch-site": "same-origin", ...key }, 200],
    ];
    for (const [headers, status] of heads)
      expect(await statusOf(client, where, headers), JSON.stringify(headers)).toBe(status);
    expect(await statusOf(client, where, { host, origin: "http://evil.example" }, "OPTIONS")).toBe(403);

    const bodies: [unknown, Record<string, string>, number][] = [
      ["not json", {}, 400],
      ["title=x", { "content-type": "application/x-www-form-urlencoded" }, 415],
      ["{}", { "content-type": "text/plain" }, 415],
      ["{}", { "content-encoding": "gzip" }, 415],
      [`{"title": "${"x".repeat(2_000_000)}"}`, {}, 413],
      ['{"title": "x", "__proto__": {"status": "done"}}', {}, 400],
      ['{"title": "x", "status": "done"}', {}, 400],
      ["[]", {}, 400],
      ['{"title": "x\\u0000"}', {}, 400],
    ];
    for (const [body, headers, status] of bodies)
      expect(
        (await client.ask("POST", "/tasks", body, headers)).status,
        JSON.stringify([headers, status]),
      ).toBe(status);
    const nowhere: [string, string, number][] = [
      ["GET", "/tasks/", 404],
      ["GET", "/tasks/T9", 404],
      ["GET", `/tasks/${encodeURIComponent("../T1")}`, 404],
      ["GET", `/tasks/${encodeURIComponent("a/b?c#d%")}`, 404],
      ["GET", "/runs/..%2f..%2fetc", 404],
      ["GET", "/runs/%00/log", 404],
      ["GET", "/questions/T1", 404],
      ["GET", "/rescues/none", 404],
      ["POST", "/rescues/none/restore", 404],
      ["GET", "/tasks/T9/attempts", 404],
      ["GET", "/tasks/T1/attempts/2026-11-29_00-00-00/1", 404],
      ["PUT", "/tasks", 405],
      ["GET", "/nothing", 404],
    ];
    for (const [method, where, status] of nowhere)
      expect((await client.ask(method, where)).status, where).toBe(status);
    // A client is told what is wrong, whichever forms a body may have.
    const wrong = [{ priority: 1 }, [{ title: "x", priority: "high" }]];
    const told = await Promise.all(wrong.map((body) => client.ask("POST", "/tasks", body)));
    expect(told.map((one) => at(one, "error", "details", 0, "at"))).toEqual(["title", "0.priority"]);
    const cleared = await client.ask("PATCH", "/tasks/T1", { priority: null });
    expect([cleared.status, at(cleared, "error", "details", 0, "at")]).toEqual([400, "priority"]);
    expect((await client.ask("POST", "/runs", { prompt: "ک".repeat(70_000) })).status).toBe(400);
    const long = { key: "x".repeat(5_000) };
    expect((await client.ask("POST", "/session", long)).status).toBe(413);
    expect(rig.read("to-do.json")).toBe(before);

    // Of a project's own workflow, as of any command that it names.
    rig.write("own.json", JSON.stringify({ ...JSON.parse(before), tasks: [{ ...TASK, workflow: "own" }] }));
    rig.write(".looper/workflows/own.json", JSON.stringify(OWN_WORKFLOW));
    renameSync(path.join(rig.project, "own.json"), path.join(rig.project, "to-do.json"));
    const untrusted = await client.ask("POST", "/runs");
    expect([untrusted.status, at(untrusted, "error", "code")]).toEqual([409, "untrusted"]);
    expect(JSON.stringify(untrusted.body)).toContain("full");

    // A board whose file is gone is not an empty one.
    renameSync(path.join(rig.project, "to-do.json"), path.join(rig.project, "gone.json"));
    for (const where of ["/board", "/boot"])
      expect(at(await client.ask("GET", where), "problem"), where).toContain("to-do.json");
    // Neither is a task of a broken file one that is not there.
    rig.write("to-do.json", "{");
    expect(at(await client.ask("GET", "/tasks/T1"), "error", "message")).toContain(
      "to-do.json has 1 problem",
    );

    // The rate is a session's own.
    const [, link = ""] = await client.program.says(/ann \(read\): \S+#key=(\S+)/);
    const ann = new Client(client.base, await signIn(client.base, link), client.program);
    const statuses: number[] = [];
    for (let n = 0; n < 125; n++) statuses.push((await client.ask("POST", "/tasks", [])).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([400, 429]);
    expect((await ann.ask("POST", "/tasks", [])).status).toBe(403);
    await client.stop();
  }),
);

test(
  "a link signs in once, its role says what may be done, and a session outlives the server; --host needs TLS, a taken port is told",
  story(async (rig) => {
    await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const client = await serve(rig, ["--share", "read", "--as", "ann"]);
    const [, link = ""] = await client.program.says(/ann \(read\): \S+#key=(\S+)/);
    const ann = new Client(client.base, await signIn(client.base, link), client.program);
    const again = await ann.ask("POST", "/session", { key: link });
    expect(again.status).toBe(401);
    expect((await ann.ask("GET", "/boot")).body).toMatchObject({ role: "read", tasks: 1 });
    const refused = await ann.ask("POST", "/tasks/T1/done");
    expect([refused.status, at(refused, "error", "code")]).toEqual([403, "read-only"]);

    const { port } = new URL(client.base);
    const taken = await rig.run(["serve", "--port", port]);
    expect([taken.code, taken.stderr]).toEqual([3, expect.stringContaining("EADDRINUSE")]);
    const open = await rig.run(["serve", "--host", "0.0.0.0"]);
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("--tls-cert")]);
    const half = await rig.run(["serve", "--tls-key", "key.pem"]);
    expect([half.code, half.stderr]).toEqual([2, expect.stringContaining("belong together")]);
    const nameless = await rig.run(["serve", "--as", "ann"]);
    expect([nameless.code, nameless.stderr]).toEqual([2, expect.stringContaining("add --share read")]);
    const plain = await rig.run(["serve", "--public-url", "http://looper.example.org"]);
    expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining("https")]);
    const reading = await serve(rig, ["--read-only"]);
    expect((await reading.ask("POST", "/tasks", { title: "x" })).status).toBe(403);
    expect((await reading.ask("GET", "/tasks")).status).toBe(200);
    await reading.stop();

    await client.program.kill("alone");
    const later = await serve(rig, [], port);
    const same = new Client(later.base, client.key, later.program);
    expect((await same.ask("DELETE", "/session")).status).toBe(204);
    expect((await same.ask("GET", "/status")).status).toBe(401);
    expect((await ann.ask("GET", "/status")).status).toBe(200);
    await later.stop();

    const address = await rig.run(["serve", "--host", "0.0.0.0", "--tls-cert", "a", "--tls-key", "b"]);
    expect([address.code, address.stderr]).toEqual([2, expect.stringContaining("--public-url")]);
    const proxied = ["--host", "127.0.0.2", "--public-url", "https://looper.example.org"];
    const wide = rig.start(["serve", "--port", port, ...proxied]);
    await wide.says(/https:\/\/looper\.example\.org\/#key=/);
    for (const host of [`127.0.0.1:${port}`, `127.0.0.2:${port}`]) {
      const answered = await fetch(`http://${host}/api/v1/health`);
      expect([answered.status, await answered.json()], host).toMatchObject([200, { ok: true }]);
    }
    wide.signal("SIGTERM");
    await wide.ended;
  }),
);

test(
  "an agent of the run may not change anything, even with a key; a server that is killed loses no event and no run",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const client = await serve(rig);
    const { port } = new URL(client.base);
    // An open page, whose port the agent takes at another address.
    const page = await new Promise<Socket>((resolve) => {
      const open: Socket = connect(Number(port), "127.0.0.1", () => {
        resolve(open);
      });
    });
    let heard: (told: string) => void = () => undefined;
    const told = new Promise<string>((resolve) => (heard = resolve));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    puppet.play(async (turn) => {
      if (turn.task === "") {
        await turn.report();
        return;
      }
      await turn.write("ask.cjs", ASK);
      const from = ["127.0.0.1", ...OWN_ADDRESSES, `127.0.0.2:${String(page.localPort)}`];
      const call = `env -i ${process.execPath} ask.cjs ${client.base} ${client.key} ${from.join(" ")}; rm ask.cjs`;
      heard((await turn.shell(call)).stdout);
      await held;
      await turn.write("made.txt", "made\n");
      await turn.report();
    });
    const run = String(at(await client.ask("POST", "/runs"), "run"));
    const early = await eventsOf(client, run, { most: 8 });
    const answers = (await told).trim().split("\n");
    expect(answers).toHaveLength(2 + OWN_ADDRESSES.length);
    for (const one of answers) expect(one).toMatch(/403 .*inside-a-run/);
    page.destroy();
    for (const verb of ["accept", "undo"]) {
      const beside = await client.ask("POST", `/tasks/T1/${verb}`);
      expect([beside.status, at(beside, "error", "code")], verb).toEqual([409, "running"]);
    }
    expect((await client.ask("POST", "/runs")).status).toBe(409);
    await client.program.kill("alone");
    const later = await serve(rig, [], port);
    const rest = eventsOf(new Client(later.base, client.key, later.program), run, {
      after: early.at(-1) ?? 0,
    });
    release();
    const all = [...early, ...(await rest)];
    expect(all).toEqual(rig.events().map(({ seq }) => seq));
    expect(rig.statuses()).toEqual({ T1: "done" });
    await later.stop();
  }),
);

test(
  "a plan is answered once, by who saw it: another digest, a second answer and a reader are refused",
  story(async (rig) => {
    const puppet = await rig.agent({}, { serve: { webhook_secret: "a-secret-of-the-user" } });
    const play = playStages();
    puppet.play((turn) => (turn.task === "" ? turn.report() : play(turn)));
    rig.writeBacklog(["T1", "T2"].map((id) => ({ id, workflow: "plan-approve-execute" })));
    rig.gitInit();
    expect((await rig.run(["run", "--no-review"])).stdout).toContain("waiting");
    const client = await serve(rig, ["--share", "answer", "--as", "ann", "--start-on-answer"]);
    const [, link = ""] = await client.program.says(/ann \(answer\): \S+#key=(\S+)/);
    const ann = new Client(client.base, await signIn(client.base, link), client.program);
    const asked = await ann.ask("GET", "/questions/T1");
    expect(at(asked, "shown")).toContain("Write hello.txt");
    const digest = String(at(asked, "questions", 0, "shows", "sha256"));
    const answer = (more: object) => ann.ask("POST", "/questions/T1/answer", { outcome: "approve", ...more });
    expect(at(await answer({}), "error", "code")).toBe("digest");
    expect(at(await answer({ shown_sha256: digest.replace(/^./, "z") }), "error", "code")).toBe("digest");
    expect(at(await ann.ask("POST", "/tasks/T1/done"), "error", "code")).toBe("role");
    const both = await Promise.all([answer({ shown_sha256: digest }), answer({ shown_sha256: digest })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    // The answer has started the run that carries it out.
    const runs = await client.ask("GET", "/runs");
    await eventsOf(client, String(at(runs, "runs", 0, "run")));
    expect(JSON.stringify(rig.events())).toMatch(/"by":"ann","via":"web"|"via":"web","by":"ann"/);
    expect(rig.read("hello.txt")).toBe("hello\n");

    // A plan that is changed is asked about again.
    const second = await ann.ask("GET", "/questions/T2");
    const seen = { outcome: "edit", shown_sha256: at(second, "questions", 0, "shows", "sha256") };
    const edit = (more: object) => ann.ask("POST", "/questions/T2/answer", { ...seen, ...more });
    expect((await edit({})).status).toBe(422);
    expect((await edit({ edited: '{"summary": 7}' })).status).toBe(422);
    const mended = JSON.stringify({ ...PLAN, summary: "Changed by ann" });
    expect((await edit({ edited: mended })).status).toBe(200);
    const later = await client.ask("GET", "/runs");
    await eventsOf(client, String(at(later, "runs", 0, "run")));
    const third = await ann.ask("GET", "/questions/T2");
    expect(at(third, "shown")).toContain("Changed by ann");

    // A chat tool has no key: its signature is one, once and for a while.
    const sha256 = at(third, "questions", 0, "shows", "sha256");
    const id = at(third, "questions", 0, "id");
    const now = Math.floor(Date.now() / 1000);
    const signed = async (secret: string, time = now, question = id): Promise<number> => {
      const body = JSON.stringify({ question, by: "chat ann", outcome: "approve", shown_sha256: sha256 });
      const signature = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
      const headers = { "x-looper-timestamp": String(time), "x-looper-signature": `sha256=${signature}` };
      return (await client.ask("POST", "/webhooks/answer", body, { authorization: "", ...headers })).status;
    };
    expect(await signed("another-secret")).toBe(401);
    expect(await signed("a-secret-of-the-user", now - 1_000)).toBe(401);
    // By its task a request that is sent again would answer the next question.
    expect(await signed("a-secret-of-the-user", now, "T2")).toBe(404);
    expect(await signed("a-secret-of-the-user")).toBe(200);
    // The run may have taken it up already.
    expect([404, 409]).toContain(await signed("a-secret-of-the-user"));
    expect(JSON.stringify((await client.ask("GET", "/config")).body)).not.toContain("a-secret-of-the-user");
    const last = await client.ask("GET", "/runs");
    await eventsOf(client, String(at(last, "runs", 0, "run")));
    // A stream ends with its session.
    const open = await ann.fetch("GET", "/changes");
    expect((await ann.ask("DELETE", "/session")).status).toBe(204);
    expect(await open.text()).toContain("event: state");
    await client.stop();
  }),
);
