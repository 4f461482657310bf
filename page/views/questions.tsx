// Questions: the list, and one of them with what it shows beside the buttons.
import { useState } from "preact/hooks";
import type { QuestionsAnswer } from "../../src/ui/shapes/workflows.js";
import { ask, Refused } from "../api.js";
import { Diff } from "../diff.js";
import { Markdown } from "../markdown.js";
import {
  Act,
  Block,
  Empty,
  Foreign,
  Pending,
  Problem,
  StateSign,
  Time,
  Trail,
  typed,
  useNarrow,
} from "../parts.js";
import { go, Link, taskPath } from "../router.js";
import { useAnswer, useStore, type Fetched } from "../store.js";
import { visible } from "../words.js";

type Question = QuestionsAnswer["questions"][number];

export function Questions({ id }: { id?: string | undefined }) {
  const list = useAnswer<{ questions: Question[] }>("/questions");
  const narrow = useNarrow();
  const questions = list.data?.questions ?? [];
  const chosen = id ?? (narrow ? undefined : questions[0]?.id);
  if (narrow && id !== undefined)
    return (
      <>
        <Trail to="/questions">Questions</Trail>
        <OneQuestion key={id} id={id} />
      </>
    );
  return (
    <>
      <h1>Questions</h1>
      <Problem error={list.error} />
      {list.data !== undefined && questions.length === 0 && id === undefined && (
        <Empty>
          Nothing is asked. A run that needs a decision asks it here, and continues with other tasks.
        </Empty>
      )}
      <div class="list-and-one">
        <ul class="rows panel choices">
          {questions.map((one) => (
            <li key={one.id} class={one.id === chosen ? "current" : ""}>
              <Link to={`/questions/${encodeURIComponent(one.id)}`}>
                <StateSign state={one.paused ? "paused" : "asks"} word={false} />
                <span class="grow">
                  <b>{visible(one.task)}</b> <Foreign text={one.title} />
                  <span class="muted block">
                    {visible(one.stage)} · since <Time at={one.asked_at} />
                  </span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
        {chosen !== undefined && !narrow && <OneQuestion key={chosen} id={chosen} />}
      </div>
    </>
  );
}

type Answer = { questions: Question[]; shown: string | null; changed?: string };

function OneQuestion({ id }: { id: string }) {
  const fetched = useAnswer<Answer>(`/questions/${encodeURIComponent(id)}`);
  const question = fetched.data?.questions[0];
  const { error } = fetched;
  if (error instanceof Refused && error.code === "answered") return <Answered error={error} />;
  if (question === undefined) return <Pending what="the question" error={error} />;
  return <Shown question={question} fetched={fetched} />;
}

function Answered({ error }: { error: Refused }) {
  const { by, at } = error.body;
  return (
    <Empty>
      Answered{typeof by === "string" && ` by ${visible(by)}`}
      {typeof at === "string" && (
        <>
          {" "}
          at <Time at={at} />
        </>
      )}
      .
    </Empty>
  );
}

function Shown({ question, fetched }: { question: Question; fetched: Fetched<Answer> }) {
  const [digest, setDigest] = useState(question.shows?.sha256);
  const isStale = question.shows?.sha256 !== digest;
  const shown = fetched.data?.shown ?? null;
  const isChanges = question.shows?.what === "diff" || question.shows?.what === "work";
  return (
    <article class="panel question">
      <header>
        <p class="facts">
          <Link to={taskPath(question.task)}>{visible(question.task)}</Link>
          <Foreign text={question.title} />
          <span class="tag">{visible(question.stage)}</span>
          <span class="muted">
            asked <Time at={question.asked_at} />
          </span>
          {question.deadline !== null && (
            <span class="warn">
              until <Time at={question.deadline} />, then {visible(question.on_timeout ?? "it waits")}
            </span>
          )}
        </p>
        <h2>
          <Foreign text={question.text} />
        </h2>
      </header>
      <div class="shown">
        {fetched.data?.changed !== undefined && (
          <p class="banner warn">
            <Foreign text={fetched.data.changed} />
          </p>
        )}
        {question.call !== null && <Block label="The call that waits" text={callText(question.call)} />}
        {shown !== null && (isChanges ? <Diff text={shown} /> : <Markdown text={shown} />)}
      </div>
      {isStale && (
        <p class="banner warn" role="alert">
          What is shown has changed since you opened it. Read it again.{" "}
          <button
            onClick={() => {
              setDigest(question.shows?.sha256);
            }}
          >
            Show the newest
          </button>
        </p>
      )}
      <AnswerForm question={question} digest={digest} isStale={isStale} />
    </article>
  );
}

interface AnswerFormProps {
  question: Question;
  /** Of what the person saw. */
  digest: string | undefined;
  isStale: boolean;
}

function AnswerForm({ question, digest, isStale }: AnswerFormProps) {
  const { role } = useStore();
  const [comment, setComment] = useState("");
  const mayAnswer = role !== "read";
  const takesText = question.outcomes.length === 0;
  const outcomes = takesText ? ["answer"] : question.outcomes.filter((outcome) => outcome !== "edit");
  const answer = (outcome: string) => async (): Promise<string> => {
    await ask("POST", `/questions/${encodeURIComponent(question.id)}/answer`, {
      ...(takesText ? { text: comment } : { outcome, ...(comment === "" ? {} : { comment }) }),
      ...(digest === undefined ? {} : { shown_sha256: digest }),
    });
    go("/questions", { replace: true });
    return takesText ? `${question.task}: answered.` : `${question.task}: ${outcome}.`;
  };
  return (
    <footer class="answer">
      <label>
        <span class={takesText ? "" : "hidden"}>{takesText ? "Your answer" : "A comment for the agent"}</span>
        <textarea
          rows={takesText ? 4 : 1}
          placeholder={takesText ? "" : "A comment for the agent (optional)"}
          value={comment}
          disabled={!mayAnswer}
          onInput={typed(setComment)}
        />
      </label>
      <div class="buttons">
        {outcomes.map((outcome, index) => (
          <Act
            key={outcome}
            kind={index === 0 ? "primary" : outcome === "reject" ? "danger" : "plain"}
            disabled={!mayAnswer || isStale || (takesText && comment.trim() === "")}
            why={mayAnswer ? "write an answer first" : "your role may only read"}
            act={answer(outcome)}
          >
            {label(outcome)}
          </Act>
        ))}
        {question.outcomes.includes("edit") && (
          <span class="muted">
            To change it first: <code>looper answer {visible(question.id)} edit</code>
          </span>
        )}
      </div>
    </footer>
  );
}

function label(outcome: string): string {
  const words = visible(outcome).replaceAll(/[-_]/g, " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function callText(call: { tool?: string; preview?: string }): string {
  return call.preview ?? JSON.stringify(call, undefined, 2);
}
