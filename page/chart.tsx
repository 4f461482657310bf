// Bars: a few values side by side, and jobs along time. Each has its numbers as text beside or inside.
import { Link } from "./router.js";
import { signOf } from "./parts.js";
import { clock, duration, visible } from "./words.js";

export interface BarItem {
  label: string;
  /** Null: not known. */
  value: number | null;
  shown: string;
  tone?: string;
}

/** Small columns with the largest value named. */
export function Columns({
  title,
  items,
  total,
}: {
  title: string;
  items: readonly BarItem[];
  total: string;
}) {
  const most = Math.max(...items.map(({ value }) => value ?? 0), 0);
  return (
    <figure class="columns">
      <figcaption>
        <span>{title}</span> <b>{total}</b>
      </figcaption>
      <div
        class="bars"
        role="img"
        aria-label={`${title}: ${items.map(({ label, shown }) => `${label} ${shown}`).join(", ")}`}
      >
        {items.map(({ label, value, shown, tone = "accent" }, index) => (
          <span key={index} class="chart-column" title={`${label}: ${shown}`}>
            <span
              class={`fill ${tone}`}
              style={{ height: `${most === 0 || value === null ? 0 : Math.max(2, (value / most) * 100)}%` }}
            />
          </span>
        ))}
      </div>
    </figure>
  );
}

export interface Span {
  key: string;
  group: string;
  label: string;
  began: number;
  ms: number;
  result: string;
  to?: string;
}

/** Jobs along time: a line for each task, its jobs as bars. */
export function Timeline({ spans }: { spans: readonly Span[] }) {
  const began = Math.min(...spans.map((span) => span.began));
  const ended = Math.max(...spans.map((span) => span.began + span.ms), began + 1000);
  const groups = new Map<string, Span[]>();
  for (const span of spans) groups.set(span.group, [...(groups.get(span.group) ?? []), span]);
  const place = (at: number): string => `${((at - began) / (ended - began)) * 100}%`;
  return (
    <div class="timeline">
      <div class="axis" aria-hidden="true">
        <span>{clock(began)}</span>
        <span>{duration(ended - began)}</span>
      </div>
      <ol>
        {[...groups].map(([group, all]) => (
          <li key={group}>
            <span class="who">{visible(group)}</span>
            <span class="track">
              {all.map((span) => {
                const sign = signOf(span.result);
                const words = `${visible(span.label)} · ${sign.word} · ${duration(span.ms)}`;
                const style = {
                  left: place(span.began),
                  width: `max(4px, ${(span.ms / (ended - began)) * 100}%)`,
                };
                return (
                  <span key={span.key} class={`bar ${sign.tone}`} style={style} title={words}>
                    {span.to === undefined ? (
                      <span class="hidden">{words}</span>
                    ) : (
                      <Link to={span.to} label={words} />
                    )}
                  </span>
                );
              })}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The tasks that are done and those left, in one bar with its figures. */
export function Progress({ parts }: { parts: readonly { state: string; value: number }[] }) {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  const shown = parts.filter(({ value }) => value > 0);
  return (
    <div class="progress">
      <div
        class="bar"
        role="img"
        aria-label={parts.map(({ state, value }) => `${value} ${signOf(state).word}`).join(", ")}
      >
        {shown.map(({ state, value }) => (
          <span
            key={state}
            class={`${signOf(state).tone} ${state}`}
            style={{ width: `${(value / Math.max(1, total)) * 100}%` }}
          />
        ))}
      </div>
      <ul>
        {shown.map(({ state, value }) => (
          <li key={state}>
            <span class={`glyph ${signOf(state).tone}`} aria-hidden="true">
              {signOf(state).glyph}
            </span>{" "}
            <b>{value.toLocaleString("en")}</b> {signOf(state).word}
          </li>
        ))}
      </ul>
    </div>
  );
}
