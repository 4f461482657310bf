// A real browser for stories: Debian's Chromium, driven by Playwright, with a profile of its own. Without it the stories are skipped.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const found = PATHS.find((path) => existsSync(path));

/** Why stories cannot use a browser here; `undefined`: they can. */
export const noBrowser =
  found === undefined
    ? "Chromium is not installed: apt-get install chromium"
    : spawnSync(found, ["--version"]).status === 0
      ? undefined
      : `${found} does not start here`;
if (noBrowser !== undefined) process.stderr.write(`skipped: ${noBrowser}\n`);

/** It ends what hangs, and decides nothing. */
const PATIENCE_MS = 300_000;

/** A window, and everything that went wrong in it. */
export interface Window {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts, and what the browser refused. */
  troubles: string[];
  /** Origins that the page asked for anything. */
  origins: Set<string>;
}

export interface Look {
  width?: number;
  height?: number;
  theme?: "light" | "dark";
}

/** Does something in a browser, which is closed afterwards. */
export async function inBrowser(work: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({
    timeout: PATIENCE_MS,
    ...(found === undefined ? {} : { executablePath: found }),
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
}

export async function openWindow(
  browser: Browser,
  { width = 1440, height = 900, theme = "light" }: Look = {},
): Promise<Window> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const troubles: string[] = [];
  const origins = new Set<string>();
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  page.on("dialog", (dialog) => {
    troubles.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  return { page, context, troubles, origins };
}
