import { cwd, chdir } from "node:process";

/**
 * Calls `make` with the working folder at `/`, then goes back. For libraries that look around in the working folder
 * while they are set up, where a project could have left something that runs. `make` must not be asynchronous.
 */
export function runAtRoot<T>(make: () => T): T {
  const back = cwd();
  chdir("/");
  try {
    return make();
  } finally {
    chdir(back);
  }
}
