// The page's addresses: one table gives the views, and links change the address without loading anew.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

export type Place =
  | { view: "now" | "runs" }
  | { view: "backlog"; filter: string; shape: "list" | "board" }
  | { view: "task"; id: string; attempt?: string }
  | { view: "run" | "log"; run: string }
  | { view: "questions"; id?: string }
  | { view: "chat"; session?: string }
  | { view: "missing" };

/** The view of an address. Pure. */
export function placeOf(path: string, search: string): Place {
  const query = new URLSearchParams(search);
  const parts = path.split("/").slice(1).map(decoded);
  const [first = "", second = "", third = ""] = parts;
  const hasOne = second !== "" && parts.length === 2;
  if (first === "" && parts.length === 1) return { view: "now" };
  if (first === "tasks" && parts.length === 1)
    return {
      view: "backlog",
      filter: query.get("q") ?? "",
      shape: query.get("shape") === "board" ? "board" : "list",
    };
  if (first === "tasks" && hasOne) return { view: "task", id: second };
  if (first === "tasks" && parts.length === 4)
    return { view: "task", id: second, attempt: `${third}/${parts[3] ?? ""}` };
  if (first === "runs" && parts.length === 1) return { view: "runs" };
  if (first === "runs" && hasOne) return { view: "run", run: second };
  if (first === "runs" && parts.length === 3 && third === "log") return { view: "log", run: second };
  if (first === "questions") return second === "" ? { view: "questions" } : { view: "questions", id: second };
  if (first === "chat") return second === "" ? { view: "chat" } : { view: "chat", session: second };
  return { view: "missing" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function taskPath(id: string): string {
  return `/tasks/${encodeURIComponent(id)}`;
}

export function runPath(run: string): string {
  return `/runs/${encodeURIComponent(run)}`;
}

const MOVED = "looper-moved";

/** Goes to an address of this page. `replace`: Back does not return here. */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", to);
  else {
    history.pushState(null, "", to);
    scrollTo(0, 0);
  }
  dispatchEvent(new Event(MOVED));
}

/** The task that was shown last: its row is in sight where a person comes back to the list. */
export const last = { task: "" };

export function usePlace(): Place {
  const [at, setAt] = useState(location.pathname + location.search);
  useEffect(() => {
    const moved = (): void => {
      setAt(location.pathname + location.search);
    };
    addEventListener("popstate", moved);
    addEventListener(MOVED, moved);
    return () => {
      removeEventListener("popstate", moved);
      removeEventListener(MOVED, moved);
    };
  }, []);
  const [path = "/", search = ""] = at.split(/\?(.*)/s);
  const place = placeOf(path, search);
  if (place.view === "task") last.task = place.id;
  return place;
}

interface LinkProps {
  to: string;
  class?: string;
  current?: boolean;
  label?: string;
  children?: ComponentChildren;
}

export function Link({ to, current = false, label, children, ...rest }: LinkProps) {
  return (
    <a
      href={to}
      aria-current={current ? "page" : undefined}
      aria-label={label}
      class={rest.class}
      onClick={(event) => {
        // A row around it leads to the same place.
        event.stopPropagation();
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
