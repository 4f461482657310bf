import type { Repository } from "../../git/base/repository/repository.js";
import type { World } from "./world.js";

/**
 * The world for an effect decided at `at` (epoch ms): its writes to the backlog and its commits carry that time instead of the
 * current one, so that a replay writes the same bytes.
 */
export function setWorldTime(world: World, at: number): World {
  const { store, repo } = world;
  return {
    ...world,
    store: { ...store, change: (changes, how) => store.change(changes, { ...how, now: at }) },
    ...(repo === undefined ? {} : { repo: setRepositoryTime(repo, at) }),
  };
}

/** Waits and measurements still use the real clock. */
function setRepositoryTime(repo: Repository, at: number): Repository {
  const { ports } = repo;
  return { ...repo, ports: { ...ports, clock: { ...ports.clock, now: () => at } } };
}
