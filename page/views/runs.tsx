// Runs: all of them with their figures, one of them with its timeline, and its log by ranges.
import { useEffect, useRef, useState } from "preact/hooks";
import { Refused, send } from "../api.js";
import { Columns, Timeline, type Span } from "../chart.js";
import { Feed, type LogLine } from "../feed.js";
import { Act, Empty, Foreign, Panel, Pending, Problem, StateSign, Time, Trail } from "../parts.js";
import { go, Link, runPath, taskPath } from "../router.js";
import { useAnswer, useStore, type RunRow, type TaskOfRun } from "../store.js";
import { count, dollars, duration, plural, visible } from "../words.js";

const CHARTED = 30;

function stateOf({ state, ending }: Pick<RunRow, "state" | "ending">): string {
  return state === "ended" ? (ending ?? "ended") : state;
}

export function Runs() {
  const { data, error } = useAnswer<{ runs: RunRow[] }>("/runs?limit=200");
  const runs = data?.runs ?? [];
  return (
    <>
      <h1>Runs</h1>
      <Problem error={error} />
      {data !== undefined && runs.length === 0 && (
        <Empty>No run yet. Start one from Now, or with looper run.</Empty>
      )}
      {runs.length > 1 && <Charts runs={runs.slice(0, CHARTED).reverse()} />}
      {runs.length > 0 && (
        <div class="table-frame" tabIndex={0} role="region" aria-label="All runs">
          <table class="table">
            <thead>
              <tr>
                <th>Ending</th>
                <th>Run</th>
                <th class="number">Done</th>
                <th class="number">Attempts</th>
                <th class="number">Time</th>
                <th class="number">Tokens</th>
                <th class="number">Cost</th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => (
                <tr
                  key={run.run}
                  onClick={() => {
                    go(runPath(run.run));
                  }}
                >
                  <td>
                    <StateSign state={stateOf(run)} />
                  </td>
                  <td>
                    <Link to={runPath(run.run)}>{run.run}</Link>
                    {run.workflow !== undefined && <span class="muted"> {visible(run.workflow)}</span>}
                  </td>
                  <td class="number">{run.done === null ? "–" : `${run.done} of ${run.tasks ?? "?"}`}</td>
                  <td class="number">{count(run.iterations)}</td>
                  <td class="number">{duration(run.duration_ms)}</td>
                  <td class="number">{count(run.tokens)}</td>
                  <td class="number">{dollars(run.cost_usd, run.cost_partly)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

type Figure = (run: RunRow) => number | null;

/** The sum of what is known; null: nothing is. Pure. */
export function sumOf(values: readonly (number | null)[]): number | null {
  return values.reduce((all, one) => (one === null ? all : (all ?? 0) + one), null);
}

function Charts({ runs }: { runs: readonly RunRow[] }) {
  const isPart = runs.some((run) => run.cost_usd === null || run.cost_partly);
  const chart = (title: string, of: Figure, show: typeof dollars, total = sumOf(runs.map(of))) => (
    <Columns
      title={title}
      total={show(total, isPart)}
      items={runs.map((run) => ({
        label: run.run,
        value: of(run),
        shown: show(of(run)),
        tone: run.state === "killed" ? "bad" : "accent",
      }))}
    />
  );
  return (
    <div class="charts">
      {chart("Cost", (run) => run.cost_usd, dollars)}
      {chart("Tasks done so far", (run) => run.done, count, Math.max(...runs.map((run) => run.done ?? 0)))}
      {chart("Time", (run) => run.duration_ms, duration)}
    </div>
  );
}

export interface Detail extends Omit<RunRow, "tasks"> {
  tasks: TaskOfRun[];
  jobs: {
    job: number;
    task: string | null;
    stage: string | null;
    agent: string;
    attempt: number;
    started: string;
    duration_ms: number;
    result: string | null;
    verdict: string | null;
  }[];
}

/** Its tasks with their results; the one in hand, or that it had in hand when it was killed, comes first. Pure. */
export function tasksOf({ state, tasks, jobs }: Pick<Detail, "state" | "tasks" | "jobs">): TaskOfRun[] {
  const last = jobs.at(-1);
  if (last === undefined || last.result !== null) return tasks;
  const before = tasks.find(({ task }) => task !== null && task === last.task);
  return [
    {
      ...{ task: last.task, result: state === "running" ? "running" : "killed", verdict: null },
      agents: [...new Set([...(before?.agents ?? []), last.agent])],
      attempts: (before?.attempts ?? 0) + 1,
      duration_ms: (before?.duration_ms ?? 0) + last.duration_ms,
    },
    ...tasks.filter((one) => one !== before),
  ];
}

export function RunView({ run }: { run: string }) {
  const { data, error } = useAnswer<Detail>(runPath(run));
  if (data === undefined)
    return (
      <>
        <Trail to="/runs">Runs</Trail>
        <h1>{visible(run)}</h1>
        <Pending what="the run" error={error} />
      </>
    );
  const spans = data.jobs.map((job) => spanOf(data, job));
  const tasks = tasksOf(data);
  const isBad = ({ result, verdict }: TaskOfRun): boolean =>
    result !== "done" || (verdict !== null && verdict !== "verified");
  return (
    <>
      <Trail to="/runs">Runs</Trail>
      <div class="heading-line">
        <h1>Run {run}</h1>
        <StateSign state={stateOf(data)} />
      </div>
      <p class="facts">
        <span>
          <Time at={data.started} />
        </span>
        <span>{duration(data.duration_ms)}</span>
        {(data.tokens ?? 0) > 0 && <span>{count(data.tokens)} tokens</span>}
        <span>{dollars(data.cost_usd, data.cost_partly)}</span>
        <Link to={`${runPath(run)}/log`}>Log</Link>
        {data.state === "running" && <StopButton run={run} />}
      </p>
      {spans.length > 0 && (
        <Panel title="Timeline">
          <Timeline spans={spans} />
        </Panel>
      )}
      <div class="columns-2">
        <div>
          <Panel title={`Tasks (${tasks.length})`}>
            {tasks.length === 0 && <Empty>It has worked on no task.</Empty>}
            <TaskRows run={run} tasks={tasks.toSorted((a, b) => Number(isBad(b)) - Number(isBad(a)))} />
          </Panel>
        </div>
        <div>
          <Panel title="What was said and done">
            <Feed run={run} />
          </Panel>
        </div>
      </div>
    </>
  );
}

export function StopButton({ run, now = false }: { run: string; now?: boolean }) {
  const { role } = useStore();
  return (
    <Act
      kind={now ? "danger" : "plain"}
      disabled={role !== "admin"}
      why="your role may only read"
      act={async () => {
        await send("POST", `${runPath(run)}/stop`, now ? { now } : {});
        return now ? undefined : "It ends after its task.";
      }}
    >
      {now ? "Stop now" : "Stop after this task"}
    </Act>
  );
}

/** Tasks of a run with their results. */
export function TaskRows({ run, tasks }: { run: string; tasks: readonly TaskOfRun[] }) {
  const { rows } = useStore();
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  return (
    <ul class="rows">
      {tasks.map(({ task, result, verdict, agents, attempts, duration_ms: ms }, index) => (
        <li key={index}>
          <Link to={task === null ? runPath(run) : taskPath(task)}>
            <StateSign state={result === "done" ? (verdict ?? "done") : result} word={false} />
            <span class="id">{visible(task ?? "review")}</span>
            <span class="grow">
              <Foreign text={task === null ? "A look at the whole project" : (titles.get(task) ?? "")} />
              <span class="muted block">
                {visible(agents.join(", "))} · {plural(attempts, "attempt")}
              </span>
            </span>
            <span class="figure muted">{duration(ms)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function spanOf({ run, state }: Detail, job: Detail["jobs"][number]): Span {
  const { task, stage, agent, attempt } = job;
  const words = [task ?? "review", stage, agent, attempt > 1 ? `attempt ${attempt}` : null];
  return {
    key: String(job.job),
    group: task ?? "review",
    label: words.filter((word) => word !== null).join(" · "),
    began: Date.parse(job.started),
    ms: job.duration_ms,
    result:
      job.result === "done"
        ? (job.verdict ?? "done")
        : (job.result ?? (state === "running" ? "running" : "killed")),
    ...(task === null ? {} : { to: `${taskPath(task)}/${encodeURIComponent(run)}/${job.job}` }),
  };
}

const PAGE = 128 * 1024;
const MOST_LINE = 600;

interface Piece {
  from: number;
  /** Where the next line begins. */
  to: number;
  size: number;
  lines: string[];
}

/** The whole lines of bytes of a log, from an offset on; of a line that is longer than them, the part in them. Pure. */
export function pieceOf(bytes: Uint8Array, at: number, size: number): Piece {
  const from = at === 0 ? 0 : bytes.indexOf(10) + 1;
  const end = at + bytes.length < size ? bytes.lastIndexOf(10) + 1 : bytes.length;
  const to = end > from ? end : bytes.length;
  const lines = new TextDecoder().decode(bytes.subarray(from, to)).split("\n");
  return { from: at + from, to: at + to, size, lines: lines.filter((line) => line !== "") };
}

async function readPiece(run: string, from: number, signal: AbortSignal): Promise<Piece> {
  const range = from < 0 ? `bytes=-${PAGE}` : `bytes=${from}-${from + PAGE - 1}`;
  const response = await send("GET", `${runPath(run)}/log`, undefined, { signal, headers: { range } });
  const [, first = "0", size = "0"] =
    /bytes (\d+)-\d+\/(\d+)/.exec(response.headers.get("content-range") ?? "") ?? [];
  return pieceOf(new Uint8Array(await response.arrayBuffer()), Number(first), Number(size));
}

function usePiece(run: string, from: number) {
  const [piece, setPiece] = useState<Piece | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const gone = new AbortController();
    readPiece(run, from, gone.signal).then(
      (read) => {
        setPiece(read);
        setError(undefined);
      },
      (failed: unknown) => {
        if (!gone.signal.aborted) setError(failed);
      },
    );
    return () => {
      gone.abort();
    };
  }, [run, from]);
  return { piece, error };
}

export function LogView({ run }: { run: string }) {
  const [from, setFrom] = useState(-1);
  const { piece, error } = usePiece(run, from);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = from < 0 ? box.current.scrollHeight : 0;
  }, [piece]);
  const isEmpty = error instanceof Refused && error.status === 416;
  const { from: at = 0, to = 0, size = 0 } = piece ?? {};
  return (
    <>
      <Trail to={runPath(run)}>Run {run}</Trail>
      <div class="heading-line">
        <h1>Log</h1>
        <div class="buttons">
          <button
            disabled={at === 0}
            onClick={() => {
              setFrom(Math.max(0, at - PAGE));
            }}
          >
            ↑ Earlier
          </button>
          <label class="slide">
            <span class="hidden">Where in the log</span>
            <input
              type="range"
              min="0"
              max={Math.max(1, size - 1)}
              step="1"
              value={at}
              onChange={(event) => {
                setFrom(Number(event.currentTarget.value));
              }}
            />
          </label>
          <button
            disabled={to >= size}
            onClick={() => {
              // The end of the line before it, which is left out.
              setFrom(to - 1);
            }}
          >
            ↓ Later
          </button>
          <button
            onClick={() => {
              setFrom(from === -1 ? -2 : -1);
            }}
          >
            End
          </button>
        </div>
      </div>
      <p class="muted">
        {(size / 1_000_000).toFixed(1)} MB; shown from byte {at.toLocaleString("en")} on
      </p>
      {isEmpty ? <Empty>The log is empty.</Empty> : <Problem error={error} />}
      <div ref={box} class="log" tabIndex={0} role="region" aria-label="Lines of the log">
        {piece?.lines.map((line, index) => (
          <LogLine key={`${at}-${index}`} line={line} />
        ))}
      </div>
    </>
  );
}

/** The keys of every line, for the columns before it. */
function factsOf(line: string): Partial<LogLine> {
  try {
    return JSON.parse(line) as Partial<LogLine>;
  } catch {
    return {};
  }
}

const FAILING = new Set(["attempt_failed", "error", "warning", "effect_failed", "backlog_invalid"]);

function LogLine({ line }: { line: string }) {
  const { seq, timestamp, type = "", task_id: task } = factsOf(line);
  return (
    <details class={FAILING.has(type) ? "log-line failing" : "log-line"}>
      <summary>
        <span class="figure muted">{seq}</span>
        <span class="muted">{timestamp !== undefined && new Date(timestamp).toLocaleTimeString()}</span>
        <b>{visible(type)}</b>
        {task !== undefined && <span>{visible(task)}</span>}
        <Foreign class="cut mono grow muted" text={line.slice(0, MOST_LINE)} />
      </summary>
      <pre>
        <bdi dir="auto">{visible(pretty(line))}</bdi>
      </pre>
    </details>
  );
}

function pretty(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), undefined, 2).slice(0, 200_000);
  } catch {
    return line;
  }
}
