// Nights among clients that misbehave at random places, in every way that trying real ones has shown: only the tasks that cannot be
// solved end blocked, nothing of the person's is lost, and no secret is committed.
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { seeded } from "../rig/chance.js";
import { exhaustively } from "../rig/exhaustive.js";
import { story, type Rig } from "../rig/rig.js";

const CLIENT = fileURLToPath(new URL("../fakes/night-client.mjs", import.meta.url));

/** Ways of a start for which the task is not to blame. */
const SPARED = [
  "done, then hangs",
  "a limit, then hangs",
  "a limit in a plain line",
  "a limit with exit code 0",
  "cannot start",
  "is away for a while",
  "removes refs",
  "leaves secrets, packages and a huge file",
  "commits on its own branch, and stays",
  "commits on its own branch, and goes back",
  "throws the person's edits away",
  "edits the backlog",
] as const;

/** Ways that a task's attempt fails by: each task has one of two attempts to spare. */
const COUNTED = ["does nothing", "is killed at work"] as const;

interface Night {
  never: string[];
  ways: Record<string, string[]>;
  /** The start at which the client breaks for good. */
  broken: number;
}

function draw(seed: number, ids: readonly string[], unsolvable: number): Night {
  const chance = seeded(seed);
  const pick = <Item>(all: readonly Item[]) => all[Math.floor(chance() * all.length)] as Item;
  const never = [...ids].sort(() => chance() - 0.5).slice(0, unsolvable);
  const ways = ids.map((id) => {
    const spared = Array.from({ length: Math.floor(chance() * 3) }, () => pick(SPARED));
    const counted = chance() < 0.2 && !never.includes(id) ? [pick(COUNTED)] : [];
    // Where no other task can go first, a client that cannot start counts: L12.
    const drawn = counted.length === 0 ? spared : spared.filter((way) => way !== "cannot start");
    return [id, [...counted, ...drawn].sort(() => chance() - 0.5)] as const;
  });
  const broken = chance() < 0.3 ? 2 + Math.floor(chance() * ids.length) : Number.MAX_SAFE_INTEGER;
  return { never, ways: Object.fromEntries(ways), broken };
}

const KEY = ["sk", "ant", "api03", "Zq8Lm3Xw7Rt2Vb6Nk9Pd4Hs1Jf5Gy0Ua"].join("-");

/** A person's repository with a branch, a tag, an entry of the stash and an uncommitted edit. */
function furnish(rig: Rig): Record<string, string> {
  rig.write("notes.txt", "first\n");
  rig.write("package.json", '{"name": "night", "private": true}\n');
  rig.gitInit();
  rig.git("config", "user.name", "Person");
  rig.git("config", "user.email", "person@example.org");
  rig.git("switch", "-q", "-c", "kept");
  rig.git("commit", "-q", "--allow-empty", "-m", "not pushed");
  rig.git("switch", "-q", "main");
  rig.git("tag", "v1");
  rig.write("notes.txt", "stashed\n");
  rig.git("stash", "-q");
  rig.write("notes.txt", "mine\n");
  return {
    kept: rig.git("rev-parse", "kept"),
    v1: rig.git("rev-parse", "v1"),
    stash: rig.git("rev-parse", "stash@{0}"),
  };
}

async function live(
  rig: Rig,
  { seed, tasks, unsolvable }: { seed: number; tasks: number; unsolvable: number },
) {
  const ids = Array.from({ length: tasks }, (_, index) => `T${index + 1}`);
  const night = draw(seed, ids, unsolvable);
  const clients = ["json", "text"].map((voice) => {
    const file = path.join(rig.root, `bin/${voice}-client`);
    writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${CLIENT}" ${voice} "$@"\n`);
    chmodSync(file, 0o755);
    return file;
  });
  const plan = path.join(rig.root, "plan.json");
  writeFileSync(plan, JSON.stringify({ ...night, client: clients[0], key: KEY }));
  const [json, text] = clients;
  const env = { NIGHT_PLAN: plan };
  rig.settings({
    agents: {
      first: { kind: "codex", binary: json, env },
      second: { kind: "command", binary: text, env, idle_timeout: "20s" },
    },
    schedule: { strategy: "round-robin", agents: ["first", "second"] },
  });
  rig.writeBacklog(ids.map((id) => ({ id, verify: [`grep -qx 'ok ${id}' src/${id}.txt`] })));
  const refs = furnish(rig);
  const { code, stdout, stderr } = await rig.run(["run", "--trust"]);
  const told = `seed ${seed}\n${JSON.stringify(night)}\n${stdout}\n${stderr}`;

  const blocked = Object.entries(rig.statuses()).filter(([, status]) => status === "blocked");
  expect(blocked.map(([id]) => id).sort(), told).toEqual([...night.never].sort());
  expect(
    Object.values(rig.statuses()).filter((status) => status === "done"),
    told,
  ).toHaveLength(tasks - unsolvable);
  expect(code, told).toBe(unsolvable === 0 ? 0 : 1);
  for (const id of ids) {
    const committed = rig.git("ls-tree", "--name-only", "HEAD", `src/${id}.txt`) !== "";
    if (night.never.includes(id)) expect(committed, `${id} ${told}`).toBe(false);
    else expect(rig.git("show", `HEAD:src/${id}.txt`), `${id} ${told}`).toBe(`ok ${id}\n`);
  }
  expect(rig.git("rev-parse", "--abbrev-ref", "HEAD"), told).toBe("main\n");
  expect(rig.git("rev-parse", "kept"), told).toBe(refs["kept"]);
  expect(rig.git("rev-parse", "v1"), told).toBe(refs["v1"]);
  expect(rig.git("rev-parse", "stash@{0}"), told).toBe(refs["stash"]);
  const all = rig.git("log", "--all", "--full-history", "--name-only", "--format=");
  expect(all, told).not.toMatch(/\.env|node_modules|huge\.bin/);
  expect(rig.git("log", "--all", `-S${KEY}`, "--format=%H %D"), told).toBe("");
  const log = rig
    .runs()
    .map((run) => rig.read(`looper-logs/runs/${run}/events.jsonl`))
    .join("");
  expect(log).not.toContain(KEY);
  return { night, told, log };
}

test(
  "a night among clients that misbehave: only what cannot be solved is blocked, and nothing is lost",
  story(async (rig) => {
    await live(rig, { seed: 9, tasks: 5, unsolvable: 1 });
  }),
);

for (let seed = 1; seed <= 40; seed++)
  exhaustively(
    `night ${seed} of 40, with 20 tasks of which 3 cannot be solved`,
    story(async (rig) => {
      await live(rig, { seed, tasks: 20, unsolvable: 3 });
    }),
  );
