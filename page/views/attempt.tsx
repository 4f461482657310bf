// One attempt at a task: the verdict on each check with its evidence, what it changed, its decisions, and what its agent said.
import { useState } from "preact/hooks";
import type { GateReport } from "../../src/gate/verdict.js";
import type { ShowAnswer } from "../../src/ui/shapes/runs.js";
import { Refused } from "../api.js";
import { Diff } from "../diff.js";
import { Feed } from "../feed.js";
import { Block, Empty, Foreign, Panel, Pending, Problem, StateSign, Time } from "../parts.js";
import { Link, runPath, taskPath } from "../router.js";
import { useAnswer, useStore } from "../store.js";
import { count, dollars, duration, plural, visible } from "../words.js";

export type Attempt = ShowAnswer["history"][number] & {
  job: number;
  model: string | null;
  ended: string | null;
};

type Status = ReturnType<typeof useStore>["status"];

/** The word for how an attempt ended; without a result its run was killed, or works at it. */
export function attemptState({ result, verdict, run }: Attempt, status: Status): string {
  if (result !== null) return result === "done" ? (verdict ?? "done") : result;
  return status?.run?.state === "running" && status.run.run === run ? "running" : "killed";
}

interface Detail {
  attempt: Attempt;
  gate: (GateReport & { seq: number; duration_ms: number; reasons: string[] }) | null;
  report: { summary?: string; status?: string } | null;
  failure: { reason: string; evidence: string; next: string; until?: string } | null;
  decisions: { seq: number; of: number; because: { rule: string }; effects: string[] }[];
  steps: { seq: number; at: string; type: string; duration_ms?: number }[];
}

export function AttemptView({ task, at }: { task: string; at: string }) {
  const [run = "", job = ""] = at.split("/");
  const path = `${taskPath(task)}/attempts/${encodeURIComponent(run)}/${encodeURIComponent(job)}`;
  const { data, error } = useAnswer<Detail>(path);
  const { status } = useStore();
  if (data === undefined) return <Pending what="the attempt" error={error} />;
  const { attempt, gate, failure, report } = data;
  return (
    <Panel
      title={`Attempt ${attempt.attempt}${attempt.stage === undefined ? "" : `, ${visible(attempt.stage)}`}`}
      aside={<Link to={runPath(run)}>run {run}</Link>}
      class="attempt"
    >
      <p class="facts">
        <StateSign state={attemptState(attempt, status)} />
        <span>
          {visible(attempt.agent)}
          {attempt.model !== null && ` (${visible(attempt.model)})`}
        </span>
        <span>
          <Time at={attempt.started} />, {duration(attempt.duration_ms)}
        </span>
        {attempt.tokens > 0 && <span>{count(attempt.tokens)} tokens</span>}
        <span>{dollars(attempt.cost_usd)}</span>
        {attempt.commit !== null && <code>{attempt.commit.slice(0, 10)}</code>}
      </p>
      {report?.summary !== undefined && report.summary !== "" && (
        <Foreign class="pre block said" text={report.summary} />
      )}
      {failure !== null && (
        <div class="problem">
          <p>
            <StateSign state="failed" word={false} /> <b>{visible(failure.reason.replaceAll("-", " "))}</b>,
            then: {visible(failure.next.replaceAll("-", " "))}
          </p>
          {failure.evidence !== "" && <Block text={failure.evidence} label="Evidence" />}
        </div>
      )}
      {gate !== null && <Gate gate={gate} />}
      <Changes path={path} attempt={attempt} isOver={attemptState(attempt, status) !== "running"} />
      <Said task={task} run={run} detail={data} />
      <Decisions detail={data} />
    </Panel>
  );
}

function Gate({ gate }: { gate: NonNullable<Detail["gate"]> }) {
  return (
    <div class="gate">
      <h3>
        Checks <span class="muted figure">{duration(gate.duration_ms)}</span>
      </h3>
      <ul class="rows">
        {gate.commands.map((one, index) => {
          const isBad = ["regressed", "new", "pre-existing"].includes(one.verdict);
          const failing = [...(one.tests?.regressed ?? []), ...(one.tests?.new ?? [])];
          return (
            <li key={index} class="line column">
              <div class="facts">
                <StateSign state={isBad ? "failed" : "verified"} word={false} />
                <Foreign class="mono grow" text={one.command} />
                {one.verdict !== "passed" && <span class="tag">{one.verdict}</span>}
                {one.tests !== undefined && <span class="muted">{plural(one.tests.total, "test")}</span>}
                <span class="muted figure">{duration(one.duration_ms)}</span>
              </div>
              {failing.slice(0, 20).map((name) => (
                <p key={name} class="test">
                  <StateSign state="failed" word={false} /> <Foreign class="mono" text={name} />
                </p>
              ))}
              {(one.tests?.fixed ?? []).slice(0, 20).map((name) => (
                <p key={name} class="test">
                  <StateSign state="verified" word={false} /> <Foreign class="mono" text={name} />{" "}
                  <span class="muted">red before, green now</span>
                </p>
              ))}
              {isBad && one.tail !== "" && (
                <details open>
                  <summary>The end of its output</summary>
                  <Block text={one.tail} label={`Output of ${one.command}`} />
                </details>
              )}
            </li>
          );
        })}
      </ul>
      {gate.reasons.map((reason) => (
        <p key={reason}>
          <StateSign state="unverified" word={false} /> <Foreign text={reason} />
        </p>
      ))}
      {gate.tampered.map(({ what, detail, path: file }, index) => (
        <p key={index}>
          <StateSign state="failed" word={false} /> a test was {what}:{" "}
          <Foreign text={`${file ?? ""} ${detail}`} />
        </p>
      ))}
    </div>
  );
}

