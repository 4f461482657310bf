// Keeps a worker small, because starting a process from a large one is slow: Node forks, which copies the page tables of the
// worker. 1 ms at 50 MB, 7 ms at 250 MB (Node 20), and the tests start some 30,000.
import { afterAll } from "vitest";

const LARGE = 180_000_000;

afterAll(() => {
  if (process.memoryUsage.rss() > LARGE) globalThis.gc?.({ type: "major", execution: "sync" });
});
