// One task: what it is and why it is in its state, its way through the workflow, its attempts, and what a person can do.
import { useEffect, useState } from "preact/hooks";
import type { WhyAnswer } from "../../src/ui/shapes/backlog.js";
import type { ShowAnswer } from "../../src/ui/shapes/runs.js";
import type { UndoAnswer } from "../../src/ui/shapes/work.js";
import { ask, Refused } from "../api.js";
import {
  Act,
  Dialog,
  Empty,
  Field,
  Foreign,
  Panel,
  Pending,
  Problem,
  sayError,
  StateSign,
  Time,
  Trail,
  useKeys,
} from "../parts.js";
import { go, Link, taskPath } from "../router.js";
import { useAnswer, useStore } from "../store.js";
import { dollars, duration, plural, visible } from "../words.js";
import { attemptState, AttemptView, type Attempt } from "./attempt.js";
import { Edit, readVersion, type Version } from "./edit.js";
import { Way } from "./way.js";

type Task = ShowAnswer["task"];

export function TaskView({ id, attempt }: { id: string; attempt?: string | undefined }) {
  const shown = useAnswer<ShowAnswer>(taskPath(id));
  const attempts = useAnswer<{ attempts: Attempt[] }>(`${taskPath(id)}/attempts`);
  const { status } = useStore();
  const task = shown.data?.task;
  const isGone = shown.error instanceof Refused && shown.error.status === 404;
  if (task === undefined)
    return (
      <>
        <Trail to="/tasks">Backlog</Trail>
        <h1>{visible(id)}</h1>
        <Pending what="the task" error={shown.error} />
        {isGone && attempt !== undefined && <AttemptView key={attempt} task={id} at={attempt} />}
      </>
    );
  const all = attempts.data?.attempts ?? [];
  const chosen = attempt ?? (all[0] === undefined ? undefined : `${all[0].run}/${all[0].job}`);
  return (
    <>
      <Trail to="/tasks">Backlog</Trail>
      <Problem error={isGone ? shown.error : undefined} />
      <div class="heading-line">
        <h1>
          <span class="id">{visible(task.id)}</span> <Foreign text={task.title} />
        </h1>
        <StateSign state={stateOf(task)} />
      </div>
      <Actions task={task} />
      <div class="columns-2 narrow-right">
        <div>
          <WhySo task={task} />
          {task.workflow !== undefined && <Way task={task} history={shown.data?.history ?? []} />}
          <Panel title={all.length === 0 ? "Attempts" : plural(all.length, "attempt")}>
            {attempts.data === undefined && <Pending what="the attempts" error={attempts.error} />}
            {attempts.data?.attempts.length === 0 && <Empty>No agent has worked on it yet.</Empty>}
            <ol class="attempts">
              {all.map((one) => {
                const key = `${one.run}/${one.job}`;
                return (
                  <li key={key} class={key === chosen ? "current" : ""}>
                    <Link to={`${taskPath(id)}/${encodeURIComponent(one.run)}/${one.job}`}>
                      <StateSign state={attemptState(one, status)} />
                      {one.stage !== undefined && <span class="tag">{visible(one.stage)}</span>}
                      <span>{visible(one.agent)}</span>
                      <span class="muted">
                        <Time at={one.started} />
                      </span>
                      <span class="figure muted">
                        {duration(one.duration_ms)} · {dollars(one.cost_usd)}
                      </span>
                    </Link>
                  </li>
                );
              })}
            </ol>
          </Panel>
          {chosen !== undefined && <AttemptView key={chosen} task={id} at={chosen} />}
        </div>
        <Facts task={task} />
      </div>
    </>
  );
}

/** The word that says most about a task. */
export function stateOf(task: Task): string {
  if (task.question !== undefined) return "asks";
  if (task.paused === true) return "paused";
  if (task.status === "done") return task.accepted === undefined ? (task.verdict ?? "done") : "accepted";
  if (task.status === "todo" && task.waits_for.length > 0) return "waits";
  return task.status;
}

