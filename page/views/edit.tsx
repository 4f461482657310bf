// Edits a task's fields. A save counts for the version that was read: where another person changed a field meanwhile, it is shown first.
import { useState } from "preact/hooks";
import type { ShowAnswer } from "../../src/ui/shapes/runs.js";
import { ask, Refused, send } from "../api.js";
import { Act, Dialog, Field, Foreign, Problem, stay, wordsIn } from "../parts.js";
import { taskPath } from "../router.js";
import { visible } from "../words.js";

const LABELS = {
  title: "Title",
  priority: "Priority (1 is first)",
  depends_on: "Depends on",
  details: "Details",
} as const;
type Name = keyof typeof LABELS;
type Row = Omit<Pick<ShowAnswer["task"], Name>, "depends_on"> & { depends_on?: readonly string[] };
type Fields = Readonly<Record<Name, string>>;
const NAMES = Object.keys(LABELS) as Name[];

/** A task's fields as they were read, and the tag of that version. */
export interface Version {
  fields: Fields;
  tag: string;
}

export function fieldsOf({ title, priority, depends_on: ids = [], details = "" }: Row): Fields {
  return { title, priority: String(priority), depends_on: ids.join(", "), details };
}

export async function readVersion(id: string): Promise<Version> {
  const response = await send("GET", taskPath(id));
  const { task } = (await response.json()) as ShowAnswer;
  return { fields: fieldsOf(task), tag: response.headers.get("etag") ?? "*" };
}

/** The changes for the server: the fields that were changed here, for the rest may have moved meanwhile. Pure. */
export function patchOf(read: Fields, typed: Fields): Record<string, unknown> {
  const values: Record<Name, unknown> = {
    title: typed.title,
    priority: Number(typed.priority),
    depends_on: wordsIn(typed.depends_on).length === 0 ? null : wordsIn(typed.depends_on),
    details: typed.details === "" ? null : typed.details,
  };
  return Object.fromEntries(NAMES.filter((one) => typed[one] !== read[one]).map((one) => [one, values[one]]));
}

/** The typed text over a newer version: words of a person stay, fields that were not touched here are the newest. Pure. */
export function typedOver(read: Fields, typed: Fields, now: Fields): Fields {
  const values = NAMES.map((one) => [one, typed[one] === read[one] ? now[one] : typed[one]]);
  return Object.fromEntries(values) as Fields;
}

interface EditProps {
  id: string;
  read: Version;
  close: () => void;
}

export function Edit({ id, read, close }: EditProps) {
  const [{ fields, tag }, setBase] = useState(read);
  const [typed, setTyped] = useState(fields);
  const [moved, setMoved] = useState<readonly Name[]>([]);
  const [error, setError] = useState<unknown>();
  const save = async (at = tag): Promise<unknown> => {
    setError(undefined);
    try {
      await ask("PATCH", taskPath(id), patchOf(fields, typed), { headers: { "if-match": at } });
    } catch (refused) {
      if (!(refused instanceof Refused) || refused.status !== 412) throw refused;
      const { task, tag: newest } = refused.body as { task: Row; tag: string };
      const now = fieldsOf(task);
      const changed = NAMES.filter((one) => now[one] !== fields[one]);
      // A run writes to the row as well: that is none of this form's fields.
      if (changed.length === 0) return save(newest);
      setBase({ fields: now, tag: newest });
      setTyped(typedOver(fields, typed, now));
      setMoved(changed);
      return undefined;
    }
    close();
    return `${id} is saved.`;
  };
  const field = (name: Name, rows?: number) => (
    <Field
      label={LABELS[name]}
      isNumber={name === "priority"}
      value={typed[name]}
      set={(value) => {
        setTyped({ ...typed, [name]: value });
      }}
      {...(rows === undefined ? {} : { rows })}
    />
  );
  return (
    <Dialog title={`Edit ${visible(id)}`} close={close}>
      <form class="form" onSubmit={stay}>
        {field("title")}
        {field("priority")}
        {field("depends_on")}
        {field("details", 8)}
        {moved.length > 0 && (
          <div class="problem" role="alert">
            <p>It was changed meanwhile. What you typed is kept; save again to have it so.</p>
            {moved.map((name) => (
              <p key={name} class="pre scroll">
                <b>{LABELS[name]}</b> is now: <Foreign text={fields[name]} />
              </p>
            ))}
          </div>
        )}
        <Problem error={error} />
        <div class="buttons">
          <Act kind="primary" act={() => save()} failed={setError}>
            Save
          </Act>
        </div>
      </form>
    </Dialog>
  );
}
