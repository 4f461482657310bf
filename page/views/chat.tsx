// Chat with Chapo: the sessions, one of them as it is said, its calls as cards, and the approvals that it waits for.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ChapoSessionsAnswer } from "../../src/ui/shapes/project.js";
import { ask, get, linesOf, send } from "../api.js";
import { Diff } from "../diff.js";
import { Markdown } from "../markdown.js";
import { Act, Block, Empty, Foreign, Panel, Problem, StateSign, Time, typed, useNarrow } from "../parts.js";
import { go, Link } from "../router.js";
import { useAnswer, useStore } from "../store.js";
import { addEvent, fromMessages, type ChatEvent, type ChatItem, type ChatMessage } from "./chat-items.js";
import { plural, visible } from "../words.js";

export function Chat({ session }: { session?: string | undefined }) {
  const sessions = useAnswer<ChapoSessionsAnswer>("/api/sessions", { live: false });
  const narrow = useNarrow();
  const all = sessions.data?.sessions ?? [];
  // A new conversation gets its address once it has an id, and stays as it is: what is being typed in it too.
  const [begun, setBegun] = useState<{ id?: string; count: number }>({ count: 0 });
  useEffect(() => {
    if (session === undefined)
      setBegun((before) => (before.id === undefined ? before : { count: before.count + 1 }));
  }, [session]);
  return (
    <>
      <div class="heading-line">
        <h1>Chat</h1>
        {session !== undefined && <Link to="/chat">New chat</Link>}
      </div>
      <div class="list-and-one">
        {(!narrow || session === undefined) && (
          <Panel title="Sessions" class="choices">
            <Problem error={sessions.error} />
            {sessions.data !== undefined && all.length === 0 && <Empty>None yet.</Empty>}
            <ul class="rows">
              {all.slice(0, 50).map(({ id, title, changed, state, messages }) => (
                <li key={id} class={id === session ? "current" : ""}>
                  <Link to={`/chat/${encodeURIComponent(id)}`}>
                    <StateSign state={state === "waiting_for_user" ? "asks" : state} word={false} />
                    <span class="grow">
                      <Foreign text={title === "" ? id : title} />
                      <span class="muted block">
                        <Time at={changed} /> · {plural(messages, "message")}
                      </span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </Panel>
        )}
        <Conversation
          key={session === undefined || session === begun.id ? `new ${begun.count}` : session}
          session={session}
          begins={(id) => {
            setBegun({ ...begun, id });
            go(`/chat/${encodeURIComponent(id)}`, { replace: true });
          }}
          changed={sessions.again}
        />
      </div>
    </>
  );
}

/** Between two looks for a turn that begins. */
const AGAIN_MS = 250;
/** Between two looks for what another window or a server that began anew has moved. */
const LOOK_MS = 3_000;

interface ConversationProps {
  session: string | undefined;
  /** It has an id now. */
  begins: (id: string) => void;
  changed: () => void;
}

/** The items of a session, and the events that add to them. */
function useItems({ session, begins }: ConversationProps) {
  const [items, setItems] = useState<readonly ChatItem[]>([]);
  const id = useRef(session);
  const last = useRef(0);
  const gone = useRef(new AbortController());
  const { signal } = gone.current;
  const hear = async (response: Response): Promise<void> => {
    for await (const line of linesOf(response)) {
      if (line === "") continue;
      const event = JSON.parse(line) as ChatEvent;
      last.current = event.seq;
      const { sessionId } = event.data;
      if (id.current === undefined && typeof sessionId === "string") {
        id.current = sessionId;
        if (!signal.aborted) begins(sessionId);
      }
      setItems((before) => addEvent(before, event));
    }
  };
  const events = (): Promise<Response> => {
    const place = `sessionId=${encodeURIComponent(id.current ?? "")}&after=${last.current}`;
    return send("GET", `/api/looper?stream=all&${place}`, undefined, { signal });
  };
  /** Hears what a turn says that an answer begins: it may begin a moment later. Gives what is left to hear. */
  const hearUntil = async (answered: Promise<unknown>): Promise<Response> => {
    const wait = new AbortController();
    const end = (): void => {
      wait.abort();
    };
    void answered.then(end, end);
    while (!wait.signal.aborted && !signal.aborted) {
      await hear(await events());
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
    return events();
  };
  return { items, setItems, id, last, gone, signal, hear, events, hearUntil };
}

/** A conversation as it is said: its items, and what a person does in it. */
function useTalk(props: ConversationProps) {
  const { changed } = props;
  const { items, setItems, id, last, gone, signal, hear, events, hearUntil } = useItems(props);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const begun = useRef(0);
  /** Nothing was read yet, or a turn of another window has ended since: what waits for an answer may be old. */
  const stale = useRef(true);
  const during = async (work: () => Promise<Response>): Promise<void> => {
    begun.current++;
    setBusy(true);
    setError(undefined);
    try {
      await hear(await work());
      changed();
    } catch (failed) {
      if (!signal.aborted) setError(failed);
    } finally {
      setBusy(false);
    }
  };
  /** Reads the session where it has moved since what is shown here, unless a turn has begun meanwhile. */
  const look = async (): Promise<void> => {
    const before = begun.current;
    if (id.current === undefined) return;
    const read = await readItems(id.current, stale.current || error instanceof TypeError ? -1 : last.current);
    if (read === undefined || before !== begun.current || signal.aborted) return;
    setItems(read.items);
    setError(undefined);
    last.current = read.lastSeq;
    changed();
    if (read.active) await during(events);
    stale.current = last.current !== read.lastSeq;
  };
  useEffect(() => {
    look().catch(setError);
    return () => {
      gone.current.abort();
    };
  }, []);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!busy && !document.hidden) look().catch(() => undefined);
    }, LOOK_MS);
    return () => {
      clearInterval(timer);
    };
  }, [busy, error]);
  return {
    items,
    busy,
    error,
    say: (message: string): void => {
      setItems((before) => [...before, { kind: "user", text: message }]);
      const body = { message, ...(id.current === undefined ? {} : { sessionId: id.current }) };
      void during(() => send("POST", "/api/looper?stream=all", body, { signal }));
    },
    decide: async (action: string, verdict: "approve" | "reject"): Promise<void> => {
      const mark = (decided?: "approve" | "reject"): void => {
        setItems((before) =>
          before.map((one) => (one.kind === "approval" && one.id === action ? { ...one, decided } : one)),
        );
      };
      mark(verdict);
      // The answer comes when the call ran, which may take long: what happens meanwhile is heard.
      const answered = ask("POST", `/api/actions/${encodeURIComponent(action)}/${verdict}`, {});
      void during(() => hearUntil(answered));
      await answered.catch((refused: unknown) => {
        mark();
        throw refused;
      });
    },
  };
}

