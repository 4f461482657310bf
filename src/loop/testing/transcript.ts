// Transcripts: blocks of commands, `----`, and their results, in the style of raft's interaction tests.
// transcripts.test.ts compares and rewrites the files.
import { Because, GateVerdict } from "../../gate/verdict.js";
import { TaskId, Status, type IndexRow } from "../../todo/model/task.js";
import { Rules } from "../../logging/rules.js";
import { Summary } from "../../todo/model/summary.js";
import { FAILURE_REASONS } from "../../agents/agent.js";
import { given } from "../../system/given.js";
import { answer, fail, type AgentAnswer, type WorldReply } from "./answers.js";
import type { PersonChange } from "../../todo/model/changes/person-change.js";
import type { Workflow } from "../../workflow/workflow.js";
import { changeByPerson, computeDigest } from "./world/disk.js";
import { advance, mayAdvance } from "./operations.js";
import { stageRules } from "./stage-rules.js";
import { renderState, renderTaken } from "./render.js";
import { feed, createSim, startRun, wake, type Fed, type OpenEffect, type Sim } from "./world/sim.js";

/** Runs the commands of a transcript and returns its text with the current results. */
export function playTranscript(text: string, load: (name: string) => Workflow): string {
  let sim = createSim({ rows: [], commits: [], checkpoints: [] });
  const blocks = text.trimEnd().split(/\n\n+/);
  return blocks
    .map((block) => {
      if (block.startsWith("#")) return block;
      const [commands = ""] = block.split("\n----");
      const out: string[] = [];
      for (const line of commands.split("\n")) {
        const done = playLine(sim, line, load);
        sim = done.sim;
        out.push(...done.out);
      }
      return [commands, "----", ...out, ...(out.length === 0 ? ["ok"] : [])].join("\n");
    })
    .join("\n\n")
    .concat("\n");
}

interface Played {
  sim: Sim;
  out: string[];
}

type Command = (sim: Sim, words: readonly string[], load: (name: string) => Workflow) => Played;

const COMMANDS: Record<string, Command> = {
  rules: (sim, words) => set({ ...sim, rules: readRules(sim.rules, words) }),
  workflow: (sim, [name = ""], load) => set({ ...sim, rules: { ...sim.rules, ...stageRules(load(name)) } }),
  // A person's command beside the run: `person answer T1 approve`, `person pause T1`.
  person: (sim, words) => {
    const disk = changeByPerson(sim.disk, readPersonChange(sim, words));
    if (disk === undefined) throw unknown(words.join(" "));
    return set({ ...sim, disk, journal: [disk] });
  },
  says: (sim, [says = ""]) => tell(answer(sim, firstOpen(sim, "ask-person"), { says })),
  tasks: (sim, words) => {
    const disk = { ...sim.disk, rows: words.map(readTask) };
    return set({ ...sim, disk, journal: [disk], tree: [] });
  },
  file: (sim, [what = "", ...known]) => {
    if (what !== "ok" && what !== "missing" && what !== "empty" && what !== "broken") throw unknown(what);
    return set({ ...sim, file: what, ...(known.length === 0 ? {} : { known: known.join(" ") }) });
  },
  "no-git": (sim) => set({ ...sim, git: false }),
  start: (sim) => begin(sim),
  crash: (sim) => {
    const { rows, pending } = sim.disk;
    const left = pending === undefined ? "" : `, pending ${pending.commit.task}`;
    const again = begin(sim);
    return { ...again, out: [`disk: ${computeDigest(rows)}${left}`, ...again.out] };
  },
  go,
  ok: (sim, [kind]) => answerWell(sim, firstOpen(sim, kind)),
  half: (sim, [kind, ops = "1"]) => {
    let now = sim;
    for (let n = 0; n < Number(ops); n++) now = advance(now, firstOpen(now, kind));
    return set(now);
  },
  fail: (sim, [kind, as, error]) => tell(fail(sim, firstOpen(sim, kind), as, error)),
  agent: (sim, words) => tell(answer(sim, firstOpen(sim, "run-agent"), { end: readEnd(words) })),
  yes: (sim) => tell(answer(sim, firstOpen(sim, "ask"), { yes: true })),
  no: (sim) => tell(answer(sim, firstOpen(sim, "ask"), { yes: false })),
  "adopt-no": (sim) => tell(answer(sim, firstOpen(sim, "adopt"), { adopted: false })),
  "head-moved": (sim) => tell(answer(sim, firstOpen(sim, "snapshot"), { head: "moved" })),
  gate: (sim, [verdict, because]) =>
    tell(
      answer(sim, firstOpen(sim, "run-gate"), {
        gate: GateVerdict.parse(verdict),
        ...(because === undefined ? {} : { because: Because.parse(because) }),
      }),
    ),
  "baseline-interrupted": (sim) =>
    tell(answer(sim, firstOpen(sim, "run-baseline"), { baseline: "interrupted" })),
  "hook-failed": (sim) => tell(answer(sim, firstOpen(sim, "run-hook"), { hook: "failed" })),
  signal: (sim, [signal, terminal]) => {
    if (signal !== "SIGINT" && signal !== "SIGTERM" && signal !== "SIGHUP") throw unknown(signal ?? "");
    return tell(feed(sim, { type: "run_interrupted", signal, terminal: terminal === "terminal" }));
  },
  edit: (sim, words) => {
    const disk = { ...sim.disk, rows: words.reduce(readEdit, sim.disk.rows) };
    return set({ ...sim, disk, journal: [disk] });
  },
  wake: (sim) => tell(wake(sim)),
};

