import * as v from 'valibot';
import { isJsonObject } from '#contract/shared/json.ts';
import { isCommon, meaningfulWords } from '../../sagemaker/words.ts';

const size = v.fallback(v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))), undefined);
const bound = v.fallback(v.optional(v.pipe(v.number(), v.finite())), undefined);
const nodes = v.fallback(v.optional(v.array(v.unknown())), undefined);

/** The supported keywords of JSON Schema. An invalid keyword is ignored. */
const Schema = v.object({
  $ref: v.fallback(v.optional(v.string()), undefined),
  type: v.fallback(v.optional(v.union([v.string(), v.array(v.string())])), undefined),
  const: v.optional(v.unknown()),
  enum: nodes,
  default: v.optional(v.unknown()),
  properties: v.fallback(v.optional(v.custom<Record<string, unknown>>(isJsonObject)), undefined),
  required: v.fallback(v.optional(v.array(v.string())), undefined),
  additionalProperties: v.optional(v.unknown()),
  items: v.optional(v.unknown()),
  prefixItems: nodes,
  minItems: size,
  maxItems: size,
  minLength: size,
  maxLength: size,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: bound,
  format: v.fallback(v.optional(v.string()), undefined),
  anyOf: nodes,
  oneOf: nodes,
  allOf: nodes,
});
export type Schema = v.InferOutput<typeof Schema>;

/**
 * Follows references, takes the first branch of alternatives and merges `allOf`. Follows a recursive reference once.
 */
export function resolveSchema(node: unknown, root: unknown, seen: ReadonlySet<string> = new Set()): Schema {
  const { $ref, anyOf, oneOf, allOf = [], ...own } = v.parse(Schema, isJsonObject(node) ? node : {});
  const target = $ref !== undefined && !seen.has($ref) ? followPointer(root, $ref) : undefined;
  const known = $ref === undefined ? seen : new Set([...seen, $ref]);
  const parts = [target, anyOf?.[0], oneOf?.[0], ...allOf.slice(0, 16)].filter(isJsonObject);
  return parts.map((part) => resolveSchema(part, root, known)).reduce(merge, own);
}

function merge(one: Schema, other: Schema): Schema {
  return {
    ...other,
    ...defined(one),
    ...((one.properties ?? other.properties) && { properties: { ...other.properties, ...one.properties } }),
    ...((one.required ?? other.required) && {
      required: [...new Set([...(one.required ?? []), ...(other.required ?? [])])],
    }),
  };
}

function defined(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}

function followPointer(root: unknown, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  const steps = ref
    .slice(1)
    .split('/')
    .slice(1)
    .map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>(
    (at, step) => (isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
    root,
  );
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

export interface Mentions {
  readonly text: string;
  /** The next name, such as a city, then other words of the request. */
  takeName(): string | undefined;
  takeNumber(accepts: (value: number) => boolean): number | undefined;
  hasNumber(accepts: (value: number) => boolean): boolean;
  namesLeft(): number;
  numbersLeft(accepts: (value: number) => boolean): number;
  find(pattern: RegExp): string | undefined;
  includes(phrase: string): boolean;
  /** The text that the request gives a field by its name: "city: Oslo" or "the city is Oslo". */
  textOf(field: string): string | undefined;
  /** The number next to the name of a field: "3 days" or "age: 36". */
  numberOf(field: string, accepts: (value: number) => boolean): number | undefined;
}

export function mentionsOf(request: string): Mentions {
  const text = request.slice(0, 4000);
  const plain = text.replaceAll(/(?<!\S)\S+@\S+|https?:\/\/\S+|\b\d{4}-\d{2}-\d{2}\S*/g, ' ');
  const names = [...quotations(plain), ...properNames(plain)].filter((name) => !/^(?:json|schema)$/i.test(name));
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
    textOf(field) {
      const name = nameWords(field);
      if (name === '') return undefined;
      const value = `(?:["“]([^"”\\n]{1,200})["”]|([^\\s,.;:!?"][^,.;\\n]{0,80}))`;
      const [, quoted, bare] = new RegExp(`\\b${name}\\s*(?:[:=]|\\bis\\b)\\s*${value}`, 'iu').exec(text) ?? [];
      return (quoted ?? bare)?.split(/\s(?:and|with|for)\s/, 1)[0]?.trim();
    },
    numberOf(field, accepts) {
      const name = nameWords(field);
      if (name === '') return undefined;
      const number = `(-?\\d{1,15}(?:\\.\\d{1,6})?)`;
      const between = `\\s*(?:[:=]|\\bis\\b|\\bof\\b)?\\s*`;
      const pattern = new RegExp(`\\b${name}${between}${number}(?![\\p{L}\\d])|${number}\\s+${name}\\b`, 'iu');
      const [, after, before] = pattern.exec(plain) ?? [];
      const found = Number(after ?? before);
      if (!accepts(found)) return undefined;
      const index = numbers.indexOf(found);
      if (index >= 0) numbers.splice(index, 1);
      return found;
    },
    includes: (phrase) => phrase !== '' && ` ${words(text)} `.includes(` ${words(phrase)} `),
  };
}

/** Words of `firstName` or `first_name`, which are safe in a regular expression. */
function nameWords(field: string): string {
  const words = field.slice(0, 64).replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[^\p{L}\p{N}]+/gu, ' ');
  return words.trim().replaceAll(' ', '\\s');
}

function words(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}

function quotations(text: string): string[] {
  return [...text.matchAll(/["“«]([^"“”«»]{1,200})["”»]/g)].map(([, inside = '']) => inside.trim()).filter(Boolean);
}

function properNames(text: string): string[] {
  const found = [...text.matchAll(/\p{Lu}[\p{L}\p{M}'’-]*(?: \p{Lu}[\p{L}\p{M}'’-]*)*/gu)].flatMap(
    ({ 0: run, index }) => {
      const all = run.split(' ').map((word) => word.replace(/['’]s$/, ''));
      const opens = /(?:^|[.!?]\s{0,5})$/.test(text.slice(Math.max(index - 6, 0), index));
      const kept = opens && isOpening(plainWord(all[0] ?? '')) ? all.slice(1) : all;
      const name = kept.join(' ');
      return name.length > 1 ? [{ name, isCertain: !opens || kept.length < all.length }] : [];
    },
  );
  const sure = found.filter(({ isCertain }) => isCertain);
  return (sure.length > 0 ? sure : found).map(({ name }) => name);
}

function isOpening(word: string): boolean {
  return isCommon(word) || imperatives.has(word);
}

const imperatives: ReadonlySet<string> = new Set(
  `add book buy calculate call cancel change check compare convert create delete describe email explain extract forecast mail
  message order parse plan play remind remove rename reserve schedule send share start stop summarise summarize translate turn
  update`.split(/\s+/),
);

function plainWord(word: string): string {
  return word.toLowerCase().replace(/['’].*$/, '');
}

/** The words after the last preposition, such as "paris" in "the weather in paris". */
function objects(text: string): string | undefined {
  const after = [...text.matchAll(/\b(?:in|at|for|from|to|near|about|of)\s+(?:the\s+|an?\s+)?(\p{L}{2,40})/giu)];
  return after.map(([, word = '']) => word).findLast((word) => !isCommon(word.toLowerCase()));
}
