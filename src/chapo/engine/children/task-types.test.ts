import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { createTypes, readTaskTypes } from "./sub-agents.js";

const { files } = nodePorts();

async function project(agents: Readonly<Record<string, string>>) {
  const root = await files.makeTempFolder("looper-types-");
  await files.makeFolder(path.join(root, ".looper/agents"));
  for (const [name, text] of Object.entries(agents))
    await files.writeNew(path.join(root, ".looper/agents", name), text);
  return { files, root };
}

test("each Markdown file is a type, and a file with a problem is reported without affecting the others", async () => {
  const place = await project({
    "reviewer.md":
      "---\nname: reviewer\ndescription: Reviews a change.\ntools: Read, git_*\nmodel: openai/gpt-x\n---\nYou review.\n",
    "writer.md": "You write.\n",
    "bad-name.md": "---\nname: ../x\n---\nhm\n",
    "taken.md": "---\nname: validation\n---\nhm\n",
    "no-yaml.md": "---\na: [\n---\nhm\n",
    "no-end.md": "---\ntools: Read\nYou review.\n",
    "odd-tools.md": "---\ntools: {a: 1}\n---\nhm\n",
    "odd-model.md": "---\nmodel: [a]\n---\nhm\n",
    "empty.md": "---\nname: empty\n---\n",
    "__proto__.md": "hm\n",
    "notes.txt": "not an agent",
  });
  const { found: types, problems } = await readTaskTypes(place);
  await files.removeTree(place.root);
  expect(types).toEqual([
    {
      ...{ name: "reviewer", kind: "own" },
      description: "Reviews a change.",
      tools: ["fs_readFile", "git_*"],
      prompt: "You review.",
      model: "openai/gpt-x",
    },
    {
      ...{ name: "writer", kind: "own" },
      description: "The sub-agent writer of this project.",
      tools: ["*"],
      prompt: "You write.",
    },
  ]);
  expect(problems.map((problem) => problem.replace(/^.*agents\//u, "").split(":")[0])).toEqual([
    "__proto__.md",
    "bad-name.md",
    "empty.md",
    "no-end.md",
    "no-yaml.md",
    "odd-model.md",
    "odd-tools.md",
    "taken.md",
  ]);
});

test("tools have names of any vocabulary, and an unknown tool or model is a warning", async () => {
  const place = await project({
    "x.md": "---\ntools: Read, Bash, str_replace, fs.glob, mcp__git__log, Fly\nmodel: sonnet\n---\nhm\n",
  });
  const { found: types, problems } = await readTaskTypes(place);
  await files.removeTree(place.root);
  expect(types).toMatchObject([
    { tools: ["fs_readFile", "bash_execute", "run_command", "fs_edit", "fs_glob", "mcp_git_log"] },
  ]);
  expect(types[0]).not.toHaveProperty("model");
  expect(problems).toEqual([
    '.looper/agents/x.md: model: unknown model "sonnet"; the session\'s model is used',
    '.looper/agents/x.md: tools: unknown tool "Fly"; it is left out',
  ]);
});

test("the user's own agents are read too, and of two with one name the nearer is used", async () => {
  const place = await project({ "a.md": "Project." });
  const home = await files.makeTempFolder("looper-home-");
  const settings = path.join(home, ".config/looper");
  for (const [file, text] of [
    [path.join(place.root, ".claude/agents/a.md"), "Claude, project."],
    [path.join(place.root, ".claude/agents/b.md"), "---\nname: b\ntools: Read\nmodel: inherit\n---\nB."],
    [path.join(settings, "agents/c.md"), "Mine."],
    [path.join(home, ".claude/agents/b.md"), "Mine too."],
  ] as const) {
    await files.makeFolder(path.dirname(file));
    await files.writeNew(file, text);
  }
  const { found: types, problems } = await readTaskTypes({ ...place, user: { home, settings } });
  await files.removeTree(place.root);
  await files.removeTree(home);
  expect(types.map(({ name, prompt }) => `${name}: ${prompt}`)).toEqual(["a: Project.", "b: B.", "c: Mine."]);
  expect(problems).toEqual([
    ".claude/agents/a.md: the agent a is left out; .looper/agents/a.md is nearer",
    "~/.claude/agents/b.md: the agent b is left out; .claude/agents/b.md is nearer",
  ]);
});

test("a project without files of agents has no types", async () => {
  const root = await files.makeTempFolder("looper-types-");
  expect(await readTaskTypes({ files, root })).toEqual({ found: [], problems: [] });
  await files.removeTree(root);
});

test("settings change a type's model and tools, and a project's type replaces a built-in one", () => {
  const own = { name: "plan", kind: "own", description: "Ours.", tools: ["fs_*"], prompt: "P." } as const;
  const settings = { explore: { model: "a/b", tools: ["fs_glob"] }, ops: { tools: ["bash_*"] } };
  const built = createTypes(settings, (type) => (type === "explore" ? "Explore!" : undefined));
  const types = new Map([...built, own].map((type) => [type.name, type]));
  expect(types.get("explore")).toMatchObject({ model: "a/b", tools: ["fs_glob"], prompt: "Explore!" });
  expect(types.get("plan")).toEqual(own);
  expect(types.get("ops")).toMatchObject({ tools: ["bash_*"] });
  expect([...types.keys()]).toEqual([
    "explore",
    "plan",
    "code",
    "test",
    "developer",
    "searcher",
    "document_manager",
    "commander",
    "ops",
  ]);
});
