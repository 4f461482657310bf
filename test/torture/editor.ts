// One of many who edit the backlog at the same time, as the editing commands do: through the store. Prints each of its edits that
// was not taken, and why. Arguments: the task file, the folder of its lock, this one's name, how many.
import { nodePorts } from "../../src/system/processes/node-ports.js";
import { openStore, type Store } from "../../src/todo/store/store.js";

/** Why it was not taken, if it was not. */
async function edit(store: Store, title: string): Promise<string | undefined> {
  const add = { op: "add", tasks: [{ title, priority: 5 }], keepVerify: false } as const;
  const changed = await store.change([add], { while: "idle", finished: new Set() });
  if (!changed.ok) return JSON.stringify(changed.error);
  const { updated } = changed.value.applied;
  return updated.length === 1 ? undefined : JSON.stringify(changed.value.applied);
}

async function main(): Promise<void> {
  const [file = "", lockFolder = "", name = "", count = "0"] = process.argv.slice(2);
  const store = openStore(nodePorts(), file, { lockFolder });
  for (let number = 1; number <= Number(count); number++) {
    const why = await edit(store, `${name}-${number}`);
    if (why !== undefined) process.stdout.write(`${name}-${number} was not taken: ${why}\n`);
  }
}

void main();
