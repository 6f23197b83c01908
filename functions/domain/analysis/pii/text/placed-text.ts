import type { Span } from '../../quotes/span.ts';

/** A text as it is compared, and where each of its UTF-16 units stands in the text that it was made of. */
export interface Placed {
  readonly text: string;
  /** The first unit of `text` whose piece begins at a place of the original or behind it. */
  unitAt(place: number): number;
  /** Where a span of `text` that is not empty stands in the original. */
  spanOf(span: Span): Span;
}

/** A text that has each unit where the original has it. */
export const inPlace = (text: string): Placed => ({ text, unitAt: (place) => place, spanOf: (span) => span });

/** One that is put together from pieces, and read once all are there. */
export class PlacedText implements Placed {
  #units: Uint16Array<ArrayBuffer>;
  #starts: Uint32Array<ArrayBuffer>;
  #ends: Uint32Array<ArrayBuffer>;
  #length = 0;
  #text: string | undefined;

  /** `expected` UTF-16 units; it may become longer. */
  constructor(expected: number) {
    this.#units = new Uint16Array(expected);
    this.#starts = new Uint32Array(expected);
    this.#ends = new Uint32Array(expected);
  }

  get text(): string {
    return (this.#text ??= Buffer.from(this.#units.buffer, 0, 2 * this.#length).toString('utf16le'));
  }

  /** Adds what the piece of the original from `start` to `end` becomes, which is found as a whole. */
  add(piece: string, start: number, end: number): void {
    for (let unit = 0; unit < piece.length; unit += 1) this.addUnit(piece.charCodeAt(unit), start, end);
  }

  /** Adds a piece that has as many units as in the original. */
  addEach(piece: string, start: number): void {
    for (let unit = 0; unit < piece.length; unit += 1)
      this.addUnit(piece.charCodeAt(unit), start + unit, start + unit + 1);
  }

  addUnit(code: number, start: number, end: number): void {
    if (this.#length === this.#units.length) this.#grow();
    this.#units[this.#length] = code;
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length += 1;
  }

  #grow(): void {
    const size = 2 * this.#length + 16;
    const [units, starts, ends] = [new Uint16Array(size), new Uint32Array(size), new Uint32Array(size)];
    units.set(this.#units);
    starts.set(this.#starts);
    ends.set(this.#ends);
    [this.#units, this.#starts, this.#ends] = [units, starts, ends];
  }

  unitAt(place: number): number {
    let [from, to] = [0, this.#length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#starts[middle] ?? 0) < place) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Its units are those of `text`. */
  spanOf({ start, end }: Span): Span {
    return { start: this.#starts[start] ?? 0, end: this.#ends[end - 1] ?? 0 };
  }
}
