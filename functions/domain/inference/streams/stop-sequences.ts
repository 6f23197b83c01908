/** A text as far as it may be passed on, and whether that is its end. */
interface Cut {
  readonly text: string;
  readonly stopped: boolean;
}

/** A text cut before the first stop sequence that is complete in it; of two that end at the same place, the longer. */
export function cutAtStop(text: string, stops: readonly string[]): Cut {
  const cut = new StopCutter(stops).push(text);
  return cut.stopped ? cut : { text, stopped: false };
}

/**
 * The same for a text that comes in pieces: no more is held back than may be the beginning of a stop sequence. Takes time
 * in proportion to the text, however long the sequences are and however much of them the text repeats.
 */
export class StopCutter {
  readonly #matchers: readonly Matcher[];
  #held = '';

  constructor(stops: readonly string[]) {
    this.#matchers = stops.map((stop) => new Matcher(stop));
  }

  /** What may be passed on now that `piece` has come. Nothing may follow once it has stopped. */
  push(piece: string): Cut {
    if (this.#matchers.length === 0) return { text: piece, stopped: false };
    const text = this.#held + piece;
    for (let index = 0; index < piece.length; index += 1) {
      const complete = this.#matchers.filter((matcher) => matcher.reads(piece.charCodeAt(index)));
      if (complete.length === 0) continue;
      const end = text.length - piece.length + index + 1;
      this.#held = '';
      return { text: text.slice(0, end - Math.max(...complete.map(({ length }) => length))), stopped: true };
    }
    const kept = Math.max(0, ...this.#matchers.map(({ begun }) => begun));
    this.#held = text.slice(text.length - kept);
    return { text: text.slice(0, text.length - kept), stopped: false };
  }

  /** What was held back, for the end of the text. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

/** Knuth, Morris and Pratt's search for one sequence. */
class Matcher {
  /** How much of the sequence the text ends with. */
  begun = 0;
  readonly length: number;
  readonly #stop: string;
  /** For each length of a beginning, that of the longest shorter beginning which it ends with. */
  readonly #shorter: Int32Array;

  constructor(stop: string) {
    this.#stop = stop;
    this.length = stop.length;
    this.#shorter = new Int32Array(stop.length + 1);
    for (let index = 1, begun = 0; index < stop.length; index += 1) {
      begun = this.#next(begun, stop.charCodeAt(index));
      this.#shorter[index + 1] = begun;
    }
  }

  /** Reads one more unit of the text; true once the sequence is complete. */
  reads(unit: number): boolean {
    this.begun = this.#next(this.begun, unit);
    return this.begun === this.length;
  }

  #next(begun: number, unit: number): number {
    let length = begun;
    while (length > 0 && this.#stop.charCodeAt(length) !== unit) length = this.#shorter[length] ?? 0;
    return this.#stop.charCodeAt(length) === unit ? length + 1 : 0;
  }
}
