// The requests of the built-in engine over the wire, seen by a server that speaks the four formats. Leaves faults, prices and
// streams to chapo-models.story.test.ts.
import { expect, test } from "vitest";
import type { ChapoScript } from "../../src/chapo/models/scripted.js";
import { exhaustively, sample } from "../rig/exhaustive.js";
import { dataOf, eventsOf } from "../rig/chapo.js";
import { FORMATS, serve } from "../model-server/chapo-rig.js";
import type { ModelServer } from "../model-server/model-server.js";
import { story, type Rig } from "../rig/rig.js";

const KEYS = {
  ANTHROPIC_API_KEY: "key-of-anthropic-1",
  OPENAI_API_KEY: "key-of-openai-1",
  GEMINI_API_KEY: "key-of-google-1",
  LOOPER_CHAPO_API_KEY: "key-of-local-1",
};

/** The same calls in each vocabulary: read, edit, run, answer. */
const WORDS = {
  chapo: [
    { name: "fs_readFile", args: { path: "a.txt" } },
    { name: "fs_edit", args: { path: "a.txt", old_string: "alpha", new_string: "beta" } },
    { name: "bash_execute", args: { command: "cat a.txt" } },
  ],
  claude: [
    { name: "Read", args: { file_path: "a.txt" } },
    { name: "Edit", args: { file_path: "a.txt", old_string: "alpha", new_string: "beta" } },
    { name: "Bash", args: { command: "cat a.txt" } },
  ],
  anvil: [
    { name: "read_file", args: { path: "a.txt" } },
    { name: "str_replace", args: { path: "a.txt", old_string: "alpha", new_string: "beta" } },
    { name: "run_command", args: { command: "cat a.txt" } },
  ],
} as const;

function scriptIn(vocabulary: keyof typeof WORDS): ChapoScript {
  const [first, ...rest] = WORDS[vocabulary];
  return {
    turns: [
      { say: "I look first.", call: { ...first } },
      { call: rest.map((one) => ({ ...one })) },
      { say: "It is done." },
    ],
  };
}

/** Settings of the user for a format of the server. */
function settingsFor(
  rig: Rig,
  server: ModelServer,
  format: string,
  chapo: Record<string, unknown> = {},
): void {
  const [, model = "", base = ""] = FORMATS.find(([name]) => name === format) ?? [];
  const own = { base_url: server.origin + base, mode: "trusted", ...chapo };
  rig.settings({ agents: { chapo: { model, chapo: own } } });
}

/** All that a request held, as text. */
function bodiesOf(server: ModelServer): string[] {
  return server.seen.map(({ body }) => JSON.stringify(body));
}

test.each(
  sample(
    FORMATS.map(([format]) => format),
    1,
  ),
)("%s: the same script in all three vocabularies, with what the model must see on the wire", (format) =>
  story(async (rig) => {
    for (const vocabulary of sample(["anvil", "chapo", "claude"] as const, 1)) {
      rig.write("a.txt", "alpha\n");
      const server = await serve({ script: scriptIn(vocabulary) });
      settingsFor(rig, server, format, { tools: vocabulary, self_validation_enabled: true });
      const effort = vocabulary === "anvil" ? ["--effort", "low"] : [];
      const ran = await rig.run(["chapo", "--json", ...effort, "Make it beta"], { env: KEYS });
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(rig.read("a.txt")).toBe("beta\n");
      const events = eventsOf(ran);
      expect(dataOf(events, "tool_result").map(({ success }) => success)).toEqual([true, true, true]);
      expect(dataOf(events, "answer")).toMatchObject([{ answer: "It is done.", validated: true }]);
      expect(dataOf(events, "delta").length).toBeGreaterThan(1);
      const bodies = bodiesOf(server);
      expect(server.seen.map(({ who }) => who)).toEqual(["looper", "looper", "looper", "validation"]);
      for (const body of bodies.slice(0, 3)) expect(body).toContain("Make it beta");
      expect(bodies[1]).toContain("alpha");
      expect(bodies[2]).toMatch(/beta.*exit_code|exit_code.*beta/);
      expect(bodies[3]).toContain("It is done.");
      expect(bodies.join("\n")).not.toContain('-1"');
      const [session] = dataOf(events, "status").map((status) => status.session);
      const keys = bodies.map((body) => (JSON.parse(body) as Record<string, unknown>)["prompt_cache_key"]);
      expect(new Set(keys)).toEqual(new Set([format === "responses" ? session : undefined]));
      // The validation is not part of the work.
      const asked = /"effort":"low"|"reasoning_effort":"low"|"budget_tokens"|"thinkingLevel":"low"/;
      expect(bodies.map((body) => asked.test(body))).toEqual(
        [true, true, true, false].map((isWork) => isWork && vocabulary === "anvil"),
      );
      if (format === "anthropic") expect(bodies[1]).toContain('"cache_control":{"type":"ephemeral"}');
    }
  })(),
);

