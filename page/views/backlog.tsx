// The backlog: every task as a list or a board, filtered; tasks are added, selected and given priorities here.
import { useMemo, useRef, useState } from "preact/hooks";
import { ask } from "../api.js";
import {
  Act,
  Dialog,
  Empty,
  Field,
  Foreign,
  Problem,
  say,
  sayError,
  StateSign,
  stay,
  typed,
  useKeys,
  useNarrow,
  Windowed,
  wordsIn,
} from "../parts.js";
import { go, last, Link, taskPath } from "../router.js";
import { useAnswer, useStore, type Row } from "../store.js";
import { plural, visible } from "../words.js";

const STATUSES = ["todo", "doing", "blocked", "done"] as const;
const COLUMN_TITLES = { todo: "To do", doing: "In progress", blocked: "Blocked", done: "Done" } as const;
const PRIORITIES = [1, 2, 3, 4, 5];
const ROW_HEIGHT = 32;
const PHONE_ROW = 52;
const CARD_HEIGHT = 64;

/** The rows that have all the words: `status:blocked` and `is:asks` name a state, other words stand in id or title. Pure. */
export function filterRows(rows: readonly Row[], words: string): readonly Row[] {
  const wanted = words.toLowerCase().match(/\S+/g) ?? [];
  if (wanted.length === 0) return rows;
  return rows.filter(({ id, title, status, priority, flags = [] }) =>
    wanted.every((word) => {
      const [key = "", value = ""] = word.split(/:(.*)/s);
      if (key === "status" && value !== "") return status === value;
      if (key === "is" && value !== "") return flags.includes(value);
      if (/^p\d$/.test(word)) return priority === Number(word.slice(1)) || id.toLowerCase() === word;
      return id.toLowerCase().includes(word) || title.toLowerCase().includes(word);
    }),
  );
}

/** The word that says most about a row. */
function stateOf({ status, flags = [] }: Row): string {
  const flag = ["asks", "paused", "unverified", "unbroken", "none"].find((one) => flags.includes(one));
  if (flag !== undefined) return flag;
  if (status === "todo" && flags.includes("waits")) return "waits";
  return status === "done" ? "verified" : status;
}

interface BacklogProps {
  filter: string;
  shape: "list" | "board";
}

export function Backlog({ filter, shape }: BacklogProps) {
  const { rows, status, total, role, problem } = useStore();
  const [adding, setAdding] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const shown = useMemo(() => filterRows(rows, filter), [rows, filter]);
  const mayAct = role === "admin";
  useKeys({
    "/": () => field.current?.focus(),
    a: () => {
      if (mayAct) setAdding(true);
    },
  });
  return (
    <div class="backlog">
      <div class="heading-line">
        <h1>Backlog</h1>
        <input
          ref={field}
          type="search"
          class="filter"
          aria-label="Filter"
          placeholder="Filter: words, status:blocked, is:asks, p1"
          value={filter}
          onInput={typed((words) => {
            show(words, shape);
          })}
        />
        <div class="switch" role="group" aria-label="Shape">
          {(["list", "board"] as const).map((one) => (
            <button
              key={one}
              aria-pressed={shape === one}
              onClick={() => {
                show(filter, one);
              }}
            >
              {one === "list" ? "List" : "Board"}
            </button>
          ))}
        </div>
        {mayAct && (
          <button
            class="primary"
            onClick={() => {
              setAdding(true);
            }}
          >
            Add a task
          </button>
        )}
      </div>
      <Counts filter={filter} shape={shape} shown={shown.length} />
      {shown.length === 0 && status !== undefined && (
        <Empty>
          {problem !== undefined && total === 0
            ? "No task can be read; what is wrong is said above."
            : total === 0
              ? "No task yet. Add one here, or write to-do.json with looper init or looper import."
              : "No task has these words."}
        </Empty>
      )}
      {shown.length > 0 &&
        (shape === "list" ? <List rows={shown} mayAct={mayAct} /> : <Board rows={shown} />)}
      {adding && (
        <Add
          close={() => {
            setAdding(false);
          }}
        />
      )}
    </div>
  );
}

/** The address of a filter and a shape. */
function show(words: string, shape: string): void {
  const query = new URLSearchParams({
    ...(words === "" ? {} : { q: words }),
    ...(shape === "list" ? {} : { shape }),
  }).toString();
  go(`/tasks${query === "" ? "" : `?${query}`}`, { replace: true });
}

