// The state that every view shows: fed by the first look and the stream of changes. A view draws anew when it changes.
import { useEffect, useState } from "preact/hooks";
import type { StatusAnswer, RunsAnswer } from "../src/ui/shapes/runs.js";
import { follow, get, type Connection } from "./api.js";
import { tellNews } from "./notices.js";

/** A row of the board: `flags` tell what is unusual, e.g. `waits`, `asks`, `paused`, `unverified`. */
export interface Row {
  id: string;
  title: string;
  status: "todo" | "doing" | "blocked" | "done";
  priority: number;
  flags?: string[];
}

export interface AgentRow {
  name: string;
  kind: string;
  state: "idle" | "working" | "waiting";
  task: string | null;
  doing: string | null;
  until: string | null;
}

/** How a task ended in a run. */
export interface TaskOfRun {
  /** Null for a job without one, such as a review. */
  task: string | null;
  result: string;
  verdict: string | null;
  agents: string[];
  attempts: number;
  duration_ms: number;
}

export type RunRow = RunsAnswer["runs"][number];

export interface State {
  status: StatusAnswer | undefined;
  rows: readonly Row[];
  /** How many rows there are: before the stream has begun, `rows` are the first of them. */
  total: number;
  problem: string | undefined;
  role: string;
  connection: Connection;
  /** Counts the changes of tasks and runs: what a view has fetched may be old when it moves. */
  version: number;
}

let state: State = {
  status: undefined,
  rows: [],
  total: 0,
  problem: undefined,
  role: "admin",
  connection: { kind: "live" },
  version: 0,
};
const watchers = new Set<() => void>();

function set(change: Partial<State>): void {
  state = { ...state, ...change };
  for (const watcher of watchers) watcher();
}

export function useStore(): State {
  const [, draw] = useState(0);
  useEffect(() => {
    const watcher = (): void => {
      draw((n) => n + 1);
    };
    watchers.add(watcher);
    watcher();
    return () => {
      watchers.delete(watcher);
    };
  }, []);
  return state;
}

const HIDDEN_MS = 10_000;

/** Looks once, then follows until the signal. */
export async function start(signal: AbortSignal): Promise<void> {
  const boot = get<Boot>("/boot", signal).then(({ status, rows, tasks, problem, role }) => {
    if (state.status === undefined)
      set({ status, rows: inOrder(rows), total: tasks, problem: problem ?? undefined, role });
    else set({ role });
  });
  const changes = follow("/changes", {
    signal,
    connection: (connection) => {
      set({ connection });
    },
    heard: ({ event, data }) => {
      if (event === "state") setState(data as StateFrame);
      if (event === "tasks") setTasks(data as TasksFrame);
      if (event === "status") setStatus(data as StatusAnswer);
    },
  });
  // A hidden tab holds no stream: it asks now and then, for its title and its notices.
  const timer = setInterval(() => {
    if (document.hidden)
      get<StatusAnswer>("/status", signal)
        .then(setStatus)
        .catch(() => undefined);
  }, HIDDEN_MS);
  signal.addEventListener("abort", () => {
    clearInterval(timer);
  });
  await Promise.all([boot, changes]);
}

interface StateFrame {
  status: StatusAnswer;
  rows: Row[];
  problem?: string | null;
}

interface Boot extends StateFrame {
  tasks: number;
  role: string;
}

interface TasksFrame {
  rows: Row[];
  removed: string[];
  problem: string | null;
}

/** The status comes with each line of the log; what views have fetched is old only when one of these moved. */
function setStatus(status: StatusAnswer): void {
  const key = ({ tasks, questions, need_a_look: looks, run }: StatusAnswer): string =>
    JSON.stringify([
      tasks,
      questions?.map(({ question }) => question.id),
      looks,
      run?.run,
      run?.state,
      run?.current?.job,
    ]);
  const moved = state.status === undefined || key(state.status) !== key(status);
  const before = state.status;
  set({ status, version: moved ? state.version + 1 : state.version });
  tellNews(before, status);
}

function setState({ status, rows, problem }: StateFrame): void {
  const version = state.version + 1;
  set({ status, rows: inOrder(rows), total: rows.length, problem: problem ?? undefined, version });
}

/** Tasks in hand come first. */
const GROUPS = ["doing", "todo", "blocked", "done"];

function inOrder(rows: readonly Row[]): Row[] {
  const place = ({ status, priority }: Row): number => GROUPS.indexOf(status) * 1000 + priority;
  return rows.toSorted((a, b) => place(a) - place(b));
}

/** Changed rows take their place by group and priority; among equals the order stays. */
function setTasks({ rows: changed, removed, problem }: TasksFrame): void {
  const gone = new Set(removed);
  const now = new Map(changed.map((row) => [row.id, row]));
  const kept = state.rows.filter(({ id }) => !gone.has(id)).map((row) => now.get(row.id) ?? row);
  const known = new Set(kept.map(({ id }) => id));
  const rows = inOrder([...kept, ...changed.filter(({ id }) => !known.has(id))]);
  set({ rows, total: rows.length, problem: problem ?? undefined, version: state.version + 1 });
}

export interface Fetched<Answer> {
  data: Answer | undefined;
  error: unknown;
  /** Fetches again. */
  again: () => void;
}

/** The answer of a path, fetched again when the path or the project's state changes. The last one stays meanwhile. */
export function useAnswer<Answer>(path: string | undefined, { live = true } = {}): Fetched<Answer> {
  const { version } = useStore();
  const [said, setSaid] = useState<{ path: string | undefined; data?: Answer; error?: unknown }>({ path });
  const [asked, setAsked] = useState(0);
  const moves = live ? version : 0;
  useEffect(() => {
    if (path === undefined) return undefined;
    const gone = new AbortController();
    get<Answer>(path, gone.signal).then(
      (data) => {
        setSaid({ path, data });
      },
      (error: unknown) => {
        if (!gone.signal.aborted)
          setSaid((before) => ({ ...(before.path === path ? before : {}), path, error }));
      },
    );
    return () => {
      gone.abort();
    };
  }, [path, moves, asked]);
  const isOwn = said.path === path;
  return {
    data: isOwn ? said.data : undefined,
    error: isOwn ? said.error : undefined,
    again: () => {
      setAsked((n) => n + 1);
    },
  };
}

/** The time, a new one each second: for what counts up. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, 1000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return now;
}
