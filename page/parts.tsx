// The small parts that every view is made of.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Refused } from "./api.js";
import { Link } from "./router.js";
import { clock, visible } from "./words.js";

interface Sign {
  glyph: string;
  tone: "muted" | "accent" | "ask" | "warn" | "good" | "bad";
  word: string;
}

/** How each state looks: never by colour alone. */
const SIGNS: Readonly<Record<string, Sign>> = {
  todo: { glyph: "○", tone: "muted", word: "to do" },
  doing: { glyph: "●", tone: "accent", word: "in progress" },
  running: { glyph: "●", tone: "accent", word: "running" },
  working: { glyph: "●", tone: "accent", word: "working" },
  asks: { glyph: "?", tone: "ask", word: "asks you" },
  paused: { glyph: "‖", tone: "warn", word: "paused" },
  waits: { glyph: "‖", tone: "muted", word: "waits" },
  waiting: { glyph: "‖", tone: "warn", word: "waiting" },
  blocked: { glyph: "■", tone: "warn", word: "blocked" },
  verified: { glyph: "✓", tone: "good", word: "verified" },
  accepted: { glyph: "✓", tone: "good", word: "accepted" },
  done: { glyph: "✓", tone: "good", word: "done" },
  complete: { glyph: "✓", tone: "good", word: "complete" },
  completed: { glyph: "✓", tone: "good", word: "completed" },
  reviewed: { glyph: "✓", tone: "good", word: "reviewed" },
  advanced: { glyph: "→", tone: "good", word: "next stage" },
  unverified: { glyph: "⚑", tone: "warn", word: "unverified" },
  unbroken: { glyph: "⚑", tone: "warn", word: "unbroken" },
  none: { glyph: "✓", tone: "muted", word: "done, nothing to verify" },
  failed: { glyph: "✗", tone: "bad", word: "failed" },
  killed: { glyph: "✗", tone: "bad", word: "killed" },
  error: { glyph: "✗", tone: "bad", word: "error" },
  interrupted: { glyph: "■", tone: "muted", word: "interrupted" },
  limit: { glyph: "■", tone: "muted", word: "limit reached" },
  budget: { glyph: "■", tone: "warn", word: "budget spent" },
  environment: { glyph: "✗", tone: "bad", word: "environment" },
  "unusable-backlog": { glyph: "✗", tone: "bad", word: "unusable backlog" },
  stopped: { glyph: "■", tone: "muted", word: "stopped" },
  skipped: { glyph: "–", tone: "muted", word: "skipped" },
  ended: { glyph: "■", tone: "muted", word: "ended" },
  idle: { glyph: "○", tone: "muted", word: "idle" },
};

export function signOf(state: string): Sign {
  return SIGNS[state] ?? { glyph: "•", tone: "muted", word: state.replaceAll(/[-_]/g, " ") };
}

export function StateSign({ state, word = true }: { state: string; word?: boolean }) {
  const sign = signOf(state);
  return (
    <span class={`state ${sign.tone}`} title={sign.word}>
      <span class="glyph" aria-hidden="true">
        {sign.glyph}
      </span>
      <span class={word ? "" : "hidden"}>{sign.word}</span>
    </span>
  );
}

/** A text that an agent or a file brought: as text, apart from the text around it. */
export function Foreign({ text, class: name = "" }: { text: string; class?: string }) {
  return (
    <bdi class={`foreign ${name}`} dir="auto">
      {visible(text)}
    </bdi>
  );
}

const MOST_SHOWN = 4000;

/** How many of them are shown, at first no more than `few`, and a button that shows all. */
export function useMost(few: number, total: number, what: string) {
  const [whole, setWhole] = useState(false);
  if (whole || total <= few) return { most: total, more: null };
  const more = (
    <button
      class="quiet"
      onClick={() => {
        setWhole(true);
      }}
    >
      Show all {total.toLocaleString("en")} {what}
    </button>
  );
  return { most: few, more };
}

