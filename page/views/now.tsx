// Now: what it is doing, what needs a person, what is left.
import type { RescueListAnswer } from "../../src/ui/shapes/work.js";
import { ask } from "../api.js";
import { Feed } from "../feed.js";
import { Progress } from "../chart.js";
import { Act, Empty, Foreign, Panel, StateSign, Time } from "../parts.js";
import { Link, runPath, taskPath } from "../router.js";
import { useAnswer, useNow, useStore, type AgentRow, type State, type TaskOfRun } from "../store.js";
import { dollars, duration, plural, visible } from "../words.js";
import { StopButton, TaskRows } from "./runs.js";

export function Now() {
  const state = useStore();
  const { status } = state;
  if (status === undefined)
    return (
      <>
        <h1 class="hidden">Now</h1>
        <p class="loading">Reading the project …</p>
      </>
    );
  const total = Object.values(status.tasks).reduce((sum, n) => sum + n, 0);
  return (
    <>
      <h1 class="hidden">Now</h1>
      <div class="columns-2">
        <div>
          <NeedsYou state={state} />
          <LiveRun state={state} />
          <Recent />
        </div>
        <div>
          {total > 0 && <Remaining state={state} />}
          <Agents />
          <Rescues />
        </div>
      </div>
    </>
  );
}

function NeedsYou({ state }: { state: State }) {
  const { status, rows } = state;
  const questions = status?.questions ?? [];
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  const looks = status?.need_a_look ?? [];
  if (questions.length === 0 && looks.length === 0) return null;
  return (
    <Panel title="Needs you" class="needs">
      <ul class="rows">
        {questions.map(({ question, task, title, stage }) => (
          <li key={question.id}>
            <Link to={`/questions/${encodeURIComponent(question.id)}`}>
              <StateSign state="asks" word={false} />
              <span class="id">{visible(task)}</span>
              <span class="grow">
                <Foreign text={question.text.split("\n")[0] ?? ""} />
                <span class="muted block">
                  <Foreign text={title} /> · {visible(stage)} · since <Time at={question.asked_at} />
                </span>
              </span>
              <span class="accent figure">Review</span>
            </Link>
          </li>
        ))}
        {looks.slice(0, 5).map((id) => (
          <li key={id}>
            <Link to={taskPath(id)}>
              <StateSign state="unverified" word={false} />
              <span class="id">{visible(id)}</span>
              <span class="grow">
                <Foreign text={titles.get(id) ?? ""} />
                <span class="muted block">done, but nothing proves it: accept it, or undo it</span>
              </span>
              <span class="accent figure">Look</span>
            </Link>
          </li>
        ))}
      </ul>
      {looks.length > 5 && <p class="muted">and {looks.length - 5} more that are done but not verified</p>}
    </Panel>
  );
}

type Run = NonNullable<NonNullable<State["status"]>["run"]>;

const ONLY_READS = "your role may only read";

function LiveRun({ state }: { state: State }) {
  const run = state.status?.run ?? null;
  if (run?.state === "running") return <Running run={run} state={state} />;
  const open = (state.status?.tasks.todo ?? 0) + (state.status?.tasks.doing ?? 0);
  const mayAct = state.role === "admin";
  const start = (
    <Act
      kind="primary"
      disabled={!mayAct || open === 0}
      why={mayAct ? "no task is left to do" : ONLY_READS}
      act={async () => {
        await ask("POST", "/runs", {});
        return "The run has started.";
      }}
    >
      Start a run
    </Act>
  );
  if (run === null)
    return (
      <Panel title="No run yet" aside={start}>
        <Empty>
          {open === 0
            ? "There is nothing to do: add a task in the backlog, or write to-do.json with looper init."
            : `${plural(open, "task")} to do. A run picks them one after the other.`}
        </Empty>
      </Panel>
    );
  return (
    <Panel title="Last run" aside={start}>
      <p class="facts">
        <StateSign state={run.state === "killed" ? "killed" : (run.ending ?? "ended")} />
        <Link to={runPath(run.run)}>{run.run}</Link>
        <span>{duration(run.elapsed_ms)}</span>
        <span>{dollars(run.cost_usd, run.cost_partly)}</span>
      </p>
      {run.state === "killed" && <p>Its process is gone. The next run continues where it was.</p>}
    </Panel>
  );
}

