// The rules of one stage: every other stage that it names is there, and of the kind that is meant. Pure.
// Leaves the arrows between stages to problems.ts.
import { z } from "zod";
import type { SourcePath } from "../../system/text/source-text.js";
import { never } from "../../system/never.js";
import { listOwnOutcomes, toTarget } from "../advance.js";
import { isOutputName, OUTPUTS } from "../outputs/outputs.js";
import { reachedWithoutAsking } from "./graph.js";
import { didYouMean, durationProblems, type WorkflowParts, type WorkflowProblem } from "./problem.js";
import type { AnalyzeStage, AskStage, Name, Scalar, Stage, Target, WorkStage } from "../workflow.js";

/** Words of `shows` that are not stages. */
const SHOWN_BY_WORD = ["diff", "work"];

type Kind = Stage["kind"];

/** Everything wrong in one stage, its arrows aside. */
export function stageProblems(parts: WorkflowParts, name: Name, stage: Stage): WorkflowProblem[] {
  const of = new StageRules(parts, name);
  of.condition(stage);
  switch (stage.kind) {
    case "work":
      of.byAgent(stage);
      of.work(stage);
      break;
    case "analyze":
      of.byAgent(stage);
      of.reads(stage);
      break;
    case "ask":
      of.ask(stage);
      break;
    case "check":
      break;
    default:
      never(stage);
  }
  return of.problems;
}

class StageRules {
  readonly problems: WorkflowProblem[] = [];

  constructor(
    private readonly parts: WorkflowParts,
    private readonly name: Name,
  ) {}

  byAgent(stage: WorkStage | AnalyzeStage): void {
    const { not_agent_of, session, inputs = [] } = stage;
    if (not_agent_of !== undefined) {
      this.named(["not_agent_of"], not_agent_of, ["work", "analyze"]);
      if (not_agent_of === this.name)
        this.report(
          ["not_agent_of"],
          "not_agent_of names the stage itself",
          "name the stage that comes before",
        );
    }
    if (session !== undefined && session !== "new")
      this.named(["session"], session, ["work", "analyze"], ["new"]);
    if (session !== undefined && session !== "new" && session === not_agent_of)
      this.report(
        ["session"],
        `the session of ${session} cannot be resumed by an agent that is not_agent_of ${session}`,
        "remove one of the two keys",
      );
    for (const [at, input] of inputs.entries())
      this.named(["inputs", at], input, ["work", "analyze", "check", "ask"]);
  }

  /** A reader in the session of an author would have all that the author told itself. */
  reads({ session: of }: AnalyzeStage): void {
    if (of === undefined || of === "new") return;
    const isWork = (name: Name): boolean => this.stage(name)?.kind === "work";
    const { stages, names } = this.parts;
    const also = names.find((name) => {
      const other = stages[name];
      return isWork(name) && other !== undefined && "session" in other && other.session === of;
    });
    const suggestion = `remove session: a new session sees the diff, the plan and the verdict`;
    if (isWork(of))
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

  work({ protects = [] }: WorkStage): void {
    for (const [at, other] of protects.entries()) {
      this.named(["protects", at], other, ["work"]);
      if (other === this.name)
        this.report(
          ["protects", at],
          "protects names the stage itself",
          "name the stage that wrote the tests",
        );
    }
  }

  ask(stage: AskStage): void {
    const { shows, edits, timeout, on_timeout, next } = stage;
    if (shows !== undefined && !SHOWN_BY_WORD.includes(shows))
      this.named(["shows"], shows, ["work", "analyze", "check"], SHOWN_BY_WORD);
    if (edits !== undefined) {
      this.named(["edits"], edits, ["work", "analyze"]);
      const other = this.stage(edits);
      if ((other?.kind === "work" || other?.kind === "analyze") && other.output === undefined)
        this.report(
          ["edits"],
          `the stage ${edits} has no output that could be edited`,
          `give ${edits} an output`,
        );
    }
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
    const begun = [...reachedWithoutAsking(this.parts.stages, to)].find(
      (name) => this.stage(name)?.kind === "work",
    );
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
    this.named(["when", fact], of, ["work", "analyze"]);
    const other = this.stage(of);
    if (other === undefined || (other.kind !== "work" && other.kind !== "analyze")) return;
    const known = factsOf(other);
    if (known === undefined || known.includes(field)) return;
    const message = `the output of ${of} has no fact ${JSON.stringify(field)}`;
    this.report(["when", fact], message, didYouMean(field, known));
  }

  /** A name that must be a stage of one of these kinds, or one of some words. */
  private named(path: SourcePath, name: Name, kinds: readonly Kind[], words: readonly string[] = []): void {
    const { names } = this.parts;
    if (!names.includes(name)) {
      const message = `${place(path)} names ${JSON.stringify(name)}, which is not a stage`;
      const fitting = names.filter((one) => fits(this.stage(one), kinds) && one !== this.name);
      this.report(path, message, didYouMean(name, [...words, ...fitting]));
      return;
    }
    const stage = this.stage(name);
    if (fits(stage, kinds)) return;
    const message = `${place(path)} names ${name}, which is ${article(stage?.kind ?? "")} stage`;
    this.report(path, message, `name a stage of the kind ${kinds.join(" or ")}`);
  }

  private stage(name: Name): Stage | undefined {
    const { stages } = this.parts;
    return Object.hasOwn(stages, name) ? stages[name] : undefined;
  }

  private at(path: SourcePath): SourcePath {
    return ["stages", this.name, ...path];
  }

  private report(path: SourcePath, message: string, suggestion: string): void {
    this.problems.push({ path: this.at(path), message: `stage ${this.name}: ${message}`, suggestion });
  }
}

/** A stage of a wrong shape fits: its own problem is reported already. */
function fits(stage: Stage | undefined, kinds: readonly Kind[]): boolean {
  return stage === undefined || kinds.includes(stage.kind);
}

function article(kind: string): string {
  return /^[aeiou]/u.test(kind) ? `an ${kind}` : `a ${kind}`;
}

function place(path: SourcePath): string {
  return String(path[0]);
}

/** The facts that a stage's output can have; `undefined`: those of a project's own schema are not known here. */
function factsOf({ kind, output }: WorkStage | AnalyzeStage): string[] | undefined {
  const own = kind === "work" ? ["verdict"] : [];
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
