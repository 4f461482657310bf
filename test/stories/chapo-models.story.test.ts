// The cost of a model, streaming, fallback models, and the commands that load the code for providers.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { dataOf, eventsOf } from "../rig/chapo.js";
import type { ChapoPlay } from "../model-server/chapo-play.js";
import { ModelServer } from "../model-server/model-server.js";
import { story, type Rig } from "../rig/rig.js";

const FORMATS = {
  anthropic: ["anthropic/claude-x", "/v1"],
  responses: ["openai/gpt-x", "/v1"],
  chat: ["openai-compatible/local/x", "/v1"],
} as const;
type Format = keyof typeof FORMATS;

const env = { ANTHROPIC_API_KEY: "key-a", OPENAI_API_KEY: "key-o", GEMINI_API_KEY: "key-g" };

/** `script`, played by a server for as long as `use` takes. */
async function served(
  script: ChapoPlay["script"],
  use: (server: ModelServer) => Promise<void>,
): Promise<void> {
  const server = await ModelServer.start({ sessions: [] });
  server.playChapo({ script });
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

function ask(rig: Rig, server: ModelServer, format: Format, chapo: Record<string, unknown> = {}): void {
  const [model, base] = FORMATS[format];
  rig.settings({ agents: { chapo: { model, chapo: { base_url: server.origin + base, ...chapo } } } });
}

test(
  "429 twice, then an answer: two waits are told; what it used has its price",
  story(async (rig) => {
    const turns = [
      { fail: ["rate-limited", "rate-limited"] as const, say: "At last.", usage: { input: 10, output: 2 } },
    ];
    const script = { turns: turns.map(({ fail, ...rest }) => ({ ...rest, fail: [...fail] })) };
    const prices = path.join(rig.root, "prices.json");
    writeFileSync(prices, JSON.stringify({ "claude-x": { input: 1_000_000, output: 2_000_000 } }));
    await served(script, async (server) => {
      ask(rig, server, "anthropic", { prices_file: prices, self_validation_enabled: false });
      const ran = await rig.run(["chapo", "--json", "Hello"], { env });
      expect(ran.code).toBe(0);
      const events = eventsOf(ran);
      expect(dataOf(events, "waiting")).toHaveLength(2);
      expect(dataOf(events, "answer").map(({ answer }) => answer)).toEqual(["At last."]);
      expect(dataOf(events, "usage").map(({ cost_usd }) => cost_usd)).toEqual([14]);
    });
  }),
);

test(
  "a provider that fails for good is an error and exit 3; the fallback answers instead where there is one",
  story(async (rig) => {
    await served({ turns: [{ say: "I stand in.", times: 9 }] }, async (server) => {
      const down = { fault: "refused", problem: "overloaded", retryAfterSeconds: 0 } as const;
      const quick = { max_tool_retries: 1, self_validation_enabled: false };
      ask(rig, server, "anthropic", quick);
      server.failNext(down, down);
      const dead = await rig.run(["chapo", "--json", "Hello"], { env });
      expect(dead.code).toBe(3);
      const last = eventsOf(dead).at(-1);
      expect(last).toMatchObject({ type: "error" });
      expect(dataOf(eventsOf(dead), "answer")).toEqual([]);
      expect(dead.stdout).not.toContain("key-a");

      ask(rig, server, "anthropic", { ...quick, fallback: ["anthropic/claude-y"] });
      server.failNext(down, down);
      const saved = await rig.run(["chapo", "--json", "Hello"], { env });
      expect(saved.code).toBe(0);
      expect(dataOf(eventsOf(saved), "answer").map(({ answer }) => answer)).toEqual(["I stand in."]);
      expect(dataOf(eventsOf(saved), "usage").map(({ model }) => model)).toEqual(["anthropic/claude-y"]);
    });
  }),
);

test(
  "text is told piece by piece where it is streamed, and in one where not; a model without a price has no cost",
  story(async (rig) => {
    for (const stream of [true, false])
      await served({ turns: [{ say: "A longer answer, in pieces." }] }, async (server) => {
        ask(rig, server, "responses", { stream, self_validation_enabled: false });
        const events = eventsOf(await rig.run(["chapo", "--json", "Hello"], { env }));
        const pieces = dataOf(events, "delta").map(({ text }) => text);
        expect(pieces.join("")).toBe(stream ? "A longer answer, in pieces." : "");
        expect(pieces.length > 1).toBe(stream);
        expect(dataOf(events, "usage").map(({ cost_usd }) => cost_usd)).toEqual([undefined]);
        expect(dataOf(events, "answer").map(({ answer }) => answer)).toEqual(["A longer answer, in pieces."]);
        expect(server.seen[0]?.stream).toBe(stream);
      });
  }),
);