function playLine(sim: Sim, line: string, load: (name: string) => Workflow): Played {
  const [name = "", ...words] = line.match(/"[^"]*"|\S+/g) ?? [];
  const command = COMMANDS[name];
  if (command === undefined) throw unknown(name);
  return command(
    sim,
    words.map((word) => word.replace(/^"(.*)"$/, "$1")),
    load,
  );
}

function unknown(what: string): Error {
  return new Error(`a transcript knows no "${what}"`);
}

function set(sim: Sim): Played {
  return { sim, out: [] };
}

function tell({ sim, taken }: Fed, reply: readonly string[] = []): Played {
  return { sim, out: [...reply, ...renderTaken(taken), renderState(sim.state)] };
}

function begin(sim: Sim): Played {
  const { sim: begun, taken } = startRun(sim);
  return { sim: begun, out: [...taken.flatMap(renderTaken), renderState(begun.state)] };
}

function firstOpen(sim: Sim, kind: string | undefined): OpenEffect {
  const found = sim.open.find(({ effect }) => kind === undefined || effect.kind === kind);
  if (found === undefined) throw new Error(`nothing waits for ${kind ?? "an answer"}`);
  return found;
}

function answerWell(sim: Sim, open: OpenEffect, reply: WorldReply = {}): Played {
  let now = sim;
  const at = sim.open.indexOf(open);
  for (;;) {
    const current = now.open[at];
    if (current === undefined) throw new Error("an effect disappeared");
    if (current.ops.length === 0) return tell(answer(now, current, reply));
    now = advance(now, current);
  }
}

/** Answers all effects with success until the run waits for an agent, a person or the timer. */
function go(sim: Sim): Played {
  let now = sim;
  const out: string[] = [];
  for (;;) {
    const open = now.open.find(
      (one) => !["run-agent", "ask", "ask-person"].includes(one.effect.kind) && mayAdvance(now, one),
    );
    if (open === undefined) return { sim: now, out: [...out, renderState(now.state)] };
    const done = answerWell(now, open);
    now = done.sim;
    out.push(...done.out.slice(0, -1));
  }
}

/** `T3:blocked:p1<-T1,T2@b` */
function readTask(word: string): IndexRow {
  const [, id, facts = "", , on, , agent] = /^([^:<@]+)((?::[^:<@]+)*)(<-([^@]+))?(@(.+))?$/.exec(word) ?? [];
  const parts = facts.split(":").filter((part) => part !== "");
  const priority = parts.find((part) => /^p[1-5]$/.test(part));
  const status = Status.safeParse(parts.find((part) => part !== priority) ?? "todo");
  if (id === undefined || !status.success) throw unknown(word);
  return {
    id: TaskId.parse(id),
    status: status.data,
    priority: priority === undefined ? 3 : Number(priority.slice(1)),
    depends_on: on === undefined ? [] : on.split(",").map((other) => TaskId.parse(other)),
    ...given({ agent }),
    ...(id === "PROJECT-DONE" ? { marker: true } : {}),
  };
}

