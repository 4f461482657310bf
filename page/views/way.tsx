// The way of a task through its workflow, as a line of stages.
import type { ShowAnswer } from "../../src/ui/shapes/runs.js";
import type { WorkflowsShowAnswer } from "../../src/ui/shapes/workflows.js";
import { Panel, StateSign } from "../parts.js";
import { useAnswer } from "../store.js";
import { visible } from "../words.js";

export function Way({ task, history }: Pick<ShowAnswer, "task" | "history">) {
  const { data } = useAnswer<WorkflowsShowAnswer>(`/workflows/${encodeURIComponent(task.workflow ?? "")}`, {
    live: false,
  });
  const known = Object.keys(data?.workflow.stages ?? {});
  const visited = history.flatMap(({ stage }) => (stage === undefined ? [] : [stage]));
  const stages = [...new Set([...known, ...visited])].filter((name) => name !== "finish" && name !== "block");
  if (stages.length === 0) return null;
  const at = task.status === "done" ? undefined : task.stage;
  return (
    <Panel title={`Workflow ${visible(task.workflow ?? "")}`}>
      <ol class="way">
        {stages.map((stage) => {
          const visits = history.filter((one) => one.stage === stage);
          const last = visits.at(-1);
          const state =
            stage === at
              ? task.question === undefined
                ? "doing"
                : "asks"
              : last === undefined
                ? "todo"
                : last.result === "failed" || last.result === "blocked"
                  ? "failed"
                  : "done";
          return (
            <li
              key={stage}
              class={stage === at ? "current" : ""}
              aria-current={stage === at ? "step" : undefined}
            >
              <StateSign state={state} word={false} /> <b>{visible(stage)}</b>
              {visits.length > 1 && <span class="muted"> × {visits.length}</span>}
              {last?.outcome !== undefined && stage !== at && (
                <span class="muted block">{visible(last.outcome)}</span>
              )}
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
