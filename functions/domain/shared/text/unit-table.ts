/**
 * Of each UTF-16 unit a number other than 0, which is found out when a text first has the unit: an expression that names kinds of
 * characters takes many times as long for each character of a text. Halves of characters are units too.
 */
export class UnitTable {
  /** Empty until there is one: a function has several tables, of 128 KB, and most starts need none. */
  #numbers = new Uint16Array(0);
  readonly #numberOf: (unit: string) => number;

  constructor(numberOf: (unit: string) => number) {
    this.#numberOf = numberOf;
  }

  of(code: number): number {
    return this.#numbers[code] || this.#learn(code);
  }

  #learn(code: number): number {
    if (this.#numbers.length === 0) this.#numbers = new Uint16Array(0x1_00_00);
    const number = this.#numberOf(String.fromCharCode(code));
    this.#numbers[code] = number;
    return number;
  }

  /** The numbers of all units of a text, one or another: each a bit. */
  anyOf(text: string): number {
    let all = 0;
    for (let at = 0; at < text.length; at += 1) all |= this.of(text.charCodeAt(at));
    return all;
  }
}
