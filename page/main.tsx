// The page: sign-in, header, the view of the address, keys. Leaves each view to views/.
import { render, type ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isSignedIn, onSession, signInByLink, signOut } from "./api.js";
import { markTab, noticesAre } from "./notices.js";
import { Act, Dialog, Foreign, Pending, Problem, StateSign, Toasts, typed, useKeys } from "./parts.js";
import { go, Link, taskPath, usePlace, type Place } from "./router.js";
import { start, useNow, useStore } from "./store.js";
import { Backlog } from "./views/backlog.js";
import { Now } from "./views/now.js";
import { LogView, RunView, Runs } from "./views/runs.js";
import { clock, dollars, duration, projectName, visible } from "./words.js";

const VIEWS = [
  { view: "now", to: "/", title: "Now", key: "n" },
  { view: "backlog", to: "/tasks", title: "Backlog", key: "t" },
  { view: "runs", to: "/runs", title: "Runs", key: "r" },
  { view: "questions", to: "/questions", title: "Questions", key: "q" },
  { view: "chat", to: "/chat", title: "Chat", key: "c" },
] as const;

function Page() {
  const [isIn, setIsIn] = useState(isSignedIn());
  useEffect(() => {
    onSession(() => {
      setIsIn(isSignedIn());
    });
  }, []);
  return (
    <>
      {isIn ? <Inside /> : <SignIn />}
      <Toasts />
    </>
  );
}

function SignIn() {
  const [link, setLink] = useState("");
  const [error, setError] = useState<unknown>();
  return (
    <main class="sign-in">
      <h1>Looper</h1>
      <p>
        Open the link that <code>looper serve</code> printed. Each works once: press Enter in its terminal for
        a new one, and paste it here.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signInByLink(link).then(() => {
            if (!isSignedIn()) setError(new Error("this is not such a link: it has #key= in it"));
          }, setError);
        }}
      >
        <label>
          Link
          <input type="password" autocomplete="off" value={link} onInput={typed(setLink)} />
        </label>
        <button class="primary">Sign in</button>
      </form>
      <Problem error={error} />
    </main>
  );
}

function Inside() {
  const place = usePlace();
  const state = useStore();
  const [helps, setHelps] = useState(false);
  const close = (): void => {
    setHelps(false);
  };
  useEffect(() => {
    const gone = new AbortController();
    start(gone.signal).catch(() => undefined);
    return () => {
      gone.abort();
    };
  }, []);
  const asks = state.status?.questions?.length ?? 0;
  const name = state.status === undefined ? "Looper" : projectName(state.status.file);
  const tab = VIEWS.find(({ view }) => isAt(place, view))?.title ?? "";
  const shown = "run" in place ? `Run ${place.run}` : place.view === "task" ? place.id : tab;
  useEffect(() => {
    markTab(`${shown} · ${name}`, asks);
  }, [asks, name, shown]);
  useGoKeys();
  useKeys({
    "?": () => {
      setHelps(true);
    },
  });
  return (
    <>
      <a class="skip" href="#view">
        Skip to the view
      </a>
      <header class="top">
        <Link to="/" class="name">
          <span class="mark" aria-hidden="true">
            ↻
          </span>
          <Foreign text={name} />
        </Link>
        <nav class="views" aria-label="Views">
          {VIEWS.map(({ view, to, title }) => (
            <Link key={view} to={to} current={isAt(place, view)}>
              {title}
              {view === "questions" && asks > 0 && <span class="badge">{asks}</span>}
            </Link>
          ))}
        </nav>
        <ConnectionState />
        <button
          class="quiet"
          aria-label="Keys, notices and sign-out"
          title="Keys, notices and sign-out (?)"
          onClick={() => {
            setHelps(true);
          }}
        >
          ?
        </button>
      </header>
      <Strip />
      {state.problem !== undefined && (
        <div class="banner bad" role="alert">
          <Foreign text={state.problem} />
        </div>
      )}
      <main id="view" tabIndex={-1}>
        <View place={place} />
      </main>
      {helps && <Help close={close} />}
    </>
  );
}

function isAt({ view }: Place, tab: string): boolean {
  if (tab === "backlog") return view === "backlog" || view === "task";
  if (tab === "runs") return view === "runs" || view === "run" || view === "log";
  return view === tab;
}

/** A view that is loaded when it is first shown. */
function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Later(props: Props) {
    const [, draw] = useState(0);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then((view) => {
        loaded = view;
        draw((n) => n + 1);
      }, setError);
    }, []);
    if (loaded === undefined) return <Pending what="the view" error={error} />;
    const Loaded = loaded;
    return <Loaded {...props} />;
  };
}