function Conversation(props: ConversationProps) {
  const { items, busy, error, say, decide } = useTalk(props);
  const { role } = useStore();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [items]);
  const mayAct = role === "admin";
  return (
    <section class="panel chat" aria-label="Conversation">
      <div ref={box} class="talk" role="log" aria-label="Messages" tabIndex={0}>
        {items.length === 0 && props.session === undefined && (
          <Empty>
            Ask Chapo about this project, or have it change something. It reads, edits and runs commands here.
          </Empty>
        )}
        {items.map((item, index) => (
          <Item key={index} item={item} mayAct={role !== "read" && !busy} decide={decide} />
        ))}
        {busy && <p class="muted working">Chapo works …</p>}
        <Problem error={error} />
      </div>
      <Composer say={say} busy={busy} mayAct={mayAct} />
    </section>
  );
}

type Talk = ReturnType<typeof useTalk>;

function Composer({ say, busy, mayAct }: Pick<Talk, "say" | "busy"> & { mayAct: boolean }) {
  const [text, setText] = useState("");
  const sendIt = (): void => {
    const message = text.trim();
    if (message === "" || busy) return;
    setText("");
    say(message);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        sendIt();
      }}
    >
      <textarea
        aria-label="Message"
        rows={2}
        placeholder={
          mayAct ? "A message; Enter sends it, Shift Enter begins a new line" : "Your role may only read"
        }
        disabled={!mayAct}
        value={text}
        onInput={typed(setText)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          sendIt();
        }}
      />
      <button class="primary" disabled={busy || !mayAct || text.trim() === ""}>
        Send
      </button>
    </form>
  );
}

