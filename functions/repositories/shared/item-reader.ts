import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { endOfString } from '#domain/shared/text.ts';

/** What is wanted of an item. */
export interface Wanted {
  readonly attributes: Pick<ReadonlySet<string>, 'has'>;
  /**
   * Those of them that are maps whose names are data, and become a `Map`: an object with other names every time is a new shape
   * to V8 every time, which took a tenth of a whole call.
   */
  readonly dictionaries: ReadonlySet<string>;
}

/**
 * What is wanted of the item in DynamoDB's response to an UpdateItem, `{"Attributes":{…}}`, without sets and binaries; undefined in
 * a response that has none. It is what `unmarshall` of `@aws-sdk/util-dynamodb` gives; a test holds both to the same. Throws on
 * anything else; of what is not wanted, only where it ends is looked at.
 */
export function itemOf(text: string, { attributes, dictionaries }: Wanted): Record<string, unknown> | undefined {
  const reader = new ItemReader(text);
  let item: Record<string, unknown> | undefined;
  reader.members((field) => {
    if (field !== 'Attributes') throw new TypeError(`a response with ${field} is not read here`);
    const found: Record<string, unknown> = {};
    reader.members((name) => {
      const attribute = reader.attribute();
      if (attributes.has(name)) found[name] = valueOf(JSON.parse(attribute), dictionaries.has(name));
    });
    item = found;
  });
  return item;
}

/** Characters that JSON is marked with. */
const [quote, comma, colon, openBrace, closeBrace] = [0x22, 0x2c, 0x3a, 0x7b, 0x7d] as const;

class ItemReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** An object: `read` is called at each of its values. */
  members(read: (name: string) => void): void {
    this.#take(openBrace);
    if (this.#takes(closeBrace)) return;
    do {
      this.#take(quote);
      const start = this.#at - 1;
      this.#endString();
      const name: string = JSON.parse(this.#text.slice(start, this.#at));
      this.#take(colon);
      read(name);
    } while (this.#takes(comma));
    this.#take(closeBrace);
  }

  /** The text of an attribute, to its end. */
  attribute(): string {
    this.#take(openBrace);
    const start = this.#at - 1;
    for (let depth = 1; depth > 0;) {
      const mark = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(mark)) throw new SyntaxError('an attribute has no end');
      this.#at += 1;
      if (mark === quote) this.#endString();
      else if (mark === openBrace) depth += 1;
      else if (mark === closeBrace) depth -= 1;
    }
    return this.#text.slice(start, this.#at);
  }

  #endString(): void {
    const end = endOfString(this.#text, this.#at);
    if (end < 0) throw new SyntaxError('a text has no end');
    this.#at = end + 1;
  }

  #take(mark: number): void {
    if (!this.#takes(mark)) throw new SyntaxError(`there is no ${String.fromCharCode(mark)} at ${this.#at}`);
  }

  #takes(mark: number): boolean {
    while (this.#text.charCodeAt(this.#at) <= 32) this.#at += 1;
    if (this.#text.charCodeAt(this.#at) !== mark) return false;
    this.#at += 1;
    return true;
  }
}

function valueOf(attribute: AttributeValue, isDictionary = false): unknown {
  const types = Object.keys(attribute);
  if (types.length !== 1) throw new SyntaxError('an attribute has one type');
  const { N, S, BOOL, NULL, L, M } = attribute;
  if (N !== undefined) return exact(N);
  if (L) return L.map((value) => valueOf(value));
  if (M) {
    const entries = Object.entries(M).map(([name, value]) => [name, valueOf(value)] as const);
    return isDictionary ? new Map(entries) : Object.fromEntries(entries);
  }
  if (NULL) return null;
  const value = S ?? BOOL;
  if (value === undefined) throw new TypeError(`the attribute type ${types[0]} is not read here`);
  return value;
}

/** A number beyond what JavaScript holds exactly is refused, as the SDK does. */
function exact(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) || !Number.isInteger(number)) return number;
  throw new RangeError(`${text} is no number that JavaScript holds exactly`);
}
