// The rules of one stage: every other stage that it names is there, and of the kind that is meant. Pure.
// Leaves the arrows between stages to problems.ts.
import { z } from "zod";
import type { SourcePath } from "../../system/text/source-text.js";
import { listOwnOutcomes, toTarget } from "../advance.js";
import { isOutputName, OUTPUTS } from "../outputs/outputs.js";
import { reachedWithoutAsking } from "./graph.js";
import { didYouMean, durationProblems, type WorkflowProblem } from "./problem.js";
import { doneBy, isReader, isWork, listKinds } from "../stage-kinds.js";
import type { Name, Scalar, Stage, StageKind, Target } from "../workflow.js";

type Stages = Readonly<Record<Name, Stage>>;

const BY_AGENT = listKinds(({ by }) => by === "agent");

/** The keys of a stage that name others: their kinds, words that may be there instead, and what to name in place of the stage itself. */
const NAMING: Readonly<
  Record<string, { kinds: readonly StageKind[]; words?: readonly string[]; self?: string }>
> = {
  not_agent_of: { kinds: BY_AGENT, self: "name the stage that comes before" },
  session: { kinds: BY_AGENT, words: ["new"] },
  inputs: { kinds: listKinds(() => true) },
  protects: { kinds: listKinds(({ changes }) => changes), self: "name the stage that wrote the tests" },
  shows: { kinds: listKinds(({ by }) => by !== "person"), words: ["diff", "work"] },
  edits: { kinds: BY_AGENT },
};

/** Everything wrong in one stage, its arrows aside. */
export function stageProblems(stages: Stages, name: Name, stage: Stage): WorkflowProblem[] {
  const of = new StageRules(stages, name);
  of.condition(stage);
  of.names(stage);
  if (isReader(stage.kind)) of.reads(stage);
  if (doneBy(stage.kind) === "person") of.ask(stage);
  return of.problems;
}

class StageRules {
  readonly problems: WorkflowProblem[] = [];

  constructor(
    private readonly stages: Stages,
    private readonly name: Name,
  ) {}

  names(stage: Stage): void {
    for (const [key, value] of Object.entries(stage)) {
      const { kinds, words = [], self } = NAMING[key] ?? {};
      if (kinds === undefined) continue;
      for (const [at, name] of [value].flat().map(String).entries()) {
        const path = Array.isArray(value) ? [key, at] : [key];
        if (!words.includes(name)) this.named(path, name, kinds, words);
        if (name === this.name && self !== undefined)
          this.report(path, `${key} names the stage itself`, self);
      }
    }
    const { session = "new", not_agent_of } = stage;
    if (session === "new") return;
    const message = `the session of ${session} cannot be resumed by an agent that is not_agent_of ${session}`;
    if (session === not_agent_of) this.report(["session"], message, "remove one of the two keys");
  }

  /** A reader in the session of an author would have all that the author told itself. */
  reads({ session: of }: Stage): void {
    if (of === undefined || of === "new") return;
    const [also] =
      Object.entries(this.stages).find(([, one]) => isWork(one.kind) && one.session === of) ?? [];
    const suggestion = `remove session: a new session sees the diff, the plan and the verdict`;
    if (isWork(this.stage(of)?.kind))
      this.report(
        ["session"],
        `session names ${of}, a work stage: who reads its work would resume the session of its author`,
        suggestion,
      );
    else if (of !== this.name && also !== undefined)
      this.report(
        ["session"],
        `the work stage ${also} works in the session of ${of} too: who reads its work would resume the session of its author`,
        suggestion,
      );
  }

  ask(stage: Stage): void {
    const { edits, timeout, on_timeout, next } = stage;
    const other = edits === undefined ? undefined : this.stage(edits);
    if (doneBy(other?.kind) === "agent" && other?.output === undefined)
      this.report(
        ["edits"],
        `the stage ${edits} has no output that could be edited`,
        `give ${edits} an output`,
      );
    this.problems.push(...durationProblems(this.at(["timeout"]), timeout));
    if (timeout !== undefined && on_timeout === undefined)
      this.report(["timeout"], "timeout has no on_timeout", "name the outcome that silence has");
    if (on_timeout === undefined) return;
    if (timeout === undefined)
      this.report(["on_timeout"], "on_timeout has no timeout", 'add one, such as "24h"');
    if (!Object.hasOwn(next, on_timeout)) {
      const message = `on_timeout is ${JSON.stringify(on_timeout)}, which is not in next`;
      this.report(["on_timeout"], message, didYouMean(on_timeout, Object.keys(next)));
      return;
    }
    if (!listOwnOutcomes(stage).includes(on_timeout))
      this.report(["on_timeout"], `${on_timeout} is not an outcome that a person gives`, "name another one");
    this.silence(next[on_timeout]);
  }

