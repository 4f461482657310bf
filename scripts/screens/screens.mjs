// Takes the pictures of the page, docs/screens: each view of a real project in both themes, on a desk and on a phone. Needs Chromium.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { makeShop } from "./shop.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const out = path.join(root, "docs", "screens");
const folder = mkdtempSync(path.join(tmpdir(), "looper-screens-"));

/** The link that the server prints. @param {import("node:child_process").ChildProcess} server @returns {Promise<string>} */
const linkOf = (server) =>
  new Promise((resolve) => {
    server.stdout?.on("data", (/** @type {Buffer} */ chunk) => {
      const link = /http:\S+/.exec(chunk.toString())?.[0];
      if (link !== undefined) resolve(link);
    });
  });

const { project, env, live, marks } = makeShop(folder);
const looper = path.join(root, "dist", "looper.js");
const server = spawn(process.execPath, [looper, "serve", "--port", "0"], {
  cwd: project,
  env,
  stdio: ["ignore", "pipe", "ignore"],
});
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const link = await linkOf(server);
  const base = new URL(link).origin;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link.replace("/#", "/chat#"));
  const chat = page.getByLabel("Message", { exact: true });
  await chat.fill("What is a cart here?");
  await chat.press("Enter");
  await page.getByText("task S5 is about that").waitFor();
  await chat.fill("Write the rounding down in docs/rounding.md");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("button", { name: "Approve" }).and(page.locator(":enabled")).waitFor();
  const views = {
    now: "/",
    backlog: "/tasks",
    board: "/tasks?shape=board",
    task: "/tasks/S2",
    runs: "/runs",
    questions: "/questions",
    chat: new URL(page.url()).pathname,
  };
  await page.goto(`${base}/questions`);
  const asked = await page.getByRole("link", { name: /Keep prices/ }).getAttribute("href");
  mkdirSync(out, { recursive: true });
  for (const [width, height] of /** @type {const} */ ([
    [1440, 900],
    [390, 844],
  ]))
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      for (const [name, at] of Object.entries(views)) {
        await page.goto(base + (name === "questions" && width < 720 && asked !== null ? asked : at));
        await page.waitForLoadState("load");
        // The answers that the view asks for are there when nothing loads any more.
        await page.locator(".loading").first().waitFor({ state: "detached" });
        if (name === "task") await page.locator(".lines").first().waitFor();
        await page.waitForTimeout(700);
        writeFileSync(path.join(out, `${name}-${width}-${colorScheme}.png`), await page.screenshot());
      }
    }
} finally {
  await browser.close();
  server.kill();
  const isOver = live.exitCode !== null || live.signalCode !== null;
  const ended = isOver ? undefined : new Promise((resolve) => live.once("exit", resolve));
  writeFileSync(path.join(marks, "go-on"), "");
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
