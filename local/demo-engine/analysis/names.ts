import { isCommon } from '../../sagemaker/words.ts';

export interface Named {
  readonly text: string;
  readonly type: string;
}

const firstNames =
  set(`ada alan alice amir ana anna ben bob carla carlos chen clara david elena emma eva felix fatima grace hans heidi ivan jack
  james jane john julia kofi lara laura leo linda lisa lucas maria marie mark martin mary max mia mohammed nina noah olga omar oscar paul peter
  priya rosa sara sarah sofia tom yuki zoe`);
const places =
  set(`africa america amsterdam asia austria berlin brazil canada chicago china dublin england europe france geneva germany hamburg
  india ireland italy japan kenya lagos lima lisbon london madrid mexico milan mumbai munich norway oslo paris portugal prague rome spain stockholm
  sweden sydney tokyo toronto vienna zurich zürich köln münchen wien`);
const organizations =
  /\b(?:Inc|Ltd|LLC|GmbH|AG|Corp|Company|Bank|University|Institute|Ministry|Agency|Association|Group|Foundation)\.?$/;
const events = /\b(?:Olympics|Festival|Conference|Summit|Fair|Championship|Cup|Day|War|Week)$/;
const titles = /(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau|Madame|Monsieur|Señora?)\.? $/;

const months = 'January|February|March|April|May|June|July|August|September|October|November|December';
const days = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const date = new RegExp(
  `\\b(?:\\d{4}-\\d\\d-\\d\\d|\\d{1,2}\\.? (?:${months})(?: \\d{4})?|(?:${months}) \\d{1,2}(?:, \\d{4})?|(?:${months}) \\d{4}|(?:${days})|(?:last|next) (?:week|month|year)|yesterday|tomorrow|\\d{1,2}/\\d{1,2}/\\d{2,4})\\b`,
  'g',
);
const quantity =
  /[$€£¥] ?\d[\d,.]*\d|[$€£¥] ?\d|(?<![\d,.])\b\d[\d,.]* ?(?:%|percent|dollars?|euros?|pounds?|kg|km|cm|mm|miles?|metres?|meters?|grams?|litres?|hours?|minutes?|seconds?|days?|weeks?|months?|years?|people|stars?|times|GB|MB)(?![\p{L}\p{N}])/gu;

/** Dates, quantities and names of a text, each once, in its order. */
export function namedIn(text: string): Named[] {
  const found: (Named & { index: number })[] = [
    ...Array.from(text.matchAll(date), ({ 0: words, index }) => ({ text: words, type: 'DATE', index })),
    ...Array.from(text.matchAll(quantity), ({ 0: words, index }) => ({ text: words, type: 'QUANTITY', index })),
    ...properNames(text),
  ];
  const taken: [number, number][] = [];
  const kept = found.filter(({ text: words, index }) => {
    const isFree = taken.every(([start, end]) => index >= end || index + words.length <= start);
    if (isFree) taken.push([index, index + words.length]);
    return isFree;
  });
  const inOrder = kept.toSorted((one, other) => one.index - other.index);
  return [...new Map(inOrder.map(({ text: words, type }) => [`${type} ${words}`, { text: words, type }])).values()];
}

/** Runs of capitalised words; one word that opens a sentence is a name only where a list has it. */
function* properNames(text: string): Generator<Named & { index: number }> {
  for (const { 0: run, index } of text.matchAll(
    /\p{Lu}[\p{L}\p{M}’'-]*(?: (?:of |de |van )?(?:\p{Lu}[\p{L}\p{M}’'-]*|\d{1,4}\b))*/gu,
  )) {
    const opens = /(?:^|[.!?:]["”)]?\s{0,5}|\n\s{0,8})$/.test(text.slice(Math.max(index - 8, 0), index));
    const words = run.replace(/[’']s$/, '').split(' ');
    const isCommonFirst = isCommon(words[0]?.toLowerCase() ?? '');
    const isOpening = opens && words.length === 1 && !isListed(words[0]);
    const skipped = isCommonFirst || isOpening ? 1 : 0;
    const name = words.slice(skipped).join(' ');
    const start = index + words.slice(0, skipped).reduce((sum, word) => sum + word.length + 1, 0);
    if (name.length < 2 || isCommon(name.toLowerCase())) continue;
    yield { text: name, index: start, type: typeOf(name, text.slice(Math.max(start - 9, 0), start)) };
  }
}

function typeOf(name: string, before: string): string {
  const words = name.toLowerCase().split(' ');
  if (organizations.test(name)) return 'ORGANIZATION';
  if (events.test(name)) return 'EVENT';
  if (titles.test(before) || firstNames.has(words[0] ?? '')) return 'PERSON';
  if (words.some((word) => places.has(word)) || /\b(?:in|at|to|from|near) $/.test(before)) return 'LOCATION';
  return /\d/.test(name) ? 'PRODUCT' : 'OTHER';
}

const isListed = (word = ''): boolean => firstNames.has(word.toLowerCase()) || places.has(word.toLowerCase());

/** Names of people and postal addresses. */
export function personalIn(text: string): Named[] {
  const people = namedIn(text).filter(({ type }) => type === 'PERSON');
  const streets = text.matchAll(
    /\b\d{1,5}[a-z]? (?:\p{Lu}[\p{L}\p{M}]* ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Square|Drive)\b\.?|\b\p{Lu}[\p{L}\p{M}]*(?:straße|strasse|weg|platz|gasse) \d{1,4}\b|\b\d{1,4},? (?:rue|avenue|place) (?:\p{L}+ ?){1,4}/gu,
  );
  return [...people, ...Array.from(streets, ([street]) => ({ text: street.trim(), type: 'ADDRESS' }))];
}

function set(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter(Boolean));
}
