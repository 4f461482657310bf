// Makes build/compiled: the program of dist/ as the stories start it (compiled.cjs). With the time of dist/, so that it is known to be
// made of that.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

const at = (/** @type {string} */ name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const [dist, made, there] = [at("dist"), at("build/compiling"), at("build/compiled")];

/** Scripts as functions of what a CommonJS module has, and of the address that modules know as their own. */
async function writeScripts() {
  const names = readdirSync(path.join(dist, "chunks")).map((name) => `chunks/${name}`);
  for (const name of ["looper.js", ...names]) {
    const text = readFileSync(path.join(dist, name), "utf8")
      .replace(/^#!.*\n/, "")
      // A module of the user: it is found at run time, and is not a file of dist/.
      .replaceAll(/\bimport\((?!["'])/g, "importAny(");
    const { code } = await transform(text, {
      format: "cjs",
      target: "node20",
      minify: true,
      supported: { "dynamic-import": false },
      define: { "import.meta.url": "url" },
    });
    writeFileSync(path.join(made, name), `(function(module, exports, require, importAny, url) {${code}\n})`);
  }
}

/** A run of one task compiles most of what runs use. Where it fails there is less code, and the stories say why. */
function keepCode() {
  const home = mkdtempSync(path.join(made, "home-"));
  const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: home, GIT_CONFIG_NOSYSTEM: "1" };
  const call = (/** @type {string} */ program, /** @type {string[]} */ ...args) =>
    spawnSync(program, args, { cwd: home, env: { ...env, KEEP_CODE: "1" } });
  const report = JSON.stringify({ task_id: "T1", status: "done", summary: "made it" });
  writeFileSync(path.join(home, "agent.sh"), `#!/bin/sh\necho it > made.txt\necho '${report}'\n`, {
    mode: 0o755,
  });
  const task = { id: "T1", title: "make it", verify: ["test -f made.txt"] };
  writeFileSync(path.join(home, "to-do.json"), JSON.stringify({ tasks: [task] }));
  const agents = { maker: { kind: "command", binary: "./agent.sh" } };
  mkdirSync(path.join(home, ".looper"));
  writeFileSync(path.join(home, ".looper/config.json"), JSON.stringify({ agents }));
  call("git", "init", "-q");
  for (const line of [["run", "--trust", "--agent", "maker"], ["ls"], ["status"], ["config"]])
    call(process.execPath, path.join(made, "looper.cjs"), ...line);
  rmSync(home, { recursive: true });
}

rmSync(made, { recursive: true, force: true });
mkdirSync(path.join(made, "chunks"), { recursive: true });
for (const name of ["assets", "page", "prompts", "workflows"])
  cpSync(path.join(dist, name), path.join(made, name), { recursive: true });
cpSync(at("test/rig/compiled.cjs"), path.join(made, "looper.cjs"));
chmodSync(path.join(made, "looper.cjs"), 0o755);
await writeScripts();
keepCode();
const { atime, mtime } = statSync(path.join(dist, "looper.js"));
utimesSync(path.join(made, "looper.cjs"), atime, mtime);
rmSync(there, { recursive: true, force: true });
renameSync(made, there);