function Counts({ filter, shape, shown }: BacklogProps & { shown: number }) {
  const { rows, status, total } = useStore();
  if (status === undefined) return null;
  return (
    <p class="muted counts-line">
      {STATUSES.map((one) => (
        <button
          key={one}
          class="quiet"
          onClick={() => {
            show(filter === `status:${one}` ? "" : `status:${one}`, shape);
          }}
        >
          {status.tasks[one].toLocaleString("en")} {COLUMN_TITLES[one].toLowerCase()}
        </button>
      ))}
      {filter !== "" && <span>{plural(shown, "row")} shown</span>}
      {rows.length < total && <span>reading {total.toLocaleString("en")} rows …</span>}
    </p>
  );
}

/** One change for all of them. */
async function setPriority(ids: readonly string[], priority: number): Promise<void> {
  try {
    await ask("POST", "/tasks/edit", {
      changes: ids.map((id) => ({ op: "edit", id, set: { priority }, clear: [] })),
    });
    say(`${ids.length === 1 ? (ids[0] ?? "") : plural(ids.length, "task")}: priority ${priority}.`);
  } catch (error) {
    sayError(error);
  }
}

function indexOfLast(rows: readonly Row[]): number {
  return rows.findIndex(({ id }) => id === last.task);
}

function List({ rows, mayAct }: { rows: readonly Row[]; mayAct: boolean }) {
  const height = useNarrow() ? PHONE_ROW : ROW_HEIGHT;
  const [place, setAt] = useState(() => indexOfLast(rows));
  const [picked, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Rows that the filter hides are not changed.
  const chosen = new Set(rows.flatMap((row) => (picked.has(row.id) ? [row.id] : [])));
  const at = Math.max(0, Math.min(place, rows.length - 1));
  const id = rows[at]?.id ?? "";
  const toggle = (one: string): void => {
    const next = new Set(picked);
    if (!next.delete(one)) next.add(one);
    setChosen(next);
  };
  useKeys({
    j: () => {
      setAt(Math.min(at + 1, rows.length - 1));
    },
    k: () => {
      setAt(Math.max(at - 1, 0));
    },
    Enter: () => {
      go(taskPath(id));
    },
    " ": () => {
      toggle(id);
    },
    Escape: () => {
      setChosen(new Set());
    },
    ...Object.fromEntries(
      PRIORITIES.map((n) => [
        String(n),
        () => {
          if (mayAct) void setPriority(chosen.size > 0 ? [...chosen] : [id], n);
        },
      ]),
    ),
  });
  return (
    <>
      {chosen.size > 0 && mayAct && (
        <div class="chosen">
          {plural(chosen.size, "task")} selected. Priority:
          {PRIORITIES.map((n) => (
            <button key={n} onClick={() => void setPriority([...chosen], n)}>
              {n}
            </button>
          ))}
          <button
            class="quiet"
            onClick={() => {
              setChosen(new Set());
            }}
          >
            Clear
          </button>
        </div>
      )}
      <Windowed items={rows} height={height} label="Tasks" at={at}>
        {(row, index) => (
          <ListRow
            key={row.id}
            row={row}
            index={index}
            height={height}
            isAt={index === at}
            chosen={chosen}
            toggle={toggle}
            mayAct={mayAct}
          />
        )}
      </Windowed>
    </>
  );
}

/** The kind of what is dragged: a task of this project, and nothing else, can be dropped on a row. */
const aTask = (): string => `looper/${location.host}`;

interface ListRowProps {
  row: Row;
  index: number;
  height: number;
  isAt: boolean;
  chosen: ReadonlySet<string>;
  toggle: (id: string) => void;
  mayAct: boolean;
}

function ListRow({ row, index, height, isAt, chosen, toggle, mayAct }: ListRowProps) {
  const { id, title, priority, flags = [] } = row;
  const [over, setOver] = useState(false);
  const state = stateOf(row);
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-selected={chosen.has(id)}
      class={`row ${isAt ? "at" : ""} ${over ? "over" : ""}`}
      style={{ height: `${height}px` }}
      draggable={mayAct}
      onClick={() => {
        go(taskPath(id));
      }}
      onDragStart={(event) => {
        event.dataTransfer?.setData(aTask(), id);
        event.dataTransfer?.setData("text/plain", id);
      }}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes(aTask()) !== true) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => {
        setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const dragged = event.dataTransfer?.getData(aTask()) ?? id;
        if (dragged !== id) void setPriority(chosen.has(dragged) ? [...chosen] : [dragged], priority);
      }}
    >
      <span role="gridcell" class="pick">
        <input
          type="checkbox"
          aria-label={`Select ${visible(id)}`}
          checked={chosen.has(id)}
          onClick={(event) => {
            event.stopPropagation();
            toggle(id);
          }}
        />
      </span>
      <span role="gridcell">
        <StateSign state={state} word={false} />
      </span>
      <span role="gridcell" class="id">
        {visible(id)}
      </span>
      <span role="gridcell" class="grow cut">
        <Link to={taskPath(id)}>
          <Foreign text={title} />
        </Link>
      </span>
      <span role="gridcell" class="muted state-word">
        {flags.filter((flag) => flag !== "waits" || state === "waits").join(", ")}
      </span>
      <span role="gridcell" class="priority muted" title={`priority ${priority}`}>
        P{priority}
      </span>
    </div>
  );
}

