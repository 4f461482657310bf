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
  const numbers = new Numbers();
  const path: Frame[] = [];
  const problem = (what: string): Error => new Error([...path.map(({ name }) => name), what].join("\n"));

  const enter = (node: Node, name: string): void => {
    const key = numbers.keyOf(node);
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

/** The first character of a code: of an object by its parts, and of a list. JSON begins with another. */
const OBJECT = 1;
const LIST = 2;

/**
 * Gives equal values the same number, so that states are compared by the numbers of their parts. Most parts are shared with the
 * state before, and every number is looked up once: this is most of the time of an exploration.
 */
class Numbers {
  /** By a code (the numbers of the parts), by JSON, and by a plain value. */
  readonly #byText = new Map<string, number>();
  readonly #byPlain = new Map<unknown, number>();
  readonly #byValue = new WeakMap<object, number>();
  #count = 0;

  /** The code of a state, which has no number: only parts are counted, and their numbers stay small. */
  keyOf({ sim, budget }: Node): string {
    const { state, disk, journal, seen, open, told, timer, now, file, tree } = sim;
    const code = [LIST];
    for (const part of Object.values<object | string>(state))
      put(code, typeof part === "string" ? this.#ofPlain(part) : this.#ofParts(part));
    put(code, open.length);
    for (const { effect, ops, begun, outcome } of open) {
      put(code, ops.length * 2 + Number(begun));
      put(code, this.#ofParts(effect));
      put(code, this.#of(outcome));
    }
    for (const part of [told, tree, budget, timer, now, file]) put(code, this.#of(part));
    put(code, this.#ofParts(seen));
    put(code, this.#ofParts(disk));
    for (const version of journal) put(code, this.#ofParts(version));
    return String.fromCharCode(...code);
  }

  #of(value: unknown): number {
    if (typeof value !== "object" || value === null) return this.#ofPlain(value);
    return this.#byValue.get(value) ?? this.#keep(value, JSON.stringify(plain(value)));
  }

  #ofPlain(value: unknown): number {
    const known = this.#byPlain.get(value);
    if (known !== undefined) return known;
    this.#byPlain.set(value, this.#count);
    return this.#count++;
  }

  /** The number of an object, from the numbers of its parts; of a list in it, from those of its values. */
  #ofParts(value: object): number {
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    const code = [OBJECT];
    for (const key in value) {
      const part: unknown = (value as Record<string, unknown>)[key];
      // The rules are the same in all states of one exploration.
      if (part === undefined || key === "rules") continue;
      put(code, this.#ofPlain(key));
      put(code, Array.isArray(part) ? this.#ofList(part) : this.#of(part));
    }
    return this.#keep(value, String.fromCharCode(...code));
  }

  #ofList(values: readonly unknown[]): number {
    const known = this.#byValue.get(values);
    if (known !== undefined) return known;
    const code = [LIST];
    for (const value of values) put(code, this.#of(value));
    return this.#keep(values, String.fromCharCode(...code));
  }

  #keep(value: object, text: string): number {
    const number = this.#ofText(text);
    this.#byValue.set(value, number);
    return number;
  }

  #ofText(text: string): number {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    this.#byText.set(text, this.#count);
    return this.#count++;
  }
}

/** Appends a number to a code: as one character, or as two, the first of which is none of those. */
function put(code: number[], number: number): void {
  if (number < 0x8000) code.push(number);
  else code.push(0x8000 | (number >>> 16), number & 0xffff);
}

/** Converts sets, maps and indexes to lists, for JSON. */
function plain(value: object): object {
  if (value instanceof ById) return Array.from<unknown>(value.values);
  const isList = value instanceof Map || value instanceof Set || value instanceof PersistentMap;
  return isList ? Array.from<unknown>(value) : value;
}