/** Renders a row, or `-T2` if it was removed. */
function readEdit(rows: readonly IndexRow[], word: string): readonly IndexRow[] {
  if (word.startsWith("-")) return rows.filter(({ id }) => id !== word.slice(1));
  const row = readTask(word);
  if (!rows.some(({ id }) => id === row.id)) return [...rows, row];
  return rows.map((one) => (one.id === row.id ? row : one));
}

/** `outcome changes ["what it says"]`, `asks "Which one?"`: the report of an agent in a stage. */
function readStageEnd(what: string, [first = "", summary = "did it"]: readonly string[]): AgentAnswer {
  const said = what === "asks" ? { questions: [first] } : { outcome: first };
  return { outcome: "ok", report: { found: { task_id: null, status: "done", summary, ...said } } };
}

function readPersonChange({ disk }: Sim, [op = "", task = "", more]: readonly string[]): PersonChange {
  const id = TaskId.parse(task);
  const by = { by: "ada", via: "cli" as const };
  const visit = disk.rows.find((row) => row.id === id)?.progress?.visit ?? 1;
  const question = `${id}.${String(visit)}`;
  const said = op === "text" ? { text: more } : { outcome: more };
  switch (op) {
    case "answer":
    case "text":
      return { op: "answer", id, question, ...given(said), ...by };
    case "pause":
    case "resume":
    case "complete":
      return { op, id, ...by };
    case "restart":
      return { op, id, ...given({ stage: more }), ...by };
    default:
      throw unknown(op);
  }
}

/** `done [for T9] [new N1,N2]`, `blocked "why"`, `missing`, `invalid`, `failed exited ["why" [until]]`, `quick exited ["why"]`. */
function readEnd([status = "", ...rest]: readonly string[]): AgentAnswer {
  if (status === "missing") return { outcome: "ok", report: { missing: "there is no summary" } };
  if (status === "invalid") return { outcome: "ok", report: { invalid: "status is missing" } };
  if (status === "failed" || status === "quick") {
    const reason = FAILURE_REASONS.find((known) => known === rest[0]);
    if (reason === undefined) throw unknown(rest[0] ?? "");
    const [, evidence = "as seen", until] = rest;
    return {
      outcome: "failed",
      reason,
      evidence,
      ...given({ retry_at: until, duration_ms: status === "quick" ? 1000 : undefined }),
    };
  }
  if (status === "outcome" || status === "asks") return readStageEnd(status, rest);
  if (status !== "done" && status !== "blocked" && status !== "skipped" && status !== "reviewed") {
    throw unknown(status);
  }
  const after = (word: string) => (rest.includes(word) ? rest[rest.indexOf(word) + 1] : undefined);
  const added = after("new")?.split(",");
  const why = rest[0] === undefined || rest[0] === "for" || rest[0] === "new" ? "did it" : rest[0];
  const found = Summary.parse({
    task_id: after("for") ?? null,
    status,
    summary: why,
    ...(status === "blocked" ? { blockers: [why] } : {}),
    ...(added === undefined ? {} : { new_tasks: added.map((id) => ({ id, title: `Title of ${id}` })) }),
  });
  return { outcome: "ok", report: { found } };
}

/** `max_attempts=1`, `schedule=a,b`, `hooks.post_iteration=x`, `roles.review=b`, `bootstrap=ask`. */
function readRules(rules: Rules, words: readonly string[]): Rules {
  const all = new Map<string, unknown>(Object.entries(rules));
  for (const word of words) {
    const [, top = "", , below, value = ""] = /^([a-z_]+)(\.([a-z_]+))?=(.*)$/.exec(word) ?? [];
    const inner = all.get(top);
    const known = below === undefined ? inner : undefined;
    const isList = ["hooks", "skip", "auto_approve"].includes(top) || Array.isArray(known);
    const read = isList ? value.split(",") : readValue(value);
    all.set(top, below === undefined ? read : { ...(typeof inner === "object" ? inner : {}), [below]: read });
  }
  return Rules.parse(Object.fromEntries(all));
}

function readValue(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+$/.test(text) ? Number(text) : text;
}
