import { expect, test } from "vitest";
import { TaskId } from "../../todo/model/task.js";
import type { JobFacts } from "../step/effects.js";
import {
  makeAgentEnvironment,
  makeBaseEnvironment,
  makeGateEnvironment,
  makeHookEnvironment,
} from "./environment.js";

const task_id = TaskId.parse("T7");
const job: JobFacts = { job: 1, phase: "iteration", iteration: 3, attempt: 2, agent: "a", task_id };
const real = { PATH: "/bin", HOME: "/home/me", API_KEY: "k", NPM_TOKEN: "n", LANG: "C" };

test("the real environment overrides the file, and variables of an outer run are not inherited", () => {
  const around = {
    LOOPER_RUN_ID: "outer",
    LOOPER_TASK_ID: "T1",
    LOOPER_TODO_FILE: "x",
    LOOPER_STEP_DIR: "/y",
  };
  const base = makeBaseEnvironment(
    { ...around, A: "real" },
    { A: "file", B: "file", LOOPER_STATUS: "done", LOOPER_VERDICT: "x" },
  );
  expect(base).toEqual({ A: "real", B: "file" });
});

test("an agent gets all variables, or only the named ones with PATH and HOME", () => {
  const own = {
    GIT_REFLOG_ACTION: "looper-agent",
    LOOPER_RUN_ID: "r",
    LOOPER_PHASE: "iteration",
    LOOPER_ITERATION: "3",
    LOOPER_ATTEMPT: "2",
    LOOPER_STEP_DIR: "/log/001-iter-3",
  };
  const told = { ...own, LOOPER_TASK_ID: "T7" };
  expect(makeAgentEnvironment(real, { env: {} }, { run: "r", job, stepFolder: "/log/001-iter-3" })).toEqual({
    ...real,
    ...told,
  });
  const settings = { env: { EXTRA: "1", HOME: "/elsewhere" }, passEnv: ["API_*", "L?NG"] };
  expect(makeAgentEnvironment(real, settings, { run: "r", job, stepFolder: "/log/001-iter-3" })).toEqual({
    ...told,
    ...{ PATH: "/bin", HOME: "/elsewhere", API_KEY: "k", LANG: "C", EXTRA: "1" },
  });
  // A glob matches a whole name, and special characters of patterns match themselves.
  const strange = { "A.B": "1", AxB: "2", XA: "3" };
  expect(
    makeAgentEnvironment(
      strange,
      { env: {}, passEnv: ["A.B", "A"] },
      { run: "r", job, stepFolder: "/log/001-iter-3" },
    ),
  ).toEqual({
    ...told,
    "A.B": "1",
  });
});

test("checks get all variables", () => {
  expect(makeGateEnvironment(real, "r", job)).toMatchObject({ ...real, LOOPER_TASK_ID: "T7" });
});

test.each([
  [true, "yes"],
  [false, "no"],
  [undefined, ""],
])("a hook for a task whose gate says verified: %s has LOOPER_VERIFIED=%s", (verified, said) => {
  const run = { run: "r", job, status: "done", lastMessage: "", verified };
  expect(makeHookEnvironment(real, run)).toMatchObject({ LOOPER_TASK_ID: "T7", LOOPER_VERIFIED: said });
});

test.each([
  ["verified", "verified"],
  ["unbroken", "unbroken"],
  ["unverified", "unverified"],
  [undefined, ""],
] as const)("a hook for a task that is %s has LOOPER_VERDICT=%s", (verdict, said) => {
  const run = { run: "r", job, status: "done", lastMessage: "", verified: false, verdict };
  expect(makeHookEnvironment({ ...real, LOOPER_VERDICT: "outer" }, run)).toMatchObject({
    LOOPER_VERIFIED: "no",
    LOOPER_VERDICT: said,
  });
});
