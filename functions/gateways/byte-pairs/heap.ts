/** Numbers of which the smallest comes out first. */
export class Heap {
  readonly #items: Int32Array;
  #size = 0;

  constructor(capacity: number) {
    this.#items = new Int32Array(capacity);
  }

  push(item: number): void {
    const items = this.#items;
    let at = this.#size;
    this.#size += 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = items[above] ?? 0;
      if (other <= item) break;
      items[at] = other;
      at = above;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    if (this.#size === 0) return undefined;
    const items = this.#items;
    const first = items[0];
    this.#size -= 1;
    const item = items[this.#size] ?? 0;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.#size) break;
      if (below + 1 < this.#size && (items[below + 1] ?? 0) < (items[below] ?? 0)) below += 1;
      const other = items[below] ?? 0;
      if (other >= item) break;
      items[at] = other;
      at = below;
    }
    items[at] = item;
    return first;
  }
}
