/** A map with a maximum size. A new entry beyond it removes the one that was set the longest ago. */
export class RecentMap<Key, Value> {
  readonly #maxSize: number;
  readonly #entries = new Map<Key, Value>();

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** `undefined` removes the entry. */
  set(key: Key, value: Value | undefined): void {
    this.#entries.delete(key);
    if (value !== undefined) this.#entries.set(key, value);
    const [oldest] = this.#entries.size > this.#maxSize ? this.#entries.keys() : [];
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
