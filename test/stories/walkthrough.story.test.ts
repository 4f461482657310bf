// The pages that are walkthroughs are run: their files are written, their commands typed, and what they print is what they show.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { type Rig, story } from "../rig/rig.js";
import { BIN } from "../rig/program.js";

const BLOCK = /^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm;

test.each(["a-tasks-night.md", "workflows.md"])("%s is as the page shows it", (name) => walk(name));

function walk(name: string): Promise<void> {
  const page = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
  return story((rig) => {
    writeFileSync(
      path.join(rig.root, "bin/looper"),
      `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`,
      {
        mode: 0o755,
      },
    );
    const text = readFileSync(page, "utf8");
    const played = text.replaceAll(
      BLOCK,
      (whole: string, language: string, file: string | undefined, body: string) => {
        if (file !== undefined) {
          rig.write(file, body);
          return whole;
        }
        return language === "console" ? `\`\`\`console\n${playBlock(rig, body)}\`\`\`` : whole;
      },
    );
    if (process.env["UPDATE_WALKTHROUGH"] === "1") writeFileSync(page, played);
    expect(plain(rig, played)).toBe(plain(rig, readFileSync(page, "utf8")));
    return Promise.resolve();
  })();
}

/** Each command, with what it prints. */
function playBlock(rig: Rig, body: string): string {
  return body
    .split("\n")
    .filter((line) => line.startsWith("$ "))
    .map((line) => {
      const options = { cwd: rig.project, env: { ...rig.env, USER: "you" }, encoding: "utf8" } as const;
      const { status, stdout } = spawnSync("/bin/sh", ["-c", `exec 2>&1; ${line.slice(2)}`], options);
      if (status !== 0) throw new Error(`exit ${String(status)}: ${line}\n${stdout}`);
      return `${line}\n${readable(rig, stdout)}`;
    })
    .join("");
}

/** Replaces the paths of this machine, which the page does not show. */
function readable(rig: Rig, text: string): string {
  const host = `${process.execPath} ${BIN}`;
  return text
    .replaceAll(host, "looper")
    .replaceAll(rig.project, "~/greet")
    .replace(/[ \t]+$/gm, "");
}

/** Without what differs from one night to the next. */
function plain(rig: Rig, text: string): string {
  return readable(rig, text)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<moment>")
    .replaceAll(/\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d/g, "<run>")
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "<time>")
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, "<commit>")
    .replaceAll(/\b(\d+m)?\d+(\.\d+)?s\b/g, "<s>")
    .replaceAll(/ +/g, " ");
}
