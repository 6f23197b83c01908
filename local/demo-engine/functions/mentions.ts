import { isCommon, meaningfulWords } from '../../sagemaker/words.ts';

/** What a request mentions that may become an argument. Names and numbers are handed out once each, in their order. */
export interface Mentions {
  readonly text: string;
  /** The next name, such as a city; then other words of the request; undefined when it has none. */
  takeName(): string | undefined;
  /** The next number that is acceptable. */
  takeNumber(accepts: (value: number) => boolean): number | undefined;
  hasNumber(accepts: (value: number) => boolean): boolean;
  namesLeft(): number;
  numbersLeft(accepts: (value: number) => boolean): number;
  /** The first match in the text. */
  find(pattern: RegExp): string | undefined;
  /** Whether the text has this word or phrase, in any case. */
  includes(phrase: string): boolean;
}

/** Reads what a request mentions; only its first 4,000 characters count. */
export function mentionsOf(request: string): Mentions {
  const text = request.slice(0, 4000);
  const plain = text.replaceAll(/(?<!\S)\S+@\S+|https?:\/\/\S+|\b\d{4}-\d{2}-\d{2}\S*/g, ' ');
  const names = [...quotations(plain), ...properNames(plain)];
  const numbers = (plain.match(/(?<![\p{L}\d.])-?\d{1,15}(?:\.\d{1,6})?(?![\p{L}\d])/gu) ?? []).map(Number);
  const spare = objects(plain) ?? meaningfulWords(plain).at(-1);
  let used: string | undefined;

  return {
    text,
    takeName() {
      used = names.shift() ?? used ?? spare;
      return used;
    },
    takeNumber(accepts) {
      const index = numbers.findIndex(accepts);
      return index < 0 ? undefined : numbers.splice(index, 1)[0];
    },
    hasNumber: (accepts) => numbers.some(accepts),
    namesLeft: () => names.length,
    numbersLeft: (accepts) => numbers.filter(accepts).length,
    find: (pattern) => pattern.exec(text)?.[0],
    includes: (phrase) => phrase !== '' && ` ${words(text)} `.includes(` ${words(phrase)} `),
  };
}

function words(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}

function quotations(text: string): string[] {
  return [...text.matchAll(/["“«]([^"“”«»]{1,200})["”»]/g)].map(([, inside = '']) => inside.trim()).filter(Boolean);
}

/** Capitalised words, adjacent ones together; those that only open a sentence count when there are no others. */
function properNames(text: string): string[] {
  const found = [...text.matchAll(/\p{Lu}[\p{L}\p{M}'’-]*(?: \p{Lu}[\p{L}\p{M}'’-]*)*/gu)].flatMap(
    ({ 0: run, index }) => {
      const all = run.split(' ').map((word) => word.replace(/['’]s$/, ''));
      const opens = /(?:^|[.!?:]\s{0,5})$/.test(text.slice(Math.max(index - 6, 0), index));
      const kept = opens && isOpening(plainWord(all[0] ?? '')) ? all.slice(1) : all;
      const name = kept.join(' ');
      return name.length > 1 ? [{ name, surely: !opens || kept.length < all.length }] : [];
    },
  );
  const sure = found.filter(({ surely }) => surely);
  return (sure.length > 0 ? sure : found).map(({ name }) => name);
}

/** Words that open a request without being a name. */
function isOpening(word: string): boolean {
  return isCommon(word) || imperatives.has(word);
}

const imperatives: ReadonlySet<string> = new Set(
  `add book buy calculate call cancel change check compare convert create delete describe email explain forecast mail
  message order plan play remind remove rename reserve schedule send share start stop summarise summarize translate turn
  update`.split(/\s+/),
);

function plainWord(word: string): string {
  return word.toLowerCase().replace(/['’].*$/, '');
}

/** The word after the last preposition: "the weather in paris" is about paris. */
function objects(text: string): string | undefined {
  const after = [...text.matchAll(/\b(?:in|at|for|from|to|near|about|of)\s+(?:the\s+|an?\s+)?(\p{L}{2,40})/giu)];
  return after.map(([, word = '']) => word).findLast((word) => !isCommon(word.toLowerCase()));
}
