import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { endOfString } from '#domain/shared/text.ts';

export interface Projection {
  readonly attributes: Pick<ReadonlySet<string>, 'has'>;
  /** Read as a `Map`: objects with changing names create a new V8 hidden class each time, which took 10 % of a call. */
  readonly dictionaries: ReadonlySet<string>;
}

/**
 * Parses the projection from an UpdateItem response, `{"Attributes":{…}}`, without sets and binary. Skips other
 * attributes. A test compares it with `unmarshall` of `@aws-sdk/util-dynamodb`.
 */
export function itemOf(text: string, { attributes, dictionaries }: Projection): Record<string, unknown> | undefined {
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

const [quote, comma, colon, openBrace, closeBrace] = [0x22, 0x2c, 0x3a, 0x7b, 0x7d] as const;

class ItemReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

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

/** Throws for integers that JavaScript cannot represent, like the SDK. */
function exact(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) || !Number.isInteger(number)) return number;
  throw new RangeError(`${text} is no number that JavaScript holds exactly`);
}
