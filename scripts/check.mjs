// The quick check before a commit: layout, lint and types of all files, and the unit tests of all that changed since the
// upstream branch.
// Runs the tests of the changed floors that import a changed file, and the promises about texts and imports. Where all holds it
// says only how many commits ago make test passed. Leaves the stories, the other floors and the slow checks to `make test`.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const PROMISES = ["comments", "layers", "prose", "sabotage"].map((name) => `test/promises/${name}.test.ts`);
const TOOLS = path.join(root, "node_modules", ".bin");

/** @param {string[]} args */
function git(...args) {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** The commit that changes are counted from: where this branch left its upstream, else the last commit. */
function baseCommit() {
  return git("merge-base", "HEAD", "@{upstream}") ?? "HEAD";
}

/** @param {string} base */
function changedFiles(base) {
  const listed = [git("diff", "--name-only", base), git("ls-files", "--others", "--exclude-standard")];
  const files = listed.flatMap((text) => (text ?? "").split("\n"));
  return files.filter((file) => file !== "" && existsSync(path.join(root, file)));
}

/**
 * Runs a tool of the project; its output is printed only when it fails.
 * @param {string} name
 * @param {string[]} args
 * @returns {Promise<boolean>} whether it passed
 */
function run(name, ...args) {
  return new Promise((resolve) => {
    const tool = spawn(path.join(TOOLS, name), args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [tool.stdout, tool.stderr])
      stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => (output += text));
    tool.once("close", (code) => {
      if (code !== 0) process.stdout.write(`${name} failed:\n${output}\n`);
      resolve(code === 0);
    });
  });
}

/** The floor of a file as a filter for vitest: `src/todo/`, `cmd/`. @param {string} file */
function floorOf(file) {
  return /^(?:src\/[^/]+|cmd|test\/[^/]+)\//.exec(file)?.[0] ?? "";
}

/** How long ago make test passed; it keeps the commit in build/green. */
function sinceGreen() {
  const file = path.join(root, "build", "green");
  const [green = ""] = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  if (green === "") return "make test has not passed here yet";
  if (git("merge-base", "--is-ancestor", green, "HEAD") === undefined)
    return `make test passed on ${green.slice(0, 8)}, which is not in the history of this commit`;
  const commits = git("rev-list", "--count", `${green}..HEAD`) ?? "?";
  const changed = git("status", "--porcelain") === "" ? "" : "; files differ from the last commit";
  return `make test passed ${commits === "1" ? "1 commit" : `${commits} commits`} ago${changed}`;
}

async function main() {
  const base = baseCommit();
  const files = changedFiles(base);
  const code = files.filter((file) => /\.(?:ts|mjs|js)$/.test(file) && !file.includes("/testdata/"));
  const floors = [...new Set(code.map(floorOf))].filter((floor) => floor !== "");
  const unit = ["run", "--project", "unit", "--reporter=dot", "--passWithNoTests"];
  const tests = async () =>
    (await run("vitest", ...unit, ...PROMISES)) &&
    (floors.length === 0 || (await run("vitest", ...unit, "--changed", base, ...floors)));
  const statics = async () =>
    (await run("oxfmt", "--list-different")) && (await run("oxlint", "--config", "oxlint.config.mjs"));
  const passed = await Promise.all([statics(), tests()]);
  if (passed.includes(false)) process.exitCode = 1;
  console.log(sinceGreen());
}

await main();
