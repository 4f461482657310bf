// looper serve: what a person waits for on the page, an event's way to its readers, and what a page that is left open costs.
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { homeIn, LOOPER, median, round, scratch } from "./measure.mjs";

const TASKS = 10_000;
const EVENTS = 200;
const CLIENTS = 100;
const LOADS = 7;
const IDLE_MS = 10_000;
const RUN = "2026-01-31_08-30-00";
const PAGE = path.join(path.dirname(LOOPER), "page");

/** In the browser: marks the first row of the backlog. */
const MARK = `new MutationObserver((_, observer) => {
  if (document.querySelector(".row") === null) return;
  observer.disconnect();
  performance.mark("rows");
}).observe(document, { childList: true, subtree: true });`;
const TIMES = `["first-contentful-paint", "rows"].map((name) => performance.getEntriesByName(name)[0]?.startTime ?? 0)`;

/** @typedef {import("./measure.mjs").Row} Row */

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A project of many tasks with the log of a run, and its server. */
async function startServer() {
  const root = scratch("serve");
  const cwd = path.join(root, "project");
  const log = path.join(cwd, "looper-logs", "runs", RUN, "events.jsonl");
  mkdirSync(path.dirname(log), { recursive: true });
  const tasks = Array.from({ length: TASKS }, (_, n) => ({
    id: `T${n + 1}`,
    title: `Task ${n + 1}: what it is about in a line of usual length`,
    priority: (n % 5) + 1,
    status: n % 3 === 0 ? "done" : "todo",
  }));
  const todo = path.join(cwd, "to-do.json");
  writeFileSync(todo, JSON.stringify({ tasks }));
  const begun = {
    type: "run_started",
    run: RUN,
    version: "0.0.0",
    project: cwd,
    todo_file: todo,
    rules: {},
    agents: [],
  };
  writeFileSync(log, `${JSON.stringify({ seq: 1, timestamp: "2026-01-31T08:30:00.000Z", ...begun })}\n`);
  const env = { PATH: process.env["PATH"] ?? "", HOME: homeIn(root) };
  const server = spawn(process.execPath, [LOOPER, "serve", "--port", "0"], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  /** @type {string} */
  const link = await new Promise((resolve) => {
    server.stdout.on("data", (/** @type {Buffer} */ chunk) => {
      const found = /http:\S+/.exec(chunk.toString())?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  return { server, link, log };
}

/**
 * Appends events to a log, one after the other, and waits until every reader has it.
 * @param {{ base: string, key: string, log: string, clients: number, from: number }} order
 */
async function latencies({ base, key, log, clients, from }) {
  /** @type {Map<number, number>} */
  const written = new Map();
  /** @type {number[]} */
  const taken = [];
  const gone = new AbortController();
  const readers = Array.from({ length: clients }, async () => {
    const response = await fetch(`${base}/api/v1/runs/${RUN}/events?after=${from - 1}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: gone.signal,
    });
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (response.body)) {
      const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const began = written.get(Number(/^id: .*:(\d+)$/m.exec(frame)?.[1]));
        if (began !== undefined) taken.push(performance.now() - began);
      }
    }
  });
  await pause(1000);
  for (let n = 0; n < EVENTS; n++) {
    const seq = from + n;
    written.set(seq, performance.now());
    appendFileSync(
      log,
      `{"seq":${seq},"timestamp":"2026-01-31T08:30:00.000Z","type":"warning","message":"event ${seq}"}\n`,
    );
    await pause(17);
  }
  while (taken.length < EVENTS * clients) await pause(20);
  gone.abort();
  await Promise.allSettled(readers);
  return taken.toSorted((a, b) => a - b);
}

/** Loads the backlog anew so many times; milliseconds to the first paint, and to its first row. @param {import("playwright-core").Page} page @param {string} base */
async function loads(page, base) {
  await page.addInitScript({ content: MARK });
  const paints = [];
  const rows = [];
  for (let n = 0; n <= LOADS; n++) {
    await page.goto(`${base}/tasks`);
    await page.locator(".row").first().waitFor();
    /** @type {[number, number]} */
    const [paint, row] = await page.evaluate(TIMES);
    if (n > 0) {
      paints.push(paint);
      rows.push(row);
    }
  }
  return { paint: median(paints), row: median(rows) };
}

/** Seconds of processor time that a process has used. @param {number} pid */
function secondsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The bytes of the page's first view, compressed: its start, and all that it imports at once. */
function firstLoad() {
  const seen = new Set(["index.html", "page.css"]);
  const take = (/** @type {string} */ name) => {
    if (seen.has(name)) return;
    seen.add(name);
    const text = readFileSync(path.join(PAGE, name), "utf8");
    for (const [, found] of text.matchAll(/(?:from|import)"\.\/([\w.-]+)"/g)) take(found ?? "");
  };
  take("main.js");
  return [...seen].reduce((sum, name) => sum + gzipSync(readFileSync(path.join(PAGE, name))).length, 0);
}

/** @param {string} what @param {string} goal @param {string} measured @param {{ figures?: string, holds: boolean }} more @returns {Row} */
const row = (what, goal, measured, { figures = "", holds }) => ({
  what,
  against: "",
  goal,
  measured,
  figures,
  holds,
});

export async function rows() {
  const { server, link, log } = await startServer();
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const base = new URL(link).origin;
    const page = await browser.newPage();
    await page.goto(link);
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    const key = String(await page.evaluate("localStorage.getItem('looper.session')"));
    const { paint, row: first } = await loads(page, base);
    await pause(2000);
    const before = secondsOf(server.pid ?? 0);
    await pause(IDLE_MS);
    const idle = ((secondsOf(server.pid ?? 0) - before) / (IDLE_MS / 1000)) * 100;
    const one = await latencies({ base, key, log, clients: 1, from: 2 });
    const many = await latencies({ base, key, log, clients: CLIENTS, from: 2 + EVENTS });
    const p50 = median(one);
    const p99 = many[Math.floor(many.length * 0.99)] ?? 0;
    const gz = firstLoad() / 1000;
    const size =
      readdirSync(PAGE).reduce((sum, name) => sum + readFileSync(path.join(PAGE, name)).length, 0) / 1000;
    const of = `${TASKS.toLocaleString("en")} tasks, median of ${LOADS} loads`;
    return [
      row("the page: first paint", "≤ 150 ms", `${round(paint)} ms`, { figures: of, holds: paint <= 150 }),
      row("the page: the first rows are true", "≤ 250 ms", `${round(first)} ms`, {
        figures: of,
        holds: first <= 250,
      }),
      row("the page: first load, compressed", "≤ 30 kB", `${round(gz)} kB`, {
        figures: `all of it, not compressed: ${round(size)} kB`,
        holds: gz <= 30,
      }),
      row("an event, written → seen", "p50 ≤ 50 ms", `${round(p50)} ms`, {
        figures: `one reader, ${EVENTS} events`,
        holds: p50 <= 50,
      }),
      row("the same with 100 readers", "p99 ≤ 150 ms", `${round(p99)} ms`, {
        figures: `p50 ${round(median(many))} ms`,
        holds: p99 <= 150,
      }),
      row("a page that is left open", "≤ 0.1 % of a core", `${idle.toFixed(2)} %`, {
        figures: `the server's processor time in ${IDLE_MS / 1000} s`,
        holds: idle <= 0.1,
      }),
    ];
  } finally {
    await browser.close();
    server.kill();
  }
}
