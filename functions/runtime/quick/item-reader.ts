import { endOfString } from '#domain/json-text.ts';

/** What is wanted of an item. */
export interface Wanted {
  readonly attributes: ReadonlySet<string>;
  /**
   * Those of them that are maps whose names are data, and become a `Map`: an object with other names every time is a new shape
   * to V8 every time, which took a tenth of a whole call.
   */
  readonly dictionaries: ReadonlySet<string>;
}

/**
 * What is wanted of the item in DynamoDB's answer to an UpdateItem, `{"Attributes":{…}}`, without sets and binaries; undefined in
 * an answer that has none. It is what `unmarshall` of `@aws-sdk/util-dynamodb` gives; a test holds both to the same. Throws on
 * anything else; of what is not wanted, only where it ends is looked at.
 */
export function itemOf(text: string, { attributes, dictionaries }: Wanted): Record<string, unknown> | undefined {
  const reader = new ItemReader(text);
  let item: Record<string, unknown> | undefined;
  reader.members((field) => {
    if (field !== 'Attributes') throw new TypeError(`an answer with ${field} is not read here`);
    const found: Record<string, unknown> = {};
    reader.members((name) => {
      if (attributes.has(name)) found[name] = reader.attribute(dictionaries.has(name));
      else reader.skip();
    });
    item = found;
  });
  return item;
}

/** Characters that JSON is marked with. */
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

class ItemReader {
  readonly #text: string;
  readonly #hasEscapes: boolean;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#hasEscapes = text.includes('\\');
  }

  /** An object: `read` is called at each of its values. */
  members(read: (name: string) => void): void {
    this.#take(openBrace);
    if (this.#takes(closeBrace)) return;
    do read(this.#name());
    while (this.#takes(comma));
    this.#take(closeBrace);
  }

  /** `{"N":"1"}`, whose only name is its type. */
  attribute(isDictionary: boolean): unknown {
    this.#take(openBrace);
    const value = this.#value(this.#name(), isDictionary);
    this.#take(closeBrace);
    return value;
  }

  /** To the end of an attribute. */
  skip(): void {
    this.#take(openBrace);
    let depth = 1;
    while (depth > 0) {
      const mark = this.#text.charCodeAt(this.#at);
      if (mark === quote) {
        this.#string();
        continue;
      }
      if (Number.isNaN(mark)) throw new SyntaxError('an attribute has no end');
      if (mark === openBrace) depth += 1;
      else if (mark === closeBrace) depth -= 1;
      this.#at += 1;
    }
  }

  /** Of a member, with its colon. */
  #name(): string {
    const name = this.#string();
    this.#take(colon);
    return name;
  }

  #value(type: string, isDictionary: boolean): unknown {
    if (type === 'N') return exact(this.#string());
    if (type === 'S') return this.#string();
    if (type === 'M') return isDictionary ? this.#dictionary() : Object.fromEntries(this.#dictionary());
    if (type === 'L') return this.#list();
    if (type === 'BOOL') return this.#isTrue();
    if (type === 'NULL') return this.#null();
    throw new TypeError(`the attribute type ${type} is not read here`);
  }

  #dictionary(): Map<string, unknown> {
    const dictionary = new Map<string, unknown>();
    this.members((name) => dictionary.set(name, this.attribute(false)));
    return dictionary;
  }

  #list(): unknown[] {
    const list: unknown[] = [];
    this.#take(openBracket);
    if (this.#takes(closeBracket)) return list;
    do list.push(this.attribute(false));
    while (this.#takes(comma));
    this.#take(closeBracket);
    return list;
  }

  #string(): string {
    this.#take(quote);
    const start = this.#at;
    const end = endOfString(this.#text, start);
    if (end < 0) throw new SyntaxError('a text has no end');
    this.#at = end + 1;
    const text = this.#text.slice(start, end);
    return this.#hasEscapes && text.includes('\\') ? JSON.parse(`"${text}"`) : text;
  }

  /** Written as `true`. */
  #null(): null {
    this.#isTrue();
    return null;
  }

  #isTrue(): boolean {
    this.#skipSpace();
    const isTrue = this.#text.startsWith('true', this.#at);
    if (!isTrue && !this.#text.startsWith('false', this.#at)) throw new SyntaxError('neither true nor false');
    this.#at += isTrue ? 4 : 5;
    return isTrue;
  }

  #take(mark: number): void {
    if (!this.#takes(mark)) throw new SyntaxError(`there is no ${String.fromCharCode(mark)} at ${this.#at}`);
  }

  #takes(mark: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== mark) {
      this.#skipSpace();
      if (this.#text.charCodeAt(this.#at) !== mark) return false;
    }
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (this.#text.charCodeAt(this.#at) <= 32) this.#at += 1;
  }
}

/** A number beyond what JavaScript holds exactly is refused, as the SDK does. */
function exact(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) || !Number.isInteger(number)) return number;
  throw new RangeError(`${text} is no number that JavaScript holds exactly`);
}
