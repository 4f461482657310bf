/** Every field may be absent, and none is `undefined`. */
type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value: `{ ...given({ model }) }` has no key `model` when `model` is `undefined`. */
export function given<T extends object>(fields: T): Given<T> {
  const found: Given<T> = {};
  for (const key in fields) {
    const value = fields[key];
    if (isGiven(value)) found[key] = value;
  }
  return found;
}

function isGiven<V>(value: V): value is Exclude<V, undefined> {
  return value !== undefined;
}
