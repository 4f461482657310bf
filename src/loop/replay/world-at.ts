import type { Repository } from "../../git/base/repository.js";
import type { World } from "../perform/world.js";

/**
 * The world as an effect finds it that was decided at `at` (epoch ms): what it writes into the backlog and into commits
 * carries that time and not its own, so that a replay writes the same bytes.
 */
export function worldAt(world: World, at: number): World {
  const { store, repo } = world;
  return {
    ...world,
    store: { ...store, change: (changes, how) => store.change(changes, { ...how, now: at }) },
    ...(repo === undefined ? {} : { repo: repositoryAt(repo, at) }),
  };
}

/** Waiting and measuring go by the real clock all the same. */
function repositoryAt(repo: Repository, at: number): Repository {
  const { ports } = repo;
  return { ...repo, ports: { ...ports, clock: { ...ports.clock, now: () => at } } };
}
