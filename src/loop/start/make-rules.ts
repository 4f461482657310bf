// Makes the rules of a run from its settings and flags. Pure. Leaves the workflows to find-workflows-in-use.ts.
import type { Rules } from "../../logging/rules.js";
import { isStrategyModule } from "../../config/settings/settings.js";
import { given } from "../../system/given.js";
import { TaskId } from "../../todo/model/task.js";
import { nameReceiver } from "../hooks/post-notice.js";
import { formatHook } from "../hooks/run-hook.js";
import type { RunRequest } from "../runs/run-request.js";

export function makeRules(request: RunRequest, schedule: string[], bootstrap: Rules["bootstrap"]): Rules {
  const { loop, roles, hooks, git, verify, schedule: planned } = request.project.resolved.settings;
  const { on_limit, strategy } = planned;
  const { iteration, review, repair } = roles;
  return {
    max_iterations: loop.max_iterations,
    max_attempts: loop.max_attempts,
    max_reviews: loop.max_reviews,
    delay_ms: loop.delay_seconds * 1000,
    apply_summary: loop.apply_summary,
    review: loop.review,
    completion_marker: loop.completion_marker,
    schedule,
    ...(isStrategyModule(strategy) ? { picks: true } : {}),
    roles: given({ iteration, review, repair, bootstrap: roles.bootstrap }),
    on_limit,
    max_wait_ms: loop.max_wait,
    budget: makeBudgetRules(loop),
    agent: request.agent,
    ...(request.only === undefined ? {} : { only: TaskId.parse(request.only) }),
    hooks: {
      pre_iteration: hooks.pre_iteration.map(formatHook),
      post_iteration: hooks.post_iteration.map(formatHook),
      on_blocked: hooks.on_blocked.map(formatHook),
      on_run_end: hooks.on_run_end.map(formatHook),
      ...(hooks.notification.length === 0 ? {} : { notification: hooks.notification.map(nameReceiver) }),
    },
    commit: git.commit,
    // If the agent commits, its commits stay on the branch, so the tree must not be restored below them.
    on_failure: git.commit === "agent" ? "keep" : git.on_failure,
    // Where checks run in the project, those of a task alone are asked before its work too: no room can ask them later.
    baseline: verify.commands.length > 0 || verify.cold === false,
    ...(verify.accept === "unverified" ? {} : { accept: verify.accept }),
    verify_from_agents: verify.from_agents,
    bootstrap,
    workers: 1,
  };
}

function makeBudgetRules(loop: RunRequest["project"]["resolved"]["settings"]["loop"]): Rules["budget"] {
  const { max_duration: longest = 0, max_cost_usd, max_tokens, task_cost_usd, task_tokens } = loop;
  return {
    ...(longest === 0 ? {} : { max_duration_ms: longest }),
    max_cost_usd,
    max_tokens,
    task_cost_usd,
    task_tokens,
    ...(loop.unknown_cost === "allow" ? { unknown_cost: "allow" } : {}),
  };
}