  /** No work begins because a person said nothing: neither at once, nor after stages that ask no one. */
  private silence(target: Target | undefined): void {
    if (target === undefined) return;
    const { to } = toTarget(target);
    const begun = reachedWithoutAsking(this.stages, to).find((name) => isWork(this.stage(name)?.kind));
    if (begun === undefined) return;
    const path = begun === to ? to : `${to}, and from there to ${begun} with no question between`;
    this.report(
      ["on_timeout"],
      `on_timeout leads to ${path}, so work would begin although no one agreed`,
      "lead it to block, or to a stage that changes nothing",
    );
  }

  condition(stage: Stage): void {
    const { when, next } = stage;
    if (when === undefined) {
      if (stage.else !== undefined)
        this.report(
          ["else"],
          "else has no when",
          "add the facts under which the stage is done, or remove it",
        );
      return;
    }
    if (stage.else === undefined)
      this.report(["when"], "when has no else", "add the outcome that the stage has when it is skipped");
    else if (!Object.hasOwn(next, stage.else))
      this.report(
        ["else"],
        `else is ${JSON.stringify(stage.else)}, which is not in next`,
        didYouMean(stage.else, Object.keys(next)),
      );
    else if (!listOwnOutcomes(stage).includes(stage.else))
      this.report(["else"], `${stage.else} is not an outcome that the stage gives`, "name another one");
    else {
      const target = next[stage.else];
      if (target !== undefined && toTarget(target).to === this.name)
        this.report(["else"], "else leads back to the stage itself", "lead it to another stage");
    }
    if (Object.keys(when).length === 0)
      this.report(["when"], "when names no fact", 'write {"STAGE.FIELD": [VALUES]}');
    for (const [fact, values] of Object.entries(when)) this.fact(fact, values);
  }

  private fact(fact: string, values: readonly Scalar[]): void {
    const [, of = "", field = ""] = /^([^.]+)\.([^.]+)$/u.exec(fact) ?? [];
    if (of === "" || field === "") {
      this.report(["when", fact], `${JSON.stringify(fact)} is not a fact`, "write it as STAGE.FIELD");
      return;
    }
    if (values.length === 0)
      this.report(
        ["when", fact],
        "no value is listed, so the stage would always be skipped",
        "list the values",
      );
    this.named(["when", fact], of, BY_AGENT);
    const other = this.stage(of);
    if (other === undefined || doneBy(other.kind) !== "agent") return;
    const known = factsOf(other);
    if (known === undefined || known.includes(field)) return;
    const message = `the output of ${of} has no fact ${JSON.stringify(field)}`;
    this.report(["when", fact], message, didYouMean(field, known));
  }

  /** A name that must be a stage of one of these kinds, or one of some words. */
  private named(
    path: SourcePath,
    name: Name,
    kinds: readonly StageKind[],
    words: readonly string[] = [],
  ): void {
    const key = String(path[0]);
    const stage = this.stage(name);
    if (stage === undefined) {
      const message = `${key} names ${JSON.stringify(name)}, which is not a stage`;
      const fitting = Object.entries(this.stages).filter(
        ([one, { kind }]) => kinds.includes(kind) && one !== this.name,
      );
      this.report(path, message, didYouMean(name, [...words, ...fitting.map(([one]) => one)]));
      return;
    }
    if (kinds.includes(stage.kind)) return;
    const message = `${key} names ${name}, which is ${article(stage.kind)} stage`;
    this.report(path, message, `name a stage of the kind ${kinds.join(" or ")}`);
  }

  private stage(name: Name): Stage | undefined {
    return Object.hasOwn(this.stages, name) ? this.stages[name] : undefined;
  }

  private at(path: SourcePath): SourcePath {
    return ["stages", this.name, ...path];
  }

  private report(path: SourcePath, message: string, suggestion: string): void {
    this.problems.push({ path: this.at(path), message: `stage ${this.name}: ${message}`, suggestion });
  }
}

function article(kind: string): string {
  return /^[aeiou]/u.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** The facts that a stage's output can have; `undefined`: those of a project's own schema are not known here. */
function factsOf({ kind, output }: Stage): string[] | undefined {
  const own = isWork(kind) ? ["verdict"] : [];
  if (output === undefined) return own;
  if (!isOutputName(output)) return undefined;
  const { shape } = OUTPUTS[output];
  const fields = Object.entries<z.ZodType>(shape.shape).filter(([, type]) => isScalar(type));
  return [...own, ...fields.map(([key]) => key)];
}

function isScalar(type: z.ZodType): boolean {
  const plain = type instanceof z.ZodOptional ? (type.unwrap() as z.ZodType) : type;
  return (
    plain instanceof z.ZodString ||
    plain instanceof z.ZodEnum ||
    plain instanceof z.ZodNumber ||
    plain instanceof z.ZodBoolean
  );
}