/** A long foreign text in monospace, its end folded away. */
export function Block({ text, label }: { text: string; label: string }) {
  const { most, more } = useMost(MOST_SHOWN, text.length, "characters");
  return (
    <div class="block">
      <pre tabIndex={0} aria-label={label}>
        <bdi dir="auto">{visible(text.slice(0, most))}</bdi>
      </pre>
      {more}
    </div>
  );
}

interface PanelProps {
  title: string;
  aside?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

export function Panel({ title, aside, class: name = "", children }: PanelProps) {
  return (
    <section class={`panel ${name}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** Says what is missing, and what to do. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Stands where an answer will be, or what went wrong. */
export function Pending({ what, error }: { what: string; error: unknown }) {
  return error === undefined ? <p class="loading">Reading {what} …</p> : <Problem error={error} />;
}

export function Problem({ error }: { error: unknown }) {
  if (error === undefined) return null;
  const text = sentence(error, false);
  return (
    <div class="problem" role="alert">
      <Foreign text={text} />
      {error instanceof Refused && error.hint !== undefined && <Foreign class="hint" text={error.hint} />}
    </div>
  );
}

interface Toast {
  id: number;
  text: string;
  bad: boolean;
}

let toasts: readonly Toast[] = [];
let lastToast = 0;
let drawToasts: (() => void) | undefined;

/** Tells what happened, at the bottom of the page. An error stays until it is closed. */
export function say(text: string, bad = false): void {
  const id = ++lastToast;
  toasts = [...toasts.slice(-2), { id, text, bad }];
  drawToasts?.();
  if (!bad)
    setTimeout(() => {
      drop(id);
    }, 10_000);
}

export function sayError(error: unknown): void {
  say(sentence(error), true);
}

function drop(id: number): void {
  toasts = toasts.filter((toast) => toast.id !== id);
  drawToasts?.();
}

export function Toasts() {
  const [, draw] = useState(0);
  useEffect(() => {
    drawToasts = () => {
      draw((n) => n + 1);
    };
  }, []);
  return (
    <div class="toasts" role="status">
      {toasts.map(({ id, text, bad }) => (
        <div key={id} class={bad ? "toast bad" : "toast"}>
          <Foreign text={text} />
          <button
            class="quiet"
            aria-label="Close"
            onClick={() => {
              drop(id);
            }}
          >
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

interface ActProps {
  /** Resolves with a text to tell, or anything else. */
  act: () => Promise<unknown>;
  /** Takes what went wrong; absent: it is told at the bottom of the page. */
  failed?: (error: unknown) => void;
  kind?: "primary" | "danger" | "plain";
  disabled?: boolean;
  why?: string;
  children: ComponentChildren;
}

/** A button of something that takes time: pressed again meanwhile it does nothing, and the focus stays. What the server refuses is told. */
export function Act({ act, failed = sayError, kind = "plain", disabled = false, why, children }: ActProps) {
  const [busy, setBusy] = useState(false);
  return (
    <button
      class={kind}
      disabled={disabled}
      title={disabled ? why : undefined}
      aria-busy={busy}
      aria-disabled={busy}
      onClick={() => {
        if (busy) return;
        setBusy(true);
        act()
          .then((text) => {
            if (typeof text === "string") say(text);
          }, failed)
          .finally(() => {
            setBusy(false);
          });
      }}
    >
      {children}
    </button>
  );
}

/** An error in words, and what helps. */
function sentence(error: unknown, hinted = true): string {
  if (error instanceof Refused)
    return error.hint === undefined || !hinted ? error.message : `${error.message}. ${error.hint}`;
  if (error instanceof TypeError) return "the server does not answer; is looper serve still running?";
  return error instanceof Error ? error.message : "something went wrong";
}

interface DialogProps {
  title: string;
  close: () => void;
  children: ComponentChildren;
}

/** A dialog of the browser's own: it holds the focus, and Escape closes it. A click beside it does not: what was typed would be lost. */
export function Dialog({ title, close, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    box.current?.querySelector<HTMLElement>("input, textarea")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={box} aria-label={title} onClose={close}>
      <header>
        <h2>{title}</h2>
        <button class="quiet" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** Of a form: Enter in a field presses its first button, and leads nowhere. */
export function stay(event: Event): void {
  event.preventDefault();
}

/** Hears what a person types. */
export function typed(set: (value: string) => void) {
  return (event: { currentTarget: { value: string } }): void => {
    set(event.currentTarget.value);
  };
}

interface FieldProps {
  label: string;
  value: string;
  set: (value: string) => void;
  /** A field of several lines. */
  rows?: number;
  isNumber?: boolean;
  placeholder?: string;
}

export function Field({ label, value, set, rows, isNumber = false, placeholder = "" }: FieldProps) {
  const onInput = typed(set);
  const inputMode = isNumber ? "numeric" : "text";
  return (
    <label>
      {label}
      {rows === undefined ? (
        <input {...{ inputMode, autocomplete: "off", placeholder, value, onInput }} />
      ) : (
        <textarea {...{ rows, placeholder, value, onInput }} />
      )}
    </label>
  );
}

/** Ids or words that a person typed, with commas or blanks between them. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

export function Time({ at }: { at: string | number | null | undefined }) {
  if (at === null || at === undefined) return <span>–</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {clock(at)}
    </time>
  );
}

/** The way to a view's parent, above its heading. */
export function Trail({ to, children }: { to: string; children: ComponentChildren }) {
  return (
    <nav class="trail" aria-label="Where this is">
      <Link to={to}>← {children}</Link>
    </nav>
  );
}

interface WindowedProps<Item> {
  items: readonly Item[];
  height: number;
  label: string;
  /** The row that must be in sight. */
  at?: number;
  children: (item: Item, index: number) => ComponentChildren;
}

/** A list of rows of one height, of which only those in sight are in the document. */
export function Windowed<Item>({ items, height, label, at = -1, children }: WindowedProps<Item>) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(800);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      setRoom(element.clientHeight);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  useEffect(() => {
    const element = box.current;
    if (element === null || at < 0) return;
    const wanted = at * height;
    if (wanted < element.scrollTop) element.scrollTop = wanted;
    else if (wanted + height > element.scrollTop + element.clientHeight)
      element.scrollTop = wanted + height - element.clientHeight;
  }, [at, height]);
  const first = Math.max(0, Math.floor(top / height) - 5);
  const last = Math.min(items.length, Math.ceil((top + room) / height) + 5);
  return (
    <div
      ref={box}
      class="windowed"
      role="grid"
      aria-label={label}
      aria-rowcount={items.length}
      tabIndex={0}
      onScroll={(event) => {
        setTop(event.currentTarget.scrollTop);
      }}
    >
      <div role="presentation" style={{ height: `${items.length * height}px`, position: "relative" }}>
        <div role="rowgroup" style={{ transform: `translateY(${first * height}px)` }}>
          {items.slice(first, last).map((item, index) => children(item, first + index))}
        </div>
      </div>
    </div>
  );
}

/** Whether the window is narrow, as the style sheet has it. */
export function useNarrow(): boolean {
  const [query] = useState(() => matchMedia("(max-width: 720px)"));
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const changed = (): void => {
      setNarrow(query.matches);
    };
    query.addEventListener("change", changed);
    return () => {
      query.removeEventListener("change", changed);
    };
  }, [query]);
  return narrow;
}

/** Keys of a view while no field has the focus: `{ j: () => … }`. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      // A button, a link or a checkbox has these for itself.
      const isOwn =
        event.target instanceof Element && event.target.closest("a, button, summary, input") !== null;
      if (isOwn && (event.key === "Enter" || event.key === " ")) return;
      const act = now.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", pressed);
    return () => {
      removeEventListener("keydown", pressed);
    };
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
}