function Running({ run, state: { rows } }: { run: Run; state: State }) {
  const now = useNow();
  const { current, stopping } = run;
  const task = current?.task ?? undefined;
  return (
    <Panel
      title={task === undefined ? "Run in progress" : `${visible(task)} in progress`}
      aside={
        <>
          <Link to={runPath(run.run)}>Run</Link>
          {!stopping && <StopButton run={run.run} />}
          <StopButton run={run.run} now />
        </>
      }
    >
      <p class="facts">
        {stopping && <span class="warn">it ends after this task</span>}
        {current !== null && (
          <>
            <b>
              <Foreign text={rows.find(({ id }) => id === task)?.title ?? current.phase} />
            </b>
            {current.stage !== undefined && <span class="tag">{visible(current.stage)}</span>}
            <span>
              {visible(current.agent)}, attempt {current.attempt}
            </span>
            <span class="figure">{duration(now - Date.parse(current.started))}</span>
          </>
        )}
      </p>
      <Feed run={run.run} {...(task === undefined ? {} : { task })} />
    </Panel>
  );
}

function Remaining({ state }: { state: State }) {
  const { status, rows } = state;
  if (status === undefined) return null;
  const { tasks, run } = status;
  const isWhole = rows.length === state.total;
  const flagged = (flag: string): number =>
    isWhole ? rows.filter(({ flags }) => flags?.includes(flag)).length : 0;
  const [unverified, unbroken] = [flagged("unverified"), flagged("unbroken")];
  const eta = run?.state === "running" ? run.eta_ms : null;
  const done = tasks.done;
  const total = done + tasks.todo + tasks.doing + tasks.blocked;
  return (
    <Panel
      title="Backlog"
      aside={
        <Link to="/tasks">
          {done} of {total} done
        </Link>
      }
    >
      <Progress
        parts={[
          { state: "done", value: done - unverified - unbroken },
          { state: "unverified", value: unverified },
          { state: "unbroken", value: unbroken },
          { state: "doing", value: tasks.doing },
          { state: "blocked", value: tasks.blocked },
          { state: "todo", value: tasks.todo },
        ]}
      />
      {eta !== null && <p class="muted">About {duration(eta)} left at this pace</p>}
    </Panel>
  );
}

function Agents() {
  const { data } = useAnswer<{ agents: AgentRow[] }>("/agents");
  if (data === undefined || data.agents.length === 0) return null;
  const busy = data.agents.filter(({ state }) => state !== "idle");
  const idle = data.agents.filter(({ state }) => state === "idle");
  return (
    <Panel title="Agents">
      <ul class="rows">
        {busy.map(({ name, kind, state, task, doing, until }) => (
          <li key={name} class="line">
            <StateSign state={state} word={false} />
            <span class="grow">
              <b>{visible(name)}</b> {kind !== name && <span class="muted">{visible(kind)}</span>}
              {doing !== null && <Foreign class="muted block" text={doing} />}
            </span>
            {task !== null && <Link to={taskPath(task)}>{visible(task)}</Link>}
            {until !== null && (
              <span class="muted">
                until <Time at={until} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {idle.length > 0 && (
        <p class="muted">
          <StateSign state="idle" word={false} /> idle: {idle.map(({ name }) => visible(name)).join(", ")}
        </p>
      )}
    </Panel>
  );
}

function Rescues() {
  const { data } = useAnswer<RescueListAnswer>("/rescues");
  const { role } = useStore();
  if (data === undefined || data.rescues.length === 0) return null;
  return (
    <Panel title="Rescued work">
      <ul class="rows">
        {data.rescues.slice(0, 5).map(({ id, at, task, why, files }) => (
          <li key={id} class="line">
            <span class="grow">
              {task === undefined ? visible(id) : <Link to={taskPath(task)}>{visible(task)}</Link>}{" "}
              <span class="muted">
                {why.replaceAll("-", " ")} · {plural(files, "file")} · <Time at={at} />
              </span>
            </span>
            <Act
              disabled={role !== "admin"}
              why={ONLY_READS}
              act={async () => {
                const said = await ask<{ restored: string[] }>(
                  "POST",
                  `/rescues/${encodeURIComponent(id)}/restore`,
                  {},
                );
                return `${plural(said.restored.length, "file")} came back, uncommitted.`;
              }}
            >
              Restore
            </Act>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Recent() {
  const run = useStore().status?.run?.run;
  const { data } = useAnswer<{ run: string; tasks: TaskOfRun[] }>(
    run === undefined ? undefined : runPath(run),
  );
  if (data === undefined || data.tasks.length === 0) return null;
  return (
    <Panel title="Recent" aside={<Link to={runPath(data.run)}>All of the run</Link>}>
      <TaskRows run={data.run} tasks={data.tasks.slice(-6).reverse()} />
    </Panel>
  );
}
