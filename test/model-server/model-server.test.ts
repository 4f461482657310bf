// The model server over real HTTP, in every protocol it speaks.
import { afterEach, expect, test } from "vitest";
import { dataOf, ENDS, REQUESTS, type Question } from "./client.js";
import type { DialectName } from "./dialect.js";
import { ModelServer } from "./model-server.js";
import type { Fault, Problem, Scenario, Step } from "./scenario.js";

const PROTOCOLS: DialectName[] = ["anthropic", "responses", "chat", "gemini"];
const BASH = { name: "bash", takes: ["command", "description"] };

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(...steps: Step[]): Promise<ModelServer> {
  return serveAll({ sessions: [steps] });
}

async function serveAll(scenario: Scenario): Promise<ModelServer> {
  const server = await ModelServer.start(scenario);
  open.push(server);
  return server;
}

function ask(
  server: ModelServer,
  protocol: DialectName,
  question: Partial<Question> = {},
  signal?: AbortSignal,
): Promise<Response> {
  const { path, body } = REQUESTS[protocol]({ tool: BASH, stream: true, ...question });
  return fetch(server.origin + path, {
    method: "POST",
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function textOf(response: Promise<Response>): Promise<string> {
  return (await response).text();
}

const answers = (server: ModelServer) => server.seen.map(({ answered }) => answered);

test.each(PROTOCOLS)(
  "%s: a step becomes a call of the offered tool, then text, streamed and whole",
  async (protocol) => {
    const steps: Step[] = [
      { do: "shell", command: "echo 'a b' > a.txt" },
      { do: "say", text: "Three\nlines, and ünïcödé\n." },
      { do: "structured", value: { task_id: "T1", status: "done" } },
    ];
    const [streaming, whole] = [await serve(...steps), await serve(...steps)];
    for (const [index] of steps.entries()) {
      const going = index > 0;
      const events = dataOf(await textOf(ask(streaming, protocol, { going })));
      const frames = events.filter((data) => data !== "[DONE]").map((data) => JSON.parse(data) as unknown);
      const body = JSON.parse(await textOf(ask(whole, protocol, { stream: false, going }))) as unknown;
      await expect(`${JSON.stringify({ frames, body }, undefined, 2)}\n`).toMatchFileSnapshot(
        `testdata/${protocol}-${String(index + 1)}.json`,
      );
    }
    expect(answers(streaming)).toEqual(["shell", "say", "structured"]);
    expect(streaming.seen[0]).toMatchObject({
      dialect: protocol,
      model: "model-a",
      stream: true,
      tools: ["bash"],
      last: "Please begin.",
    });
    expect(whole.seen[0]).toMatchObject({ stream: false });
  },
);

test.each(PROTOCOLS)("%s: what is answered in whole says the same as the stream", async (protocol) => {
  const server = await serve({ do: "say", text: "the same text either way" }, { do: "say", text: "over" });
  const stream = await textOf(ask(server, protocol));
  expect(stream).toMatch(ENDS[protocol]);
  expect(stream).not.toContain("the same text either way".repeat(2));
  const again = await serve({ do: "say", text: "the same text either way" });
  expect(await textOf(ask(again, protocol, { stream: false }))).toContain("the same text either way");
});

test.each(PROTOCOLS)(
  "%s: requests without tools get the side answer and advance nothing",
  async (protocol) => {
    const server = await serveAll({ sessions: [[{ do: "say", text: "first" }]], side: "A short title" });
    const { tool: _, ...bare } = { tool: undefined, stream: false };
    const { path, body } = REQUESTS[protocol](bare);
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await fetch(server.origin + path, { method: "POST", body: JSON.stringify(body) });
      expect(await answer.text()).toContain("A short title");
    }
    expect(await textOf(ask(server, protocol, { stream: false }))).toContain("first");
    expect(answers(server)).toEqual(["side", "side", "say"]);
  },
);

const PROBLEMS: Readonly<Record<Exclude<Problem, "credit">, readonly [status: number, words: RegExp]>> = {
  "bad-request": [400, /invalid_request_error|INVALID_ARGUMENT/],
  unauthorized: [401, /invalid x-api-key|invalid_api_key|UNAUTHENTICATED/],
  "model-unknown": [404, /not_found/i],
  "context-full": [400, /prompt is too long|context_length_exceeded|exceeds the maximum number of tokens/],
  "rate-limit": [429, /rate_limit|RESOURCE_EXHAUSTED/],
  quota: [429, /usage.limit|quota/],
  server: [500, /server|api_error|INTERNAL/],
  overloaded: [529, /overloaded/i],
};

test.each(PROTOCOLS)(
  "%s: every problem in the protocol's own words, with what it says of when",
  async (protocol) => {
    for (const [problem, [status, words]] of Object.entries(PROBLEMS) as [
      keyof typeof PROBLEMS,
      [number, RegExp],
    ][]) {
      const how: Fault = { fault: "refused", problem, retryAfterSeconds: 7, resetsAtSeconds: 1_900_000_000 };
      const server = await serve({ do: "fail", how });
      const refused = await ask(server, protocol);
      expect(refused.status).toBe(protocol === "gemini" && problem === "overloaded" ? 503 : status);
      const text = await refused.text();
      expect(text).toMatch(words);
      const all = `${JSON.stringify([...refused.headers])}${text}`;
      expect(all).toMatch(protocol === "gemini" ? /"retryDelay":"7s"/ : /\["retry-after","7"\]/);
      expect(all).toMatch(/1900000000|2030-03-17T17:46:40/);
      expect(answers(server)).toEqual([problem]);
    }
  },
);

test("no time is told where none is given", async () => {
  const server = await serve({ do: "fail", how: { fault: "refused", problem: "rate-limit" }, times: 3 });
  for (const protocol of PROTOCOLS) {
    const refused = await ask(server, protocol);
    expect(`${JSON.stringify([...refused.headers])}${await refused.text()}`).not.toMatch(
      /retry-after|retryDelay|resets_at|-reset/i,
    );
  }
});

test.each(PROTOCOLS)(
  "%s: a stream that ends, or tells of an overload, in the middle has no end",
  async (protocol) => {
    const server = await serve(
      { do: "fail", how: { fault: "mid-stream", how: "ends", text: "abcdefghi" } },
      { do: "fail", how: { fault: "mid-stream", how: "overloaded", text: "abcdefghi" } },
    );
    const cut = await textOf(ask(server, protocol));
    expect(dataOf(cut).length).toBeGreaterThan(0);
    expect(cut).not.toMatch(ENDS[protocol]);
    const busy = await textOf(ask(server, protocol));
    expect(busy).not.toMatch(ENDS[protocol]);
    expect(dataOf(busy).at(-1)).toMatch(/overloaded/i);
  },
);

test.each(PROTOCOLS)(
  "%s: a malformed stream has one frame that is not JSON, and all the others",
  async (protocol) => {
    const text = "abcdefghi";
    const server = await serve(
      { do: "fail", how: { fault: "mid-stream", how: "malformed", text } },
      { do: "say", text },
    );
    const broken = dataOf(await textOf(ask(server, protocol)));
    const whole = dataOf(await textOf(ask(server, protocol)));
    expect(broken).toHaveLength(whole.length);
    const unreadable = broken.filter((data) => {
      try {
        JSON.parse(data);
        return false;
      } catch {
        return data !== "[DONE]";
      }
    });
    expect(unreadable).toHaveLength(1);
  },
);

test.each(PROTOCOLS)("%s: a connection that is lost, streamed or not", async (protocol) => {
  const server = await serve({
    do: "fail",
    how: { fault: "mid-stream", how: "disconnects" },
    times: "always",
  });
  for (const stream of [true, false]) {
    const response = await ask(server, protocol, { stream });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  }
});

test.each(PROTOCOLS)("%s: what never comes: the rest of a stream, or any answer at all", async (protocol) => {
  const server = await serve(
    { do: "fail", how: { fault: "mid-stream", how: "stalls" } },
    { do: "fail", how: { fault: "no-headers" } },
  );
  const stalled = await ask(server, protocol);
  const reader = stalled.body?.getReader();
  expect(await reader?.read()).toMatchObject({ done: false });
  const rest = reader?.read();
  const seen = server.next(({ answered }) => answered === "no-headers");
  const silent = ask(server, protocol);
  expect(await seen).toMatchObject({ dialect: protocol });
  await server.close();
  await expect(silent).rejects.toThrow();
  await expect(rest).rejects.toThrow();
  open.length = 0;
});

test("a page where an answer should be", async () => {
  const server = await serve({ do: "fail", how: { fault: "html" } });
  const page = await ask(server, "chat");
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html"]);
  expect(await page.text()).toContain("<h1>");
});

test("a fault is over after its times, and the next request continues the same conversation", async () => {
  const server = await serve(
    { do: "fail", how: { fault: "refused", problem: "server" }, times: 2 },
    { do: "say", text: "well" },
  );
  for (const status of [500, 500, 200]) expect((await ask(server, "anthropic")).status).toBe(status);
  expect(answers(server)).toEqual(["server", "server", "say"]);
});

test("each conversation has its script, the last stands for all that follow; at its end there is nothing left to do", async () => {
  const server = await serveAll({
    sessions: [
      [
        { do: "say", text: "one" },
        { do: "say", text: "more of one" },
      ],
      [{ do: "say", text: "two" }],
    ],
  });
  const turn = (going: boolean) => textOf(ask(server, "chat", { stream: false, going }));
  expect(await turn(false)).toContain("one");
  expect(await turn(true)).toContain("more of one");
  expect(await turn(true)).toContain("nothing left to do");
  for (let session = 0; session < 3; session += 1) expect(await turn(false)).toContain("two");
  server.play({ sessions: [[{ do: "say", text: "anew" }]] });
  expect(await turn(false)).toContain("anew");
});

test("a request that it cannot answer is refused, and the reason is remembered", async () => {
  const server = await serve({ do: "shell", command: "ls" });
  const post = (path: string, body: string) => fetch(server.origin + path, { method: "POST", body });
  expect((await post("/v1/messages", "{")).status).toBe(400);
  expect((await post("/v1/messages", '{"model":1}')).status).toBe(400);
  expect((await post("/v1/elsewhere", "{}")).status).toBe(404);
  expect((await fetch(server.origin)).status).toBe(404);
  const useless = await ask(server, "gemini", { tool: { name: "paint", takes: [] } });
  expect([useless.status, await useless.text()]).toEqual([
    400,
    expect.stringMatching(/no tool for .{0,3}shell.{0,3} among: paint/),
  ]);
  expect((await ask(server, "gemini")).status).toBe(200);
  expect(answers(server)).toEqual([
    expect.stringMatching(/^not understood: SyntaxError/),
    expect.stringMatching(/^not understood: .*model/),
    "not for models",
    "not for models",
    expect.stringMatching(/no tool for/),
    "shell",
  ]);
});

test("its memory of requests is bounded, its counts are not", async () => {
  const server = await serve({ do: "say", text: "yes" });
  const body = JSON.stringify({
    model: "m",
    messages: [{ role: "user", content: `${"long ".repeat(2000)}the end` }],
  });
  for (let turn = 0; turn < 510; turn += 1) {
    await textOf(fetch(`${server.origin}/v1/messages`, { method: "POST", body }));
  }
  expect([server.count, server.seen.length]).toEqual([510, 500]);
  expect(server.seen[0]?.last).toHaveLength(2000);
  expect(server.seen[0]?.last).toMatch(/the end$/);
});