function WhySo({ task }: { task: Task }) {
  const { data } = useAnswer<WhyAnswer>(`${taskPath(task.id)}/why`);
  const run = useStore().status?.run;
  const isInHand = run?.state === "running" && run.current?.task === task.id;
  if (data === undefined) return null;
  const reasons = data.reasons ?? (task.verdict === "unverified" ? ["no check of it is known"] : []);
  const links = (ids: readonly string[]) =>
    ids.slice(0, 8).map((id, index) => (
      <span key={id}>
        {index > 0 && ", "}
        <Link to={taskPath(id)}>{visible(id)}</Link>
      </span>
    ));
  return (
    <Panel title="Why it is so">
      <div class="why">
        {task.question !== undefined && (
          <p>
            It asks you:{" "}
            <Link to={`/questions/${encodeURIComponent(task.question.id)}`}>
              <Foreign text={task.question.text.split("\n")[0] ?? ""} />
            </Link>
          </p>
        )}
        {isInHand && <p>A run works at it.</p>}
        {data.answer === "next" && !isInHand && <p>A run that starts now takes it first.</p>}
        {data.answer === "behind" && (
          <p>
            {task.status === "blocked" ? "A run tries it again." : "It is ready."}{" "}
            {plural(data.before.length, "task")} {data.before.length === 1 ? "comes" : "come"} before it:{" "}
            {links(data.before)}.
          </p>
        )}
        {data.waits_for.length > 0 && <p>It waits for {links(data.waits_for)}.</p>}
        {data.held?.map(({ task: held, because }) => (
          <p key={held}>
            <Link to={taskPath(held)}>{visible(held)}</Link>: <Foreign text={because} />
          </p>
        ))}
        {task.status === "blocked" &&
          (task.blockers ?? ["It is blocked."]).map((reason, index) => (
            <p key={index} class="pre">
              <StateSign state="blocked" word={false} /> <Foreign text={reason} />
            </p>
          ))}
        {task.status === "done" && task.accepted !== undefined && (
          <p>
            Accepted by <Foreign text={task.accepted.by} />, <Time at={task.accepted.at} />.
          </p>
        )}
        {task.status === "done" && task.verified && task.evidence !== null && (
          <Turned evidence={task.evidence} />
        )}
        {reasons.map((reason) => (
          <p key={reason}>
            <StateSign state="unverified" word={false} /> <Foreign text={reason} />
          </p>
        ))}
      </div>
    </Panel>
  );
}

function Turned({ evidence }: { evidence: NonNullable<Task["evidence"]> }) {
  const all = [...evidence.fail_to_pass, ...evidence.new_tests];
  if (all.length === 0) return null;
  return (
    <>
      <p>Because of the work {all.length === 1 ? "this turned" : "these turned"} from red to green:</p>
      <ul class="plain">
        {all.slice(0, 8).map(({ command, name }, index) => (
          <li key={index}>
            <StateSign state="verified" word={false} /> <Foreign class="mono" text={name ?? command} />
          </li>
        ))}
      </ul>
      {all.length > 8 && <p class="muted">and {all.length - 8} more</p>}
    </>
  );
}

function Facts({ task }: { task: Task }) {
  const [edited, setEdited] = useState<Version>();
  const { role } = useStore();
  const edit = async (): Promise<void> => {
    setEdited(await readVersion(task.id));
  };
  useKeys({
    e: () => {
      if (role === "admin") edit().catch(sayError);
    },
  });
  const text = task.details ?? task.description;
  return (
    <Panel title="Task" aside={role === "admin" && <Act act={edit}>Edit</Act>}>
      <dl class="facts-list">
        <Items name="Priority" values={[String(task.priority)]} />
        <Items name="Workflow" values={task.workflow === undefined ? [] : [task.workflow]} />
        <Items name="Agent" values={task.agent === undefined ? [] : [task.agent]} />
        <Items name="Tags" values={task.tags} />
        <Items name="Depends on" values={task.depends_on} link />
        <Items name="Needed by" values={task.needed_by} link />
        <Items name="Files" values={task.files} />
        <Items name="Steps" values={task.steps} />
        <Items name="Checks of its own" values={Array.isArray(task.verify) ? task.verify : undefined} />
      </dl>
      {text !== undefined && text !== "" && <Foreign class="pre block" text={text} />}
      {edited !== undefined && (
        <Edit
          id={task.id}
          read={edited}
          close={() => {
            setEdited(undefined);
          }}
        />
      )}
    </Panel>
  );
}

interface ItemsProps {
  name: string;
  values: readonly string[] | undefined;
  /** They are ids of tasks. */
  link?: boolean;
}

function Items({ name, values = [], link = false }: ItemsProps) {
  if (values.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {values.map((value) =>
          link ? (
            <Link key={value} class="item" to={taskPath(value)}>
              {visible(value)}
            </Link>
          ) : (
            <Foreign key={value} class="item" text={value} />
          ),
        )}
      </dd>
    </div>
  );
}

