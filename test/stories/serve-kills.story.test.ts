// A server that is killed at random moments under clients that write and follow: nothing acknowledged is lost, and each event comes once.
import path from "node:path";
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { given } from "../../src/system/given.js";
import { call, playScript } from "../rig/chapo.js";
import { seeded } from "../rig/chance.js";
import { exhaustively } from "../rig/exhaustive.js";
import { story, type Rig } from "../rig/rig.js";
import {
  at,
  connect,
  ServeClient,
  startServer,
  startUnsigned,
  type Said,
  type Sent,
} from "../rig/serve-client.js";
import { playStages, stageOf } from "../rig/stages.js";

const KILLS = 20;
/** Between two kills clients send or see as much. */
const MOST_BETWEEN = 8;
const SEED = Number(process.env["LOOPER_SEED"] ?? 20_261_130);

/** The server that answers now; `undefined` from its kill until the next one listens. */
interface Site {
  client: ServeClient;
  up: Promise<void>;
  over: boolean;
  /** Called for all that a client sends or sees: the kills come between these. */
  stirred: () => void;
}

function siteOf(client: ServeClient): Site {
  return { client, up: Promise.resolve(), over: false, stirred: () => undefined };
}

function isOver({ over }: Site): boolean {
  return over;
}

/** The answer of the server, or `undefined` where it was killed meanwhile. */
async function tried(site: Site, work: (client: ServeClient) => Promise<Said>): Promise<Said | undefined> {
  await site.up;
  const said = work(site.client).catch(() => undefined);
  site.stirred();
  return said;
}

/** Kills the server at a random moment, and starts it again at its port, with the sessions that it had. */
async function killOften(rig: Rig, site: Site, random: () => number): Promise<void> {
  const { port } = new URL(site.client.base);
  for (let kills = 0; kills < KILLS; kills++) {
    let left = 1 + Math.floor(random() * MOST_BETWEEN);
    await new Promise<void>((resolve) => {
      site.stirred = () => {
        if (--left <= 0) resolve();
      };
    });
    // In the middle of what was sent last.
    for (let asked = Math.floor(random() * 4); asked > 0; asked--)
      await site.client.ask("GET", "/api/v1/health");
    let listens = (): void => undefined;
    site.up = new Promise((resolve) => (listens = resolve));
    await site.client.program.kill("alone");
    const { base, program } = await startUnsigned(rig, ["--port", port]);
    site.client = new ServeClient(base, site.client.key, program);
    listens();
  }
  site.over = true;
}

interface Written {
  /** Titles of acknowledged tasks by their ids. */
  added: Map<string, string>;
  /** Of each edited task: the values that it may have now. */
  details: Map<string, string[]>;
  answered: Set<string>;
  runs: Set<string>;
}

async function writeOn(site: Site, asked: readonly string[], random: () => number): Promise<Written> {
  const written: Written = { added: new Map(), details: new Map(), answered: new Set(), runs: new Set() };
  const questions = [...asked];
  for (let n = 0; !site.over; n++) {
    const ids = [...written.added.keys()];
    const edited = ids[Math.floor(random() * ids.length)];
    if (n % 3 === 0 || edited === undefined) {
      const said = await tried(site, (one) =>
        one.ask("POST", "/api/v1/tasks", { title: `Added ${n}`, details: "none", tags: ["new"] }),
      );
      if (said?.status === 201) written.added.set(String(at(said, "changed", 0, "id")), `Added ${n}`);
    } else if (n % 3 === 1) {
      const details = `Edited ${n}`;
      const said = await tried(site, (one) => one.ask("PATCH", `/api/v1/tasks/${edited}`, { details }));
      const before = written.details.get(edited) ?? ["none"];
      if (said === undefined) written.details.set(edited, [...before, details]);
      else if (said.status === 200) written.details.set(edited, [details]);
    } else if (random() < 0.3 && questions[0] !== undefined) {
      const [task] = questions;
      const shown = await tried(site, (one) => one.ask("GET", `/api/v1/questions/${task}`));
      if (shown === undefined) continue;
      const digest = at(shown, "questions", 0, "shows", "sha256");
      const answer = { outcome: "approve", shown_sha256: digest };
      const said = await tried(site, (one) => one.ask("POST", `/api/v1/questions/${task}/answer`, answer));
      // One that was cut off may have counted: then the question is gone.
      if (said?.status === 200 || shown.status !== 200) written.answered.add(String(questions.shift()));
    } else {
      const said = await tried(site, (one) => one.ask("POST", "/api/v1/runs", {}));
      if (said?.status === 201) written.runs.add(String(at(said, "run")));
    }
  }
  return written;
}

/** The numbers of a run's events as a client sees them that connects again after its last one, until the end. */
async function follow(site: Site, run: string): Promise<number[]> {
  const seen: number[] = [];
  for (;;) {
    await site.up;
    try {
      const where = `${site.client.base}/api/v1/runs/${run}/events`;
      const headers = {
        authorization: `Bearer ${site.client.key}`,
        "last-event-id": `${run}:${seen.at(-1) ?? 0}`,
      };
      const response = await fetch(where, { headers });
      let rest = "";
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames) {
          const id = new RegExp(`^id: ${run}:(\\d+)$`, "m").exec(frame)?.[1];
          if (id !== undefined) seen.push(Number(id));
          if (frame.startsWith("event: end")) return seen;
        }
      }
    } catch {
      // The server was killed: the next one is asked for the rest.
    }
  }
}

