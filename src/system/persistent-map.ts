// A map whose changed copies share what did not change. Pure.
/** A value of the map: `undefined` means that a key is absent. */
type Present = string | number | boolean | object;

/** How many values a map holds apart from the rest: what a changed copy costs. */
const MOST_APART = 64;

/**
 * A map that is never changed once made. A changed copy shares all but the last few values with the map it was made from: a run
 * remembers something of every task it tried, and changes one of them at a time.
 */
export class PersistentMap<K, V extends Present> {
  private constructor(
    private readonly shared: ReadonlyMap<K, V>,
    private readonly apart: ReadonlyMap<K, V>,
    readonly size: number,
  ) {}

  static of<K, V extends Present>(entries: Iterable<readonly [K, V]> = []): PersistentMap<K, V> {
    const all = new Map(entries);
    return new PersistentMap<K, V>(new Map(), all, all.size);
  }

  get(key: K): V | undefined {
    return this.apart.get(key) ?? this.shared.get(key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  /** The same map with this value under this key. */
  with(key: K, value: V): PersistentMap<K, V> {
    const apart = new Map(this.apart).set(key, value);
    const size = this.size + (this.has(key) ? 0 : 1);
    if (apart.size <= MOST_APART) return new PersistentMap(this.shared, apart, size);
    return new PersistentMap<K, V>(new Map([...this.shared, ...apart]), new Map(), size);
  }

  /** Keys with their values, in the order in which the keys came. */
  [Symbol.iterator](): IterableIterator<[K, V]> {
    return new Map([...this.shared, ...this.apart])[Symbol.iterator]();
  }
}
