// Every way a small run can go: every order of answers, every signal and failure, every point at which it can be killed
// or lose its power, and the runs after that. States that were seen are not looked at again.
// Leaves which worlds are explored, and what must hold in them, to explore.test.ts.
import { never } from "../../system/never.js";
import type { State } from "../step/state.js";
import { movesOf, type Budget, type Menu } from "./moves.js";
import { startRun, type Sim, type Taken } from "./sim.js";

export interface Node {
  sim: Sim;
  budget: Budget & { crashes: number };
}

export interface Explored {
  states: number;
  turns: number;
  crashes: number;
  endings: Map<string, number>;
}

/** What is asked of every state, and of every turn that leads from one to another; answers what is wrong. */
export interface Questions {
  state: (sim: Sim) => string[];
  turn: (before: Sim, taken: Taken, after: Sim) => string[];
}

type Step = { name: string; next: () => Node };

interface Frame {
  key: string;
  steps: Step[];
  /** How the state was come to, for the message when something is wrong. */
  name: string;
}

/** Explores everything from the start of a run. Throws, with the way there, at the first thing that is wrong. */
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
    // L13: a state that leads back to itself would never end.
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
  const moves = movesOf(sim, budget, menu).map((move): Step => {
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

/** Short names for values that say the same: what tells two states apart is put together from them. */
class Names {
  readonly #byText = new Map<string, number>();
  readonly #byValue = new WeakMap<object, number>();

  of<T extends object>(value: T, plain: (value: T) => unknown = (same) => same): number {
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(plain(value));
    const name = this.#byText.get(text) ?? this.#byText.size;
    this.#byText.set(text, name);
    this.#byValue.set(value, name);
    return name;
  }

  /** The rules are the same in all states of one exploration. */
  ofNode({ sim, budget }: Node): string {
    const { state, disk, journal, seen, open, told, timer, now, file } = sim;
    const parts = open.map(({ effect, ops, begun, outcome }) =>
      [this.of(effect), ops.length, begun, this.of(outcome)].join(":"),
    );
    const look = this.of(seen, ({ rows, finished }) => [rows, [...finished]]);
    const safe = journal.map((version) => this.of(version));
    const rest = [told, timer, now, file, sim.tree, this.of(sim.asked), Object.values(budget)];
    return [this.of(state, plainState), this.of(disk), safe, look, parts, rest].join("|");
  }
}

/** As plain arrays, and without the rules: a replacer of JSON's own would be asked for every single value. */
function plainState(state: State): unknown {
  switch (state.phase) {
    case "working": {
      const { work } = state;
      return {
        ...work,
        rules: 0,
        index: work.index.values,
        attempts: [...work.attempts],
        blockedAtStart: [...work.blockedAtStart],
        final: [...work.final],
        earlier: [...work.earlier],
        dropped: [...work.dropped],
        blockedByHand: [...work.blockedByHand],
      };
    }
    case "opening":
      return { ...state.opening, rules: 0, dropped: [...state.opening.dropped] };
    case "releasing":
      return { ...state.release, rules: 0 };
    case "ending":
      return { ...state.close, rules: 0 };
    case "new":
    case "ended":
      return state;
    default:
      return never(state);
  }
}