interface Changed {
  of: string;
  total: number;
  files: { path: string; added: number | null; removed: number | null }[];
}

const OPEN_AT_FIRST = 3;

function Changes({ path, attempt, isOver }: { path: string; attempt: Attempt; isOver: boolean }) {
  const [of, setOf] = useState(attempt.rescue !== null && attempt.commit === null ? "rescue" : "");
  const query = of === "" ? "" : `?of=${of}`;
  const { data, error } = useAnswer<Changed>(isOver ? `${path}/diff${query}` : undefined, { live: false });
  if (!isOver) return null;
  return (
    <div class="changes">
      <h3>
        Changes {data !== undefined && <span class="muted">{plural(data.total, "file")}</span>}
        {attempt.rescue !== null && attempt.commit !== null && (
          <button
            class="quiet"
            onClick={() => {
              setOf(of === "rescue" ? "" : "rescue");
            }}
          >
            {of === "rescue" ? "what was committed" : "what was put aside"}
          </button>
        )}
      </h3>
      {error instanceof Refused && (error.status === 404 || error.status === 409) ? (
        <Empty>No changes are kept of this attempt.</Empty>
      ) : (
        <Problem error={error} />
      )}
      {data?.files.length === 0 && <Empty>It changed no file.</Empty>}
      {data?.files.map((file, index) => (
        <FileChange key={file.path} path={path} of={data.of} file={file} open={index < OPEN_AT_FIRST} />
      ))}
    </div>
  );
}

interface FileChangeProps {
  path: string;
  of: string;
  file: Changed["files"][number];
  open: boolean;
}

/** One file; its patch is read when it is opened. */
function FileChange({ path, of, file, open }: FileChangeProps) {
  const [isOpen, setIsOpen] = useState(open);
  const wanted = `${path}/diff?of=${of}&path=${encodeURIComponent(file.path)}`;
  const { data, error } = useAnswer<{ patch?: string }>(isOpen ? wanted : undefined, { live: false });
  return (
    <details
      class="file"
      open={isOpen}
      onToggle={(event) => {
        setIsOpen(event.currentTarget.open);
      }}
    >
      <summary>
        <Foreign class="mono" text={file.path} />
        <span class="counts">
          {file.added === null ? (
            <span class="muted">binary</span>
          ) : (
            <>
              <span class="good">+{file.added}</span> <span class="bad">−{file.removed}</span>
            </>
          )}
        </span>
      </summary>
      <Problem error={error} />
      {data?.patch !== undefined && <Diff text={data.patch} bare />}
    </details>
  );
}

function Said({ task, run, detail: { attempt, steps } }: { task: string; run: string; detail: Detail }) {
  const { status } = useStore();
  const isLive = attempt.result === null && status?.run?.run === run && status.run.state === "running";
  const [open, setOpen] = useState(isLive);
  return (
    <details
      open={open}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>What its agent said and did</summary>
      {open && (
        <Feed
          run={run}
          task={task}
          job={attempt.job}
          after={Math.max(0, (steps[0]?.seq ?? 1) - 1)}
          {...(isLive ? {} : { until: steps.at(-1)?.seq ?? 0 })}
        />
      )}
    </details>
  );
}

function Decisions({ detail: { decisions, steps } }: { detail: Detail }) {
  if (decisions.length === 0) return null;
  const types = new Map(steps.map(({ seq, type }) => [seq, type]));
  return (
    <details>
      <summary>Decisions ({decisions.length})</summary>
      <ol class="plain decisions">
        {decisions.map(({ seq, of, because, effects }) => (
          <li key={seq}>
            <span class="muted figure">{of}</span> <code>{types.get(of) ?? ""}</code> → rule{" "}
            <b>{visible(because.rule)}</b> <span class="muted">{effects.join(", ")}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
