import type { Span } from '../span.ts';

/** A text as it is compared, and where each of its UTF-16 units stands in the text that it was made of. */
export interface Placed {
  readonly text: string;
  /** Where the piece begins in the original that a unit of `text` is of. */
  startOf(unit: number): number;
  /** Where a span of `text` that is not empty stands in the original. */
  spanOf(span: Span): Span;
}

/** A text that has each unit where the original has it. */
export const inPlace = (text: string): Placed => ({ text, startOf: (unit) => unit, spanOf: (span) => span });

/** One that is put together from pieces. */
export class PlacedText implements Placed {
  text = '';
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** Adds what the piece of the original from `start` to `end` becomes, which is found as a whole. */
  add(piece: string, start: number, end: number): void {
    this.text += piece;
    for (let unit = 0; unit < piece.length; unit += 1) {
      this.#starts.push(start);
      this.#ends.push(end);
    }
  }

  /** Adds a piece that has as many units as in the original. */
  addEach(piece: string, start: number): void {
    this.text += piece;
    for (let unit = 0; unit < piece.length; unit += 1) {
      this.#starts.push(start + unit);
      this.#ends.push(start + unit + 1);
    }
  }

  startOf(unit: number): number {
    return this.#starts[unit] ?? 0;
  }

  spanOf({ start, end }: Span): Span {
    return { start: this.#starts[start] ?? 0, end: this.#ends[end - 1] ?? 0 };
  }
}