exhaustively(
  "a server that is killed 20 times loses no acknowledged change, and its runs and their followers continue",
  story(async (rig) => {
    const random = seeded(SEED);
    const puppet = await rig.agent({}, { loop: { review: false } });
    const play = playStages();
    puppet.play(async (turn) => {
      for (let n = 0; n < 20; n++) await turn.say(`line ${n}`);
      if (stageOf(turn) !== "") return play(turn);
      if (turn.task !== "") await turn.write(`made-${turn.task}.txt`, "made\n");
      return turn.report();
    });
    const asked = ["T1", "T2", "T3", "T4"];
    rig.writeBacklog(asked.map((id) => ({ id, workflow: "plan-approve-execute" })));
    rig.gitInit();
    expect((await rig.run(["run", "--trust"])).code).not.toBe(2);
    const site = siteOf(await startServer(rig));
    const followed = new Map<string, Promise<number[]>>();
    const writing = writeOn(site, asked, random);
    const watching = (async () => {
      while (!site.over) {
        await site.up;
        const said = await site.client.ask("GET", "/api/v1/status").catch(() => undefined);
        const run = at(said ?? { status: 0, body: {} }, "run", "run");
        if (typeof run === "string" && !followed.has(run)) followed.set(run, follow(site, run));
      }
    })();
    await killOften(rig, site, random);
    const written = await writing;
    await watching;

    for (const [run, seen] of followed)
      expect(await seen, run).toEqual(rig.events(run).map(({ seq }) => seq));
    const { tasks } = rig.readBacklog();
    const rows = new Map(tasks.map((task) => [String(task.id), task]));
    for (const [id, title] of written.added) expect(rows.get(id), id).toMatchObject({ title, tags: ["new"] });
    for (const [id, values] of written.details) expect(values, id).toContain(rows.get(id)?.details);
    const titles = tasks.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const run of written.runs) expect(rig.runs()).toContain(run);
    expect((await rig.run(["validate"])).code).toBe(0);
    // The locks of dead servers are taken over, and what was answered is carried out.
    expect((await rig.run(["add", "One more"])).code).toBe(0);
    expect((await rig.run(["run", "--trust"])).code).not.toBe(2);
    for (const id of written.answered) expect(rig.statuses()[id], id).toBe("done");
    await site.client.stop();
    process.stdout.write(
      `${KILLS} kills: ${written.added.size} tasks added, ${written.details.size} of them edited, ` +
        `${written.answered.size} answers, ${written.runs.size} runs started, ${followed.size} followed\n`,
    );
  }),
);

/** Events for clients that ask for `stream=all`. */
const ONLY_IF_ASKED = new Set(["delta", "message", "retry", "waiting", "delivered", "attached"]);

exhaustively(
  "a client of the WebSocket sees each event once, in order, over kills of the server",
  story(async (rig) => {
    const random = seeded(SEED);
    const calls = Array.from({ length: 8 }, (_, n) =>
      call("bash_execute", { command: `sleep 0.2; echo ${n}` }),
    );
    playScript(rig, { turns: [...calls, { say: "Done." }] });
    const site = siteOf(await startServer(rig));
    const killing = killOften(rig, site, random);
    const seen: number[] = [];
    let sessionId: string | undefined;
    while (!site.over) {
      await site.up;
      const { send, code, until } = connect(site.client);
      const next = () => Promise.race([code, until(() => true)]);
      /** Hears events up to one that fits; says whether the server is still there. */
      const hear = async (fits: (one: Sent) => boolean): Promise<boolean> => {
        for (;;) {
          const heard = await next();
          if (typeof heard === "number") return false;
          const [one] = heard;
          const { seq, data } = (one ?? {}) as { seq?: number; data?: { sessionId?: string } };
          sessionId ??= data?.sessionId;
          if (seq !== undefined) seen.push(seq);
          site.stirred();
          if (one !== undefined && fits(one)) return true;
        }
      };
      let isThere = true;
      if (sessionId !== undefined) {
        await Promise.race([code, send({ type: "hello", sessionId, sinceSeq: seen.at(-1) ?? 0 })]);
        let current = 0;
        isThere = await hear(({ type, currentSeq }) => {
          if (type === "hello_ack") current = Number(currentSeq);
          return type === "initial_sync";
        });
        isThere &&= current === seen.at(-1) || (await hear(({ seq }) => seq === current));
      }
      while (isThere && !isOver(site)) {
        await Promise.race([code, send({ type: "request", message: "Work", ...given({ sessionId }) })]);
        isThere = await hear(({ type }) => ["answer", "clarify", "error"].includes(type));
      }
    }
    await killing;
    const file = path.join(rig.project, ".looper", "sessions", String(sessionId), "events.jsonl");
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => /^\{"seq":.*\}$/.test(line));
    const events = lines.map((line) => JSON.parse(line) as { seq: number; type: string });
    const told = events.filter(({ type }) => !ONLY_IF_ASKED.has(type)).map(({ seq }) => seq);
    expect(seen).toEqual(told.slice(0, seen.length));
    expect(seen.length).toBeGreaterThan(KILLS);
    await site.client.stop();
  }),
);
