// The requests of the built-in engine: each request repeats the one before up to its last messages, and only tools that the project
// makes use of are offered. chapo-wire.story.test.ts has the formats.
import { writeFileSync } from "node:fs";
import { z } from "zod";
import { expect, test } from "vitest";
import { serve } from "../model-server/chapo-rig.js";
import type { ModelServer } from "../model-server/model-server.js";
import { call, playScript } from "../rig/chapo.js";
import { story, type Rig } from "../rig/rig.js";

const KEYS = { ANTHROPIC_API_KEY: "key-of-anthropic-1" };

const Body = z.looseObject({
  messages: z.array(z.unknown()),
  system: z.unknown(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
});

/** The requests of the conversation itself, with the marks of the cache removed: their place moves. */
function requestsOf(server: ModelServer): z.infer<typeof Body>[] {
  const own = server.seen.filter(({ who }) => who === "looper");
  return own.map(({ body }) => {
    const text = JSON.stringify(body).replaceAll(/,"cache_control":\{"type":"ephemeral"\}/g, "");
    return Body.parse(JSON.parse(text));
  });
}

function useServer(rig: Rig, server: ModelServer): void {
  const chapo = { base_url: `${server.origin}/v1`, mode: "trusted", self_validation_enabled: false };
  rig.settings({ agents: { chapo: { model: "anthropic/claude-sonnet-4-5", chapo } } });
}

test(
  "each request repeats the one before, also in the next message and after a resume, while the project changes",
  story(async (rig) => {
    const write = (name: string) => call("fs_writeFile", { path: name, content: "x\n" });
    const turns = [
      ...[write("new.txt"), call("bash_execute", { command: "git init -q . ; git checkout -q -b other" })],
      ...[call("memory_remember", { content: "The port is 4711." }), write("package.txt"), { say: "Done." }],
      ...[write("more.txt"), { say: "Done again." }],
    ];
    const server = await serve({ script: { turns } });
    useServer(rig, server);
    expect(await rig.run(["chapo", "--json", "Work."], { env: KEYS })).toMatchObject({ code: 0 });
    expect(await rig.run(["chapo", "--json", "--session", "last", "More."], { env: KEYS })).toMatchObject({
      code: 0,
    });
    const requests = requestsOf(server);
    expect(requests).toHaveLength(7);
    for (const [at, { system, tools, messages }] of requests.slice(1).entries()) {
      const before = requests[at];
      expect(JSON.stringify(system)).toBe(JSON.stringify(before?.system));
      expect(JSON.stringify(tools)).toBe(JSON.stringify(before?.tools));
      const earlier = before?.messages ?? [];
      expect(JSON.stringify(messages.slice(0, earlier.length))).toBe(JSON.stringify(earlier));
      expect(messages.length).toBeGreaterThan(earlier.length);
    }
    // Anthropic caches up to a mark: after the tools, the system prompt and the last message.
    for (const { body } of server.seen)
      expect(JSON.stringify(body).match(/"cache_control"/g)?.length).toBeGreaterThanOrEqual(2);
  }),
);

test(
  "a tool is offered where the project or the settings make use of it, and can be called anyway",
  story(async (rig) => {
    const server = await serve({
      script: { turns: [call("pm2_status", {}), { say: "Hello.", times: 3 }] },
    });
    useServer(rig, server);
    rig.write(".git/HEAD", "ref: refs/heads/main\n");
    const offered = () => (requestsOf(server).at(-1)?.tools ?? []).map(({ name }) => name);
    await rig.run(["chapo", "--json", "Hello"], { env: KEYS });
    const few = offered();
    for (const name of ["fs_readFile", "fs_edit", "bash_execute", "web_fetch", "agent_task"])
      expect(few).toContain(name);
    const unused =
      /^(?:ssh|logs|pm2|git|github|npm|context|notebook)_|^web_search$|^slash_command$|^run_command$/;
    expect(few.filter((name) => unused.test(name))).toEqual([]);
    expect(JSON.stringify(server.seen[1]?.body)).not.toContain("not whitelisted");
    expect(JSON.stringify(requestsOf(server)[0]?.tools)).not.toContain('"agent":');
    rig.write("package.json", "{}");
    rig.write(".git/config", '[remote "origin"]\n');
    rig.write("ecosystem.config.js", "");
    rig.write("docs/deep/a.ipynb", "{}");
    rig.write("context/documents/a.md", "A.");
    rig.write(".github/workflows/ci.yml", "on: push");
    rig.write(".looper/commands/review.md", "Review it.");
    await rig.run(["chapo", "--json", "Hello"], { env: KEYS });
    for (const name of [
      "npm_run",
      "pm2_status",
      "notebook_edit",
      "context_readDocument",
      "github_triggerWorkflow",
      "git_push",
      "slash_command",
    ])
      expect(offered()).toContain(name);
    // Where the shell asks about each look, git has tools that do not.
    await rig.run(["chapo", "--json", "--mode", "default", "Hello"], { env: KEYS });
    expect(offered()).toContain("git_status");
  }),
);

test(
  "tokens that are read from the cache and written to it have prices of their own",
  story(async (rig) => {
    const prices = `${rig.root}/prices.json`;
    writeFileSync(
      prices,
      JSON.stringify({ script: { input: 1, output: 10, cached_input: 0.1, cache_write: 1.25 } }),
    );
    const usage = { input: 1_000_000, output: 100_000, cached: 2_000_000, cache_write: 400_000 };
    playScript(
      rig,
      { turns: [{ say: "Hello.", usage }] },
      { prices_file: prices, self_validation_enabled: false },
    );
    const { stdout } = await rig.run(["chapo", "--json", "Hello"]);
    expect(stdout).toContain('"cost_usd":2.7}');
  }),
);
