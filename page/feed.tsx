// The messages and calls of agents in a run, as they come: a call and its result are one card. Long output stays folded.
import { useEffect, useRef, useState } from "preact/hooks";
import { follow } from "./api.js";
import { Block, Empty, Foreign, StateSign, Time } from "./parts.js";
import { duration, visible, word } from "./words.js";

/** A line of the log, as far as it is shown. */
export interface LogLine {
  seq: number;
  timestamp: string;
  type: string;
  task_id?: string;
  [key: string]: unknown;
}

interface Card {
  seq: number;
  at: string;
  kind: "message" | "call" | "note" | "verdict";
  /** Of a call: its tool or command. */
  name: string;
  text: string;
  state?: string;
  /** Of a call, to find it again. */
  id?: string;
  result?: string;
}

const MOST_CARDS = 300;
const MOST_TEXT = 20_000;
const LAST_LINES = 500;

/** The cards after one more line. Pure. */
export function addLine(cards: readonly Card[], line: LogLine): readonly Card[] {
  const text = (key: string): string => word(line[key]).slice(0, MOST_TEXT);
  const card = (
    kind: Card["kind"],
    name: string,
    body: string,
    more: Partial<Card> = {},
  ): readonly Card[] => [
    ...cards.slice(-MOST_CARDS + 1),
    { seq: line.seq, at: line.timestamp, kind, name, text: body, ...more },
  ];
  switch (line.type) {
    case "message":
      return card("message", "", text("content"));
    case "tool_use":
      return card("call", text("name"), brief(line["input"]), { id: text("id"), state: "running" });
    case "tool_result":
      return closeCall(cards, text("id"), text("output"), line["is_error"] === true);
    case "command":
      return command(cards, line, card);
    case "error":
      return card("note", "error", text("error"), { state: "error" });
    case "warning":
      return card("note", "warning", text("message"), { state: "waiting" });
    case "stage_entered":
      return card("note", "stage", `${line.task_id ?? ""} enters ${text("to")}`);
    case "agent_started":
      return card("note", "agent", `${text("agent")} starts on ${line.task_id ?? text("phase")}`);
    case "task_updated":
      return card("note", "task", `${line.task_id ?? ""}: ${text("from")} → ${text("to")}`, {
        state: text("to"),
      });
    case "attempt_failed":
      return card(
        "note",
        "attempt",
        text("reason") + (line["evidence"] === undefined ? "" : `: ${text("evidence")}`),
        { state: "failed" },
      );
    case "committed":
      return text("commit") === ""
        ? cards
        : card("note", "commit", text("commit").slice(0, 10), { state: "done" });
    default:
      return cards;
  }
}

/** The one argument that says most. */
export function brief(input: unknown): string {
  if (typeof input !== "object" || input === null) return typeof input === "string" ? input : "";
  const values = input as Record<string, unknown>;
  for (const key of ["file_path", "path", "command", "pattern", "query", "url"]) {
    const value = values[key];
    if (typeof value === "string") return value;
  }
  return JSON.stringify(input).slice(0, 300);
}

function closeCall(cards: readonly Card[], id: string, result: string, isError: boolean): readonly Card[] {
  const at = cards.findLastIndex((card) => card.id === id && card.result === undefined);
  if (at === -1) return cards;
  return cards.map((card, index) =>
    index === at ? { ...card, result, state: isError ? "failed" : "done" } : card,
  );
}

/** A shell command comes twice: when it starts, and with its exit code when it has ended. */
function command(
  cards: readonly Card[],
  line: LogLine,
  card: (kind: Card["kind"], name: string, text: string, more: Partial<Card>) => readonly Card[],
): readonly Card[] {
  const text = typeof line["command"] === "string" ? line["command"] : "";
  const code = line["exit_code"];
  const state = typeof code !== "number" ? "running" : code === 0 ? "done" : "failed";
  const took = typeof line["duration_ms"] === "number" ? duration(line["duration_ms"]) : "";
  const result = typeof code === "number" ? `exit code ${code}${took === "" ? "" : ` · ${took}`}` : undefined;
  const at = cards.findLastIndex((one) => one.name === "$" && one.text === text && one.state === "running");
  if (at === -1 || result === undefined)
    return card("call", "$", text, { state, ...(result === undefined ? {} : { result }) });
  return cards.map((one, index) => (index === at ? { ...one, state, result } : one));
}

interface FeedProps {
  run: string;
  /** Only lines of this task. */
  task?: string;
  /** Only lines of this job. */
  job?: number;
  /** Begin with the line after this one; absent: with the last ones. */
  after?: number;
  /** The last line; absent: it follows. */
  until?: number;
}

export function Feed({ run, task, job, after, until }: FeedProps) {
  const [cards, setCards] = useState<readonly Card[]>([]);
  const [missed, setMissed] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    const gone = new AbortController();
    let waiting: LogLine[] = [];
    let frame = 0;
    setCards([]);
    const draw = (): void => {
      frame = 0;
      const lines = waiting;
      waiting = [];
      setCards((before) => lines.reduce(addLine, before));
      if (!follows.current) setMissed((n) => n + lines.length);
    };
    void follow(
      `/runs/${encodeURIComponent(run)}/events?${after === undefined ? `last=${LAST_LINES}` : `after=${after}`}`,
      {
        signal: gone.signal,
        heard: ({ event, data }) => {
          if (event !== "message") return;
          const line = data as LogLine;
          if (until !== undefined && line.seq > until) {
            gone.abort();
            return;
          }
          if (task !== undefined && line.task_id !== task) return;
          if (job !== undefined && line["job"] !== job) return;
          waiting.push(line);
          if (waiting.length > 2000) waiting = waiting.slice(-1000);
          if (frame === 0) frame = requestAnimationFrame(draw);
        },
      },
    );
    return () => {
      gone.abort();
      cancelAnimationFrame(frame);
    };
  }, [run, task, job, after, until]);
  useEffect(() => {
    if (follows.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [cards]);
  const toEnd = (): void => {
    follows.current = true;
    setMissed(0);
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  };
  return (
    <div class="feed-frame">
      <div
        ref={box}
        class="feed"
        role="log"
        aria-label="What the agent says and does"
        tabIndex={0}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          follows.current = scrollHeight - scrollTop - clientHeight < 40;
          if (follows.current) setMissed(0);
        }}
      >
        {cards.length === 0 && <Empty>Nothing has been said yet.</Empty>}
        {cards.map((card) => (
          <FeedCard key={card.seq} card={card} />
        ))}
      </div>
      {missed > 0 && (
        <button class="more" onClick={toEnd}>
          {missed} new ↓
        </button>
      )}
    </div>
  );
}

function FeedCard({ card }: { card: Card }) {
  if (card.kind === "message")
    return (
      <div class="card message">
        <Foreign text={card.text} />
      </div>
    );
  if (card.kind === "note")
    return (
      <div class="card note">
        <Time at={card.at} />
        {card.state !== undefined && <StateSign state={card.state} word={false} />}
        <Foreign text={card.text} />
      </div>
    );
  const head = (
    <>
      <StateSign state={card.state ?? "running"} word={false} /> <b>{visible(card.name)}</b>{" "}
      <Foreign class="mono" text={card.text} />
    </>
  );
  if (card.name === "$" || card.result === undefined || card.result === "")
    return (
      <div class="card call">
        {head}
        {card.result !== undefined && card.result !== "" && <span class="muted"> {card.result}</span>}
      </div>
    );
  return (
    <details class="card call">
      <summary>{head}</summary>
      <Block text={card.result} label={`Output of ${card.name}`} />
    </details>
  );
}
