/**
 * Values by their ids, in order; never changed once made. A changed copy costs the copy of a list, where a map would have to be
 * built anew: of 100,000 tasks an iteration changes one, many times over.
 */
export class ById<V extends { readonly id: string }> {
  private constructor(
    readonly values: readonly V[],
    private readonly places: ReadonlyMap<string, number>,
  ) {}

  /** Of two values with one id the last counts, in the place of the first. */
  static of<V extends { readonly id: string }>(values: Iterable<V>): ById<V> {
    const all = [...new Map(Array.from(values, (value) => [value.id, value])).values()];
    return new ById(all, new Map(all.map(({ id }, place) => [id, place])));
  }

  get size(): number {
    return this.values.length;
  }

  get(id: string): V | undefined {
    const place = this.places.get(id);
    return place === undefined ? undefined : this.values[place];
  }

  /** Without `removed`, then with `changed` in place of what has their ids; what is new comes last. */
  with(changed: readonly V[], removed: readonly string[]): ById<V> {
    const { places } = this;
    if (removed.some((id) => places.has(id)) || changed.some(({ id }) => !places.has(id))) {
      const gone = new Set(removed);
      return ById.of([...this.values.filter(({ id }) => !gone.has(id)), ...changed]);
    }
    const values = [...this.values];
    for (const value of changed) values[places.get(value.id) ?? 0] = value;
    return new ById(values, places);
  }
}
