// Routes of the attempts at a task: their list, one of them with its verdict, and what it changed.
import path from "node:path";
import { z } from "zod";
import { GitError } from "../../../src/git/base/git.js";
import { attemptRef } from "../../../src/git/base/names.js";
import { changedFiles, filePatch, treesOf, type Trees } from "../../../src/git/base/read/file-diff.js";
import { openRepository, type Repository } from "../../../src/git/base/repository/repository.js";
import { listRescues } from "../../../src/git/bring-back/bring-back.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/run-request.js";
import { quoteIfNeeded } from "../../../src/shell/quote.js";
import { ApiError } from "../api-error.js";
import {
  AgentJob,
  Attempt,
  AttemptDetail,
  attemptsOf,
  listAttempts,
  listJobs,
  readAttempt,
} from "../attempts.js";
import { count, route, type ApiCall, type ApiRoute } from "../route.js";
import { folderOf } from "../run-folder.js";
import { findRow } from "./tasks.js";

const MOST_PATCH = 2 << 20;
const MOST_FILES = 5_000;

/** The attempt of the path; throws 404 where the log has none. */
async function findAttempt(call: ApiCall): Promise<{ folder: string; attempt: Attempt }> {
  const { id = "", job = "" } = call.params;
  const folder = await folderOf(call);
  const attempt = (await attemptsOf(call, folder, id)).find((one) => String(one.job) === job);
  if (attempt === undefined)
    throw new ApiError(404, "no-attempt", `run ${path.basename(folder)} has no attempt ${job} at ${id}`);
  return { folder, attempt };
}

const OF = ["attempt", "commit", "rescue"] as const;

/** The trees before and after: of its commit, of what was put aside, or of the tree as its agent left it. */
async function treesFor(
  repo: Repository,
  { run, job, commit, rescue }: Attempt,
  { id, of }: { id: string; of: (typeof OF)[number] },
): Promise<Trees> {
  const saved = of === "rescue" ? (await listRescues(repo)).find(({ ref }) => ref === rescue) : undefined;
  const tip = of === "attempt" ? attemptRef(run, id, job) : of === "commit" ? commit : null;
  const found = saved && { from: saved.from, to: saved.commit };
  const trees = found ?? (tip === null ? undefined : await treesOf(repo, tip));
  if (trees !== undefined) return trees;
  throw new ApiError(404, "no-work", `this attempt has no ${of}, or no longer`);
}

export const ATTEMPT_ROUTES: readonly ApiRoute[] = [
  route("GET", "/agents/{name}/history", {
    does: "The newest jobs of an agent with their results, 20 or `limit`.",
    query: z.strictObject({ limit: count(1_000).optional() }),
    answer: z.object({ agent: z.string(), jobs: z.array(AgentJob) }),
    handle: async (call) => {
      const { name: agent = "" } = call.params;
      return { agent, jobs: await listJobs(call, agent, call.query.limit ?? 20) };
    },
  }),
  route("GET", "/tasks/{id}/attempts", {
    does: "Every attempt at it that the logs know, the newest first.",
    answer: z.object({ task: z.string(), attempts: z.array(Attempt) }),
    errors: [404],
    handle: async (call) => {
      const { id: task = "" } = call.params;
      const attempts = await listAttempts(call, task);
      // Of a task that was removed the logs know more than the task file.
      if (attempts.length === 0) await findRow(call);
      return { task, attempts };
    },
  }),
  route("GET", "/tasks/{id}/attempts/{run}/{job}", {
    does: "One attempt: the verdict on each check with its evidence, decisions with their reasons, usage.",
    answer: AttemptDetail,
    errors: [404],
    handle: async (call) => {
      const { folder, attempt } = await findAttempt(call);
      return readAttempt(call.context, folder, attempt);
    },
  }),
  route("GET", "/tasks/{id}/attempts/{run}/{job}/diff", {
    does: "Its changes: the files with their lines, or with `path` the patch of one of them, at most 2 MiB. `of`: its `commit`, its `rescue`, or the tree as its agent left it (`attempt`).",
    query: z.strictObject({ of: z.enum(OF).optional(), path: z.string().min(1).optional() }),
    answer: z.object({
      of: z.enum(OF),
      from: z.string(),
      to: z.string(),
      total: z.int().describe("How many files it changed"),
      files: z.array(
        z.object({
          path: z.string(),
          added: z.int().nullable().describe("Lines; null: binary"),
          removed: z.int().nullable(),
        }),
      ),
      patch: z.string().optional().describe("Only with `path`"),
    }),
    errors: [404, 409, 413],
    handle: async (call) => {
      const { attempt } = await findAttempt(call);
      const { of = attempt.commit !== null ? "commit" : "attempt", path: one } = call.query;
      const places = makeRepositoryPlaces({ project: await call.site.project(), env: call.context.env });
      const opened = await openRepository(call.context.ports, places);
      if (!opened.ok) throw new ApiError(409, "no-git", opened.error.message);
      const repo = opened.value;
      try {
        const trees = await treesFor(repo, attempt, { id: call.params["id"] ?? "", of });
        const all = await changedFiles(repo, trees);
        const head = { of, ...trees, total: all.length };
        if (one === undefined) return { ...head, files: all.slice(0, MOST_FILES) };
        const files = all.filter((file) => file.path === one);
        if (files.length === 0) throw new ApiError(404, "no-file", `it did not change ${one}`);
        const patch = await filePatch(repo, trees, { path: one, most: MOST_PATCH });
        if (patch === undefined)
          throw new ApiError(413, "size", `the patch of ${one} has more than ${MOST_PATCH} bytes`, {
            hint: `git diff ${trees.from} ${trees.to} -- ${quoteIfNeeded(one)}`,
          });
        return { ...head, files, patch };
      } catch (error) {
        if (error instanceof GitError) throw new ApiError(409, "no-work", error.message);
        throw error;
      }
    },
  }),
];