exhaustively(
  "the memory, the project's guide and its facts are in the next session's first request; 10 KB are cut with a mark",
  story(async (rig) => {
    rig.write(
      "package.json",
      '{"name":"shop","scripts":{"test":"vitest run"},"dependencies":{"express":"5"}}\n',
    );
    rig.write("AGENTS.md", "Never touch the vault.\n");
    const note = { name: "memory_remember", args: { content: "The port is 4711.", promote: true } };
    const server = await serve({ script: { turns: [{ call: note }, { say: "Noted." }] } });
    settingsFor(rig, server, "anthropic", { self_validation_enabled: false });
    expect((await rig.run(["chapo", "Remember: the port is 4711"], { env: KEYS })).code).toBe(0);

    server.playChapo({ script: { turns: [{ say: "4711." }] } });
    expect((await rig.run(["chapo", "Which port?"], { env: KEYS })).code).toBe(0);
    const [first = ""] = bodiesOf(server);
    for (const text of ["The port is 4711.", "Never touch the vault.", "shop", "vitest run", "Express"])
      expect(first.toLowerCase()).toContain(text.toLowerCase());

    rig.write("MEMORY.md", `# Notes\n\n${"- a fact worth knowing\n".repeat(500)}`);
    server.playChapo({ script: { turns: [{ say: "Many." }] } });
    settingsFor(rig, server, "anthropic", { self_validation_enabled: false, language: "de" });
    expect((await rig.run(["chapo", "Wie viele?"], { env: KEYS })).code).toBe(0);
    const [cut = ""] = bodiesOf(server);
    expect(cut.split("a fact worth knowing").length - 1).toBeLessThan(3000 / 20);
    expect(cut).toMatch(/truncated|left out|cut/);
    expect(cut).toMatch(/Du bist|Deine/);
  }),
);

test(
  "a further sub-agent of the settings is led by the prompt they name; one that is not there is an error",
  story(async (rig) => {
    rig.write("reviewer.md", "You review, and praise nothing.\n");
    const task = { name: "agent_task", args: { agent_type: "reviewer", prompt: "Look at it" } };
    const server = await serve({
      script: { turns: [{ call: task }, { say: "Reviewed." }, { say: "Done." }] },
    });
    const own = (prompt: string) => ({
      self_validation_enabled: false,
      sub_agents: { reviewer: { tools: ["fs_readFile"], prompt } },
    });
    settingsFor(rig, server, "chat", own("reviewer.md"));
    await rig.run(["chapo", "Review it"], { env: KEYS });
    expect(bodiesOf(server)[1]).toContain("You review, and praise nothing.");
    settingsFor(rig, server, "chat", own("nowhere.md"));
    const missing = await rig.run(["chapo", "Review it"], { env: KEYS });
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("nowhere.md");
  }),
);

test.each(
  sample(
    FORMATS.map(([format]) => format),
    1,
  ),
)("%s: an image that a message names reaches the model as an image, after a resume too", (format) =>
  story(async (rig) => {
    const bytes = Buffer.from("\u0089PNG\r\n\u001a\nthe picture", "latin1");
    rig.write("shot.png", bytes);
    const server = await serve({ script: { turns: [{ say: "A cat." }, { say: "Still a cat." }] } });
    settingsFor(rig, server, format, { self_validation_enabled: false });
    for (const line of [["What is in shot.png?"], ["--session", "last", "Sure?"]])
      expect(await rig.run(["chapo", ...line], { env: KEYS })).toMatchObject({ code: 0 });
    const bodies = bodiesOf(server);
    expect(bodies.map((body) => body.split(bytes.toString("base64")).length)).toEqual([2, 2]);
    for (const body of bodies) expect(body).toMatch(/image_url|input_image|"type":"image"|inlineData/);
  })(),
);
