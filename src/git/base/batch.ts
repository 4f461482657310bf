/** An object as `git cat-file --batch` tells it. */
export interface BatchObject {
  oid: string;
  /** Bytes, one character each. */
  content: string;
}

/** The objects of `git cat-file --batch` output, `undefined` for each that is missing, in the order asked. */
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
