// Makes errors of the file system GitErrors, so that callers of this floor meet one kind of failure. Their text stays.
import { errorMessage } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { FILES, GitError } from "./git.js";

/** The same ports, but a file operation that fails throws a `GitError`. */
export function throwGitErrors(ports: Ports): Ports {
  return { ...ports, files: convertErrors(ports.files) };
}

/** The reason for a failure, without the name of a command in front. */
export function reasonOf(error: unknown): string {
  return error instanceof GitError ? error.failure.message : errorMessage(error);
}

/** The same methods, which reject with a `GitError` instead of a system error; so do those of an object that a method returns. */
function convertErrors<T extends object>(port: T): T {
  return new Proxy(port, {
    get(of, name) {
      const method: unknown = Reflect.get(of, name);
      if (typeof method !== "function") return method;
      return (...args: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(method, of, args);
        if (answer instanceof Promise) return answer.catch(rethrow);
        return typeof answer === "object" && answer !== null ? convertErrors(answer) : answer;
      };
    },
  });
}

function rethrow(error: unknown): never {
  if (error instanceof Error && "code" in error && "syscall" in error)
    throw new GitError(FILES, errorMessage(error), error);
  throw error;
}
