// Compiles a further JSON Schema that the task file must meet (`schema_file`, `--schema`), in the draft that its `$schema`
// names. shape.ts has Looper's own schema.
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { errorMessage, usageError } from "../../system/errors.js";
import { err, ok, type Result } from "../../system/result.js";
import { show, type UnplacedProblem } from "../model/problem.js";
import { MARKER } from "../model/select.js";
import { isRecord, tryParseJson } from "../../system/text/json.js";

/** Finds the places where a value violates a user's schema. */
export type UserSchema = (value: unknown) => UnplacedProblem[];

/** Reads the text of a user's schema; a `usage` error says why it cannot be used. */
export function readUserSchema(bytes: Uint8Array, file: string): UserSchema {
  const schema = tryParseJson(bytes);
  if (!schema.ok) throw usageError(`${file} is not JSON`, "correct the schema");
  const compiled = compileUserSchema(schema.value);
  if (compiled.ok) return compiled.value;
  throw usageError(`${file} is not a JSON Schema: ${compiled.error}`, "correct the schema");
}

/** Compiles a user's schema; the error explains in a sentence why it cannot be used. */
export function compileUserSchema(schema: unknown): Result<UserSchema, string> {
  if (typeof schema !== "boolean" && (typeof schema !== "object" || schema === null || Array.isArray(schema)))
    return err(`a JSON Schema is an object, not ${show(schema)}`);
  try {
    const validate = compile(schema);
    // A schema need not know the keys that the runner writes, but it may demand them.
    return ok((value) =>
      validate(value) || validate(withoutRunnerKeys(value)) ? [] : (validate.errors ?? []).map(toProblem),
    );
  } catch (error) {
    return err(errorMessage(error));
  }
}

function compile(schema: object | boolean): ValidateFunction {
  // A logger would print to the terminal.
  const options: Options = { strict: false, allErrors: true, logger: false };
  const named: unknown = typeof schema === "object" && "$schema" in schema ? schema.$schema : undefined;
  const draft = typeof named === "string" ? named : "";
  const ajv = draft.includes("draft-07")
    ? new Ajv(options)
    : draft.includes("2019-09")
      ? new Ajv2019(options)
      : new Ajv2020(options);
  formats.default(ajv);
  return ajv.compile(schema);
}

function toProblem(error: ErrorObject): UnplacedProblem {
  const extra = error.keyword === "additionalProperties" ? unknownProperty(error) : {};
  return {
    rule: "schema",
    pointer: error.instancePath,
    message: `${error.message ?? error.keyword} (${error.schemaPath})`,
    suggestion: null,
    ...extra,
  };
}

/** ajv points at the object; a person looks for the key. */
function unknownProperty(error: ErrorObject): Partial<UnplacedProblem> {
  const key: unknown = Reflect.get(error.params, "additionalProperty");
  if (typeof key !== "string") return {};
  const pointer = `${error.instancePath}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return { pointer, atKey: true, message: `the key ${show(key)} is not allowed (${error.schemaPath})` };
}

// The parts of a task file that a run writes itself: keys that a user's schema need not know, and changes that it must allow.

/** Keys of a task that people do not write. */
const OF_TASK = new Set(["attempts", "result", "created_at", "updated_at", "parent", "progress"]);
/** Keys of the root that `looper init` writes. */
const OF_ROOT = new Set(["$schema"]);

/** The backlog without the keys that only the runner writes; the value itself if it has none of them. */
export function withoutRunnerKeys(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const tasks = value["tasks"];
  const own = Object.fromEntries(Object.entries(value).filter(([key]) => !OF_ROOT.has(key)));
  return Array.isArray(tasks) ? { ...own, tasks: tasks.map(ownTask) } : own;
}

function ownTask(task: unknown): unknown {
  if (!isRecord(task)) return task;
  const { meta, ...rest } = task;
  const own = Object.fromEntries(Object.entries(rest).filter(([key]) => !OF_TASK.has(key)));
  if (!isRecord(meta)) return Object.hasOwn(task, "meta") ? { ...own, meta } : own;
  const { verdict: _verdict, accepted: _accepted, ...more } = meta;
  return Object.keys(more).length === 0 ? own : { ...own, meta: more };
}

/** Each change that a run makes to a task, and its name in the error when a schema forbids it. */
const CHANGES: readonly { what: string; change: Readonly<Record<string, unknown>> }[] = [
  { what: 'a task with the status "doing"', change: { status: "doing" } },
  {
    what: 'a task with the status "blocked" and a list of blockers',
    change: { status: "blocked", blockers: ["the reason"] },
  },
  {
    what: 'a task with the status "done" and a list of files',
    change: { status: "done", files: ["README.md"] },
  },
];

/**
 * Finds the first change that a run needs and the schema forbids; `undefined` if it allows all. `breaks`: whether a backlog
 * violates the schema. Contract: the backlog itself meets the schema; otherwise it is repaired first.
 */
export function findForbiddenChange(
  value: unknown,
  breaks: (value: unknown) => boolean,
  { marks }: { marks: boolean },
): string | undefined {
  if (!isRecord(value) || !Array.isArray(value["tasks"]) || breaks(value)) return undefined;
  const tasks: unknown[] = value["tasks"];
  const [first, ...rest] = tasks;
  if (!isRecord(first)) return undefined;
  const forbidden = CHANGES.find(({ change }) =>
    breaks({ ...value, tasks: [{ ...first, ...change }, ...rest] }),
  );
  if (forbidden !== undefined) return forbidden.what;
  const marked = tasks.some((task) => isRecord(task) && task["id"] === MARKER.id);
  return marks && !marked && breaks({ ...value, tasks: [...tasks, MARKER] })
    ? `the task ${MARKER.id} that marks a finished backlog`
    : undefined;
}