function Actions({ task }: { task: Task }) {
  const { status, role } = useStore();
  const [asks, setAsks] = useState<"block" | "steer" | "undo" | undefined>();
  if (role !== "admin") return null;
  const { id, question } = task;
  const path = taskPath(id);
  const running = status?.run?.state === "running" ? status.run : undefined;
  const isDone = task.status === "done";
  const post = (verb: string, told: string) => async (): Promise<string> => {
    await ask("POST", `${path}/${verb}`, {});
    return told;
  };
  const close = (): void => {
    setAsks(undefined);
  };
  const asking = (what: typeof asks, word: string, kind = "plain") => (
    <button
      class={kind}
      onClick={() => {
        setAsks(what);
      }}
    >
      {word}
    </button>
  );
  return (
    <div class="buttons actions">
      {!isDone && <RunButton id={id} running={running?.run} />}
      {question !== undefined && (
        <Link class="button" to={`/questions/${encodeURIComponent(question.id)}`}>
          Answer
        </Link>
      )}
      {running?.current?.task === id && asking("steer", "Send a message")}
      {isDone && !task.verified && <Act act={post("accept", `${id} counts as verified.`)}>Accept</Act>}
      {task.workflow !== undefined && !isDone && (
        <Act act={post("complete", `${id} is complete.`)}>Complete</Act>
      )}
      {!isDone && task.paused !== true && <Act act={post("pause", `${id} is paused.`)}>Pause</Act>}
      {task.paused === true && <Act act={post("resume", `${id} is no longer paused.`)}>Resume</Act>}
      {!isDone && task.status !== "blocked" && asking("block", "Block")}
      {(task.status === "blocked" || isDone) && (
        <Act act={post("todo", `${id} is to do again.`)}>To do again</Act>
      )}
      {!isDone && <Act act={post("done", `${id} is done, by hand.`)}>Mark done</Act>}
      {isDone && asking("undo", "Undo", "danger")}
      {asks === "undo" && <Undo task={task} close={close} />}
      {asks === "block" && (
        <Words
          title={`Block ${visible(id)}`}
          label="Why"
          verb="Block"
          close={close}
          send={(why) => ask("POST", `${path}/block`, { why })}
        />
      )}
      {asks === "steer" && (
        <Words
          title={`A message to the agent on ${visible(id)}`}
          label="Message"
          verb="Send"
          close={close}
          send={(text) => ask("POST", `${path}/steer`, { text })}
        />
      )}
    </div>
  );
}

function RunButton({ id, running }: { id: string; running: string | undefined }) {
  return (
    <Act
      kind="primary"
      disabled={running !== undefined}
      why={`a run is in progress: ${running ?? ""}`}
      act={async () => {
        await ask("POST", "/runs", { task: id });
        go("/");
        return `A run for ${id} has started.`;
      }}
    >
      Run
    </Act>
  );
}

interface WordsProps {
  title: string;
  label: string;
  verb: string;
  close: () => void;
  send: (text: string) => Promise<unknown>;
}

/** A dialog that takes a few words. */
function Words({ title, label, verb, close, send }: WordsProps) {
  const [text, setText] = useState("");
  return (
    <Dialog title={title} close={close}>
      <div class="form">
        <Field label={label} rows={4} value={text} set={setText} />
        <div class="buttons">
          <Act
            kind="primary"
            disabled={text.trim() === ""}
            why="write something first"
            act={async () => {
              await send(text);
              close();
            }}
          >
            {verb}
          </Act>
        </div>
      </div>
    </Dialog>
  );
}

/** Shows what would be taken back before it is. */
function Undo({ task, close }: { task: Task; close: () => void }) {
  const [cascade, setCascade] = useState(false);
  const [plan, setPlan] = useState<UndoAnswer | undefined>();
  const [error, setError] = useState<unknown>();
  const path = `${taskPath(task.id)}/undo`;
  useEffect(() => {
    setPlan(undefined);
    setError(undefined);
    const gone = new AbortController();
    ask<UndoAnswer>("POST", path, { dry_run: true, cascade }, { signal: gone.signal }).then(
      setPlan,
      (refused: unknown) => {
        if (!gone.signal.aborted) setError(refused);
      },
    );
    return () => {
      gone.abort();
    };
  }, [path, cascade]);
  const hasDependents = error instanceof Refused && error.code === "dependents";
  return (
    <Dialog title={`Undo ${visible(task.id)}`} close={close}>
      {plan === undefined && error === undefined && <p class="loading">Looking at what it changed …</p>}
      <Problem error={error} />
      {plan !== undefined && "undone" in plan && (
        <>
          <p>
            {plan.undone.length === 1 ? "It is to do again" : `${plan.undone.length} tasks are to do again`}.{" "}
            {plan.paths.length === 0 ? "No file changes." : "A new commit changes these files back:"}
          </p>
          <ul class="plain mono scroll">
            {plan.paths.map((one) => (
              <li key={one}>
                <Foreign text={one} />
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="buttons">
        {(hasDependents || cascade) && (
          <label>
            <input
              type="checkbox"
              checked={cascade}
              onChange={(event) => {
                setCascade(event.currentTarget.checked);
              }}
            />{" "}
            undo these too
          </label>
        )}
        <Act
          kind="danger"
          disabled={plan === undefined}
          why="this cannot be undone as it is"
          act={async () => {
            await ask<UndoAnswer>("POST", path, { cascade });
            close();
            return `${task.id} is undone, and to do again.`;
          }}
        >
          Undo
        </Act>
      </div>
    </Dialog>
  );
}
