// Writes a backlog as a Markdown checklist: people read it, `init --import` reads it back. Each task is a line (see
// item-line.ts), followed by its texts and by its steps, which have boxes of their own. Pure.
import { writeItem } from "../item-line.js";
import { withoutMarker } from "../../model/select.js";
import type { Backlog, Task } from "../../model/task.js";

export function exportMarkdown({ tasks, project }: Backlog): string {
  const title = `# ${(project?.name ?? "Backlog").replaceAll(/\s+/gu, " ").trim() || "Backlog"}`;
  const items = withoutMarker(tasks).map((task) => [writeItem(task), ...below(task)].join("\n"));
  return `${[title, "", ...items].join("\n")}\n`;
}

function below(task: Task): string[] {
  const texts = [
    task.description,
    task.details,
    ...(task.blockers ?? []).map((why) => `Blocked: ${why}`),
    ...[task.reference].flatMap((text) => (text === undefined ? [] : [`Reference: ${text}`])),
    ...[task.files].flatMap((files = []) => (files.length === 0 ? [] : [`Files: ${files.join(", ")}`])),
    ...(task.verify ?? []).map((command) => `Verify: \`${command}\``),
    ...[task.result].flatMap((text) => (text === undefined ? [] : [`Result: ${text}`])),
  ];
  const lines = texts.flatMap((text) =>
    text === undefined || text.trim() === "" ? [] : ["", ...linesOf(text)],
  );
  const steps = (task.steps ?? []).filter((step) => step.trim() !== "");
  return [
    ...lines.map((line) => (line === "" ? "" : `  ${line}`)),
    ...(lines.length > 0 && steps.length > 0 ? [""] : []),
    ...steps.map((step) => `  - [ ] ${linesOf(step).join(" ")}`),
  ];
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/u).map((line) => line.trimEnd());
}