const Chat = later(async () => (await import("./views/chat.js")).Chat);
const Questions = later(async () => (await import("./views/questions.js")).Questions);
const TaskView = later(async () => (await import("./views/task.js")).TaskView);

function View({ place }: { place: Place }) {
  switch (place.view) {
    case "now":
      return <Now />;
    case "backlog":
      return <Backlog filter={place.filter} shape={place.shape} />;
    case "task":
      return <TaskView key={place.id} id={place.id} attempt={place.attempt} />;
    case "runs":
      return <Runs />;
    case "run":
      return <RunView key={place.run} run={place.run} />;
    case "log":
      return <LogView key={place.run} run={place.run} />;
    case "questions":
      return <Questions id={place.id} />;
    case "chat":
      return <Chat session={place.session} />;
    default:
      return (
        <>
          <h1>Nothing is here</h1>
          <p>
            <Link to="/">To the first view</Link>
          </p>
        </>
      );
  }
}

/** Whether what is shown is true now. */
function ConnectionState() {
  const { connection } = useStore();
  const now = useNow();
  if (connection.kind === "live" || now - connection.since < 3000)
    return (
      <span class="live" title="Changes are shown as they happen">
        <StateSign state="running" word={false} /> live
      </span>
    );
  return (
    <span class="live bad" role="status">
      ✗ no connection since {clock(connection.since)}; trying again
    </span>
  );
}

/** The run in progress in one line, on every view. */
function Strip() {
  const { status } = useStore();
  const now = useNow();
  const run = status?.run;
  if (run?.state !== "running") return null;
  const { current, waiting } = run;
  const waits =
    waiting === null
      ? ""
      : `waits: ${waiting.reason}${waiting.until === null ? "" : ` until ${clock(waiting.until)}`}`;
  return (
    <div class="strip">
      <StateSign state={waiting === null ? "running" : "waiting"} word={false} />
      {current === null ? (
        <span>{waits === "" ? "between two tasks" : visible(waits)}</span>
      ) : (
        <>
          {current.task === null ? (
            <b>{current.phase}</b>
          ) : (
            <Link to={taskPath(current.task)}>{visible(current.task)}</Link>
          )}
          {current.stage !== undefined && <span>{visible(current.stage)}</span>}
          <span>{visible(current.agent)}</span>
          {current.attempt > 1 && <span>attempt {current.attempt}</span>}
          <span class="figure">{duration(Math.max(0, now - Date.parse(current.started)))}</span>
          <Foreign class="doing cut grow muted" text={waits === "" ? current.doing : waits} />
        </>
      )}
      <span class="figure end muted" title="The run so far">
        {duration(now - Date.parse(run.started))} · {dollars(run.cost_usd, run.cost_partly)}
      </span>
    </div>
  );
}

/** `g`, then the letter of a view. */
function useGoKeys(): void {
  const armed = useRef(0);
  const goTo = (to: string) => () => {
    if (Date.now() - armed.current < 1500) go(to);
  };
  useKeys({
    ...Object.fromEntries(VIEWS.map(({ key, to }) => [key, goTo(to)])),
    g: () => {
      armed.current = Date.now();
    },
  });
}

const KEYS = [
  ["g then n t r q c", "Now, backlog, runs, questions, chat"],
  ["/", "Filter the backlog"],
  ["j k Enter", "In the list of tasks: next, previous, open"],
  ["Space, 1 to 5", "Select a task, set the priority of those selected"],
  ["a e", "Add a task, edit the one at hand"],
  ["?", "This list"],
] as const;

function Help({ close }: { close: () => void }) {
  const { role } = useStore();
  const [notices, setNotices] = useState(noticesAre);
  return (
    <Dialog title="Keys, notices and sign-out" close={close}>
      <dl class="facts-list">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">Your role here: {role}.</p>
      {notices === "default" ? (
        <Act
          act={async () => {
            setNotices(await Notification.requestPermission());
          }}
        >
          Notify me of questions and endings
        </Act>
      ) : (
        <p class="muted">
          {notices === "granted"
            ? "The browser tells of questions and endings while this tab is hidden."
            : "The browser shows no notices of this page."}
        </p>
      )}{" "}
      <Act act={signOut}>Sign out</Act>
    </Dialog>
  );
}

const root = document.querySelector("#page");
if (root !== null) {
  const draw = (): void => {
    root.replaceChildren();
    render(<Page />, root);
  };
  signInByLink(location.hash).then(draw, draw);
}