function Board({ rows }: { rows: readonly Row[] }) {
  return (
    <div class="board">
      {STATUSES.map((status) => {
        const own = rows.filter((row) => row.status === status);
        return (
          <section key={status} class="panel" aria-label={COLUMN_TITLES[status]}>
            <header>
              <h2>
                <StateSign state={status === "done" ? "done" : status} word={false} /> {COLUMN_TITLES[status]}
              </h2>
              <span class="muted figure">{own.length.toLocaleString("en")}</span>
            </header>
            {own.length === 0 ? (
              <Empty>None</Empty>
            ) : (
              <Windowed items={own} height={CARD_HEIGHT} label={COLUMN_TITLES[status]} at={indexOfLast(own)}>
                {(row, index) => (
                  <div
                    key={row.id}
                    role="row"
                    aria-rowindex={index + 1}
                    class="board-card"
                    style={{ height: `${CARD_HEIGHT}px` }}
                    onClick={() => {
                      go(taskPath(row.id));
                    }}
                  >
                    <span role="gridcell" class="title cut">
                      <Link to={taskPath(row.id)}>
                        <Foreign text={row.title} />
                      </Link>
                    </span>
                    <span role="gridcell" class="muted meta">
                      <StateSign state={stateOf(row)} word={false} /> {visible(row.id)} · P{row.priority}
                      {row.flags !== undefined && ` · ${row.flags.join(", ")}`}
                    </span>
                  </div>
                )}
              </Windowed>
            )}
          </section>
        );
      })}
    </div>
  );
}

function Add({ close }: { close: () => void }) {
  const workflows = useAnswer<{ workflows: { name: string }[] }>("/workflows", { live: false });
  const [title, setTitle] = useState("");
  const [details, setDetails] = useState("");
  const [priority, setPriorityText] = useState("3");
  const [depends, setDepends] = useState("");
  const [workflow, setWorkflow] = useState("");
  const [error, setError] = useState<unknown>();
  const add = async (): Promise<string | undefined> => {
    const said = await ask<{ changed: { id: string }[] }>("POST", "/tasks", {
      title,
      priority: Number(priority),
      ...(details === "" ? {} : { details }),
      ...(workflow === "" ? {} : { workflow }),
      ...(depends.trim() === "" ? {} : { depends_on: wordsIn(depends) }),
    });
    close();
    return `${said.changed[0]?.id ?? "The task"} is added.`;
  };
  return (
    <Dialog title="Add a task" close={close}>
      <form class="form" onSubmit={stay}>
        <Field label="Title" value={title} set={setTitle} />
        <Field
          label="Details: what is wanted, and how one sees that it is done"
          rows={5}
          value={details}
          set={setDetails}
        />
        <div class="fields">
          <Field label="Priority (1 is first)" isNumber value={priority} set={setPriorityText} />
          <Field label="Depends on" placeholder="T3, T4" value={depends} set={setDepends} />
          <label>
            Workflow
            <select value={workflow} onChange={typed(setWorkflow)}>
              <option value="">as the project has it</option>
              {(workflows.data?.workflows ?? []).map(({ name }) => (
                <option key={name} value={name}>
                  {visible(name)}
                </option>
              ))}
            </select>
          </label>
        </div>
        <Problem error={error} />
        <div class="buttons">
          <Act
            kind="primary"
            act={add}
            failed={setError}
            disabled={title.trim() === ""}
            why="it needs a title"
          >
            Add
          </Act>
        </div>
      </form>
    </Dialog>
  );
}