/**
 * The messages so far, and what waits for an answer; whether a turn is in progress, and the number of its last event.
 * `undefined`: nothing was said since the event `seen`.
 */
async function readItems(session: string, seen: number) {
  const place = encodeURIComponent(session);
  // Before the messages: what comes after it is heard, and none is missed.
  const { active, lastSeq } = await get<{ active: boolean; lastSeq: number }>(`/api/looper/status/${place}`);
  if (lastSeq === seen) return undefined;
  const [{ messages }, { actions }] = await Promise.all([
    get<{ messages: ChatMessage[] }>(`/api/sessions/${place}/messages`),
    get<{ actions: PendingAction[] }>("/api/actions/pending"),
  ]);
  const waiting = actions.filter(({ sessionId }) => sessionId === session);
  const items = [
    ...fromMessages(messages),
    ...waiting.map(({ id, toolName, description, preview }): ChatItem => ({
      kind: "approval",
      id,
      tool: toolName,
      text: description,
      preview,
    })),
  ];
  return { items, active, lastSeq };
}

interface PendingAction {
  id: string;
  sessionId: string;
  toolName: string;
  description: string;
  preview: string;
}

function Item({ item, mayAct, decide }: Pick<Talk, "decide"> & { item: ChatItem; mayAct: boolean }) {
  switch (item.kind) {
    case "user":
      return (
        <div class="bubble own">
          <Foreign class="pre" text={item.text} />
        </div>
      );
    case "answer":
      return (
        <div class="bubble">
          <Markdown text={item.text} />
          {item.confidence !== undefined && (
            <p class="muted">
              <StateSign state={item.validated === false ? "unverified" : "verified"} word={false} />{" "}
              {item.validated === false ? "not validated" : "validated"}, confidence{" "}
              {Math.round(item.confidence * 100)} %
            </p>
          )}
        </div>
      );
    case "question":
      return (
        <div class="bubble asks">
          <StateSign state="asks" /> <Markdown text={item.text} />
        </div>
      );
    case "call":
      return (
        <details class="card call">
          <summary>
            <StateSign state={item.state} word={false} /> <b>{visible(item.tool)}</b>{" "}
            <Foreign class="mono cut" text={item.text} />
          </summary>
          <Block text={item.result ?? "no result yet"} label={`Result of ${item.tool}`} />
        </details>
      );
    case "approval":
      return (
        <div class="bubble approval">
          <p>
            <StateSign
              state={item.decided === undefined ? "asks" : item.decided === "approve" ? "verified" : "failed"}
              word={false}
            />{" "}
            <Foreign text={item.text} />
          </p>
          {item.tool.startsWith("fs_") && /^(?:---|diff --git) /.test(item.preview) ? (
            <Diff text={item.preview} />
          ) : (
            <Block text={item.preview} label="What it would do" />
          )}
          {item.decided === undefined ? (
            <div class="buttons">
              {(["approve", "reject"] as const).map((verdict) => (
                <Act
                  key={verdict}
                  kind={verdict === "approve" ? "primary" : "danger"}
                  disabled={!mayAct}
                  why="Chapo works, or your role may only read"
                  act={() => decide(item.id, verdict)}
                >
                  {verdict === "approve" ? "Approve" : "Reject"}
                </Act>
              ))}
            </div>
          ) : (
            <p class="muted">{item.decided === "approve" ? "Approved" : "Rejected"}</p>
          )}
        </div>
      );
    default:
      return <Problem error={new Error(item.text)} />;
  }
}
