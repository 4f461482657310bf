/** An object from the output of `git cat-file --batch`. */
export interface BatchObject {
  oid: string;
  /** Bytes, one character each. */
  content: string;
}

/** Parses the output of `git cat-file --batch`, in the order of the requests; a missing object is `undefined`. */
export function parseBatch(out: string): (BatchObject | undefined)[] {
  const objects: (BatchObject | undefined)[] = [];
  let at = 0;
  while (at < out.length) {
    const end = out.indexOf("\n", at);
    const found = /^([0-9a-f]+) \w+ (\d+)$/.exec(out.slice(at, end));
    at = end + 1;
    if (found === null) {
      objects.push(undefined);
      continue;
    }
    const size = Number(found[2]);
    objects.push({ oid: found[1] ?? "", content: out.slice(at, at + size) });
    at += size + 1;
  }
  return objects;
}
