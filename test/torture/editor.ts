// One of many who edit the backlog at the same time, as the editing commands do: through the store. Prints how many of its edits
// were taken. Arguments: the task file, the folder of its lock, this one's name, how many.
import { nodePorts } from "../../src/system/node.js";
import { openStore, type Store } from "../../src/todo/store.js";

async function edit(store: Store, title: string): Promise<boolean> {
  const add = { op: "add", tasks: [{ title, priority: 5 }], keepVerify: false } as const;
  const changed = await store.change([add], { while: "idle", finished: new Set() });
  return changed.ok && changed.value.applied.updated.length === 1;
}

async function main(): Promise<void> {
  const [file = "", lockFolder = "", name = "", count = "0"] = process.argv.slice(2);
  const store = openStore(nodePorts(), file, { lockFolder });
  let taken = 0;
  for (let number = 1; number <= Number(count); number++) {
    if (await edit(store, `${name}-${number}`)) taken++;
  }
  process.stdout.write(`${taken}\n`);
}

await main();
