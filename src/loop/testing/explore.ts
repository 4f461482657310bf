// Explores every course of a small run: every order of answers, every signal and failure, every point at which it can be killed
// or lose power, and the runs after that. Each state is visited once.
// explore.test.ts chooses the worlds and the invariants.
import { PersistentMap } from "../../system/persistent-map.js";
import { ById } from "../../todo/model/indexed-list.js";
import { listMoves, type MoveBudget, type Menu } from "./moves.js";
import { startRun, type Sim, type Taken } from "./world/sim.js";

export interface Node {
  sim: Sim;
  budget: MoveBudget & { crashes: number };
}

export interface Explored {
  states: number;
  turns: number;
  crashes: number;
  endings: Map<string, number>;
}

/** Checks every state and every call of `step`; returns the violations. */
export interface Questions {
  state: (sim: Sim) => string[];
  turn: (before: Sim, taken: Taken, after: Sim) => string[];
}

type Step = { name: string; next: () => Node };

interface Frame {
  key: string;
  steps: Step[];
  /** The path to the state, for error messages. */
  name: string;
}

/** Explores everything from the start of a run. Throws at the first violation, with the path to it. */
export function explore(start: Node, menu: Menu, questions: Questions): Explored {
  const explored: Explored = { states: 0, turns: 0, crashes: 0, endings: new Map() };
  const seen = new Map<string, "open" | "done">();
  const names = new Names();
  const path: Frame[] = [];
  const problem = (what: string): Error => new Error([...path.map(({ name }) => name), what].join("\n"));

  const enter = (node: Node, name: string): void => {
    const key = names.ofNode(node);
    const known = seen.get(key);
    if (known === "done") return;
    // L13: a run whose state leads back to itself would never end.
    if (known === "open") throw problem(`${name}\nleads in a circle`);
    seen.set(key, "open");
    explored.states++;
    const steps = stepsFrom(node, menu, explored, questions);
    path.push({ key, steps, name });
    const wrong = questions.state(node.sim);
    if (wrong.length > 0) throw problem(wrong.join("\n"));
    const { state } = node.sim;
    if (state.phase === "ended")
      explored.endings.set(state.ending, (explored.endings.get(state.ending) ?? 0) + 1);
    else if (steps.every((step) => step.name.startsWith("crash"))) throw problem("nothing more can happen");
  };

  enter(start, "start");
  for (;;) {
    const frame = path.at(-1);
    if (frame === undefined) return explored;
    const step = frame.steps.pop();
    if (step === undefined) {
      seen.set(frame.key, "done");
      path.pop();
      continue;
    }
    enter(step.next(), step.name);
  }
}

function stepsFrom(node: Node, menu: Menu, explored: Explored, questions: Questions): Step[] {
  const { sim, budget } = node;
  const moves = listMoves(sim, budget, menu).map((move): Step => {
    const left =
      move.spends === undefined ? budget : { ...budget, [move.spends]: (budget[move.spends] ?? 0) - 1 };
    const made = move.make();
    const name = made.taken === undefined ? "an operation on the disk" : nameOf(made.taken);
    if (made.taken === undefined) return { name, next: () => ({ sim: made.sim, budget: left }) };
    explored.turns++;
    const wrong = questions.turn(sim, made.taken, made.sim);
    return {
      name: [name, ...wrong].join(": "),
      next: () => {
        if (wrong.length > 0) throw new Error(`${name}: ${wrong.join(", ")}`);
        return { sim: made.sim, budget: left };
      },
    };
  });
  if (budget.crashes === 0) return moves;
  const left = { ...budget, crashes: budget.crashes - 1 };
  const crashes = [...new Set(sim.journal)].map((disk, n): Step => {
    explored.crashes++;
    const lost = n + 1 < sim.journal.length ? "without power" : "killed";
    return { name: `crash, ${lost}`, next: () => ({ sim: startRun({ ...sim, disk }).sim, budget: left }) };
  });
  return [...moves, ...crashes];
}

function nameOf({ event, next }: Taken): string {
  const job = "job" in event && event.job !== undefined ? ` #${event.job}` : "";
  return `${event.type}${job} (${next.because.rule})`;
}

/** Gives equal values the same short name, so that states are compared by the names of their parts. */
class Names {
  readonly #byText = new Map<string, string>();
  readonly #byValue = new WeakMap<object, string>();

  ofNode({ sim, budget }: Node): string {
    const { disk, journal, seen, open, told, timer, now, file, tree, asked } = sim;
    let text = "";
    for (const part of Object.values<object | string>(sim.state))
      text += typeof part === "string" ? part : this.#ofParts(part);
    for (const { effect, ops, begun, outcome } of open)
      text += ` ${this.#ofParts(effect)},${ops.length},${begun},${this.#of(outcome)}`;
    const world = [told, tree, asked, budget].map((part) => this.#of(part)).join("");
    let versions = this.#ofParts(disk);
    for (const version of journal) versions += this.#ofParts(version);
    return `${text}|${world}${this.#ofParts(seen)}|${versions}|${timer},${now},${file}`;
  }

  /** The name of a value, from its JSON; a number, a string or a boolean is its own name. */
  #of(value: unknown): string {
    if (typeof value !== "object" || value === null) return String(value);
    return this.#byValue.get(value) ?? this.#add(value, JSON.stringify(plain(value)));
  }

  /** The name of an object, from the names of its parts, most of which it shares with the object it was made from. */
  #ofParts(value: object): string {
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    let text = "";
    for (const [key, part] of Object.entries(value) as [string, unknown][]) {
      // The rules are the same in all states of one exploration.
      if (part === undefined || key === "rules") continue;
      text += `,${key}:${Array.isArray(part) ? this.#ofList(part) : this.#of(part)}`;
    }
    return this.#add(value, text);
  }

  #ofList(values: readonly unknown[]): string {
    let text = "";
    for (const value of values) text += `${this.#of(value)};`;
    return text;
  }

  #add(value: object, text: string): string {
    const name = this.#byText.get(text) ?? `#${this.#byText.size}`;
    this.#byText.set(text, name);
    this.#byValue.set(value, name);
    return name;
  }
}

/** Converts sets, maps and indexes to lists, for JSON. */
function plain(value: object): object {
  if (value instanceof ById) return Array.from<unknown>(value.values);
  const isList = value instanceof Map || value instanceof Set || value instanceof PersistentMap;
  return isList ? Array.from<unknown>(value) : value;
}
