import * as v from 'valibot';
import { isCommon, meaningfulWords } from '../sagemaker/words.ts';

const Categories = v.object({ items: v.object({ enum: v.array(v.string()) }) });
const Format = v.object({
  name: v.literal('text_analysis'),
  schema: v.object({ properties: v.record(v.string(), v.unknown()) }),
});

/** The platform's prompt puts the text between two identical random lines. */
const markedText = /(?:^|\n)([\da-f]{32})\n([^]*)\n\1$/;

const maxItems = 200;

/** Answers the platform's analysis schema from word lists. Undefined for any other request. */
export function analysisOf(format: unknown, message: string): Record<string, unknown> | undefined {
  const text = markedText.exec(message)?.[2];
  if (text === undefined || !v.is(Format, format)) return undefined;
  const { properties } = format.schema;
  const fields: Readonly<Record<string, () => unknown>> = {
    language: () => languageOf(text),
    sentiment: () => sentimentOf(text),
    entities: () => entitiesIn(text).slice(0, maxItems),
    key_phrases: () => phrasesOf(text),
    pii: () => personalDataIn(text).slice(0, maxItems),
    categories: () => matchingLabels(text, properties['categories']),
  };
  return Object.fromEntries(Object.keys(properties).map((name) => [name, fields[name]?.() ?? null]));
}

function phrasesOf(text: string): string[] {
  const runs = text
    .split(/[^\p{L}\p{M}\p{N}’' -]+/u)
    .flatMap((clause) =>
      clause
        .split(/\s+/)
        .reduce(intoRuns, [[]])
        .map((run) => run.join(' ')),
    )
    .filter((run) => run.length > 3);
  const phrases = runs.filter((run) => run.includes(' '));
  const unique = [...new Set(phrases.length > 0 ? phrases : runs)];
  return unique.toSorted((one, other) => other.length - one.length).slice(0, 8);
}

function intoRuns(runs: string[][], word: string): string[][] {
  const last = runs.at(-1) ?? [];
  if (word === '' || isCommon(word.toLowerCase())) return last.length === 0 ? runs : [...runs, []];
  if (last.length >= 4) return [...runs, [word]];
  return [...runs.slice(0, -1), [...last, word]];
}

const topicPatterns: Readonly<Record<string, RegExp>> = {
  delivery: /\b(?:parcel|package|shipping|shipped|arrived|courier|late|deliver\w*)\b/i,
  quality: /\b(?:broke|broken|superb|excellent|sturdy|material|quality|defective|works?)\b/i,
  price: /\b(?:price|cheap|expensive|cost|money|worth|paid|refund)\b/i,
  service: /\b(?:staff|support|service|helpful|rude|friendly|waiter|replied)\b/i,
};

function matchingLabels(text: string, schema: unknown): string[] {
  if (!v.is(Categories, schema)) return [];
  const labels = schema.items.enum;
  const stems = new Set(meaningfulWords(text).map(stemOf));
  const scored = labels.map((label) => {
    const words: string[] = label.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
    const shared = words.filter((word) => stems.has(stemOf(word))).length;
    const hints = Object.entries(topicPatterns).filter(
      ([name, pattern]) => words.includes(name) && pattern.test(text),
    ).length;
    return { label, score: shared * 2 + hints };
  });
  const found = scored.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score);
  return (found.length > 0 ? found : scored.slice(0, 1)).map(({ label }) => label);
}

const stemOf = (word: string): string => (word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed|y)$/, '') : word);

/** Scripts used by one main language. Japanese precedes Chinese because it also uses Chinese characters. */
const scripts: readonly (readonly [code: string, letters: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
];

const frequentWords: readonly (readonly [code: string, words: ReadonlySet<string>])[] = [
  ['en', set('the and is are was were of to in that it this with for not but you my a an at from by have has')],
  ['fr', set('le la les et est sont de des du un une dans que qui ce cette avec pour pas mais vous mon ma je il elle')],
  ['de', set('der die das und ist sind war von zu ein eine in den dem mit für nicht aber ich sie es mein auf auch')],
  ['es', set('el la los las y es son de del un una en que con para no pero usted mi yo se lo por muy')],
  ['it', set('il lo la gli le e è sono di del un una in che con per non ma mio io si molto della')],
  ['pt', set('o a os as e é são de do da um uma em que com para não mas meu eu se muito')],
  ['nl', set('de het een en is zijn van in dat met voor niet maar ik je mijn op ook')],
];

function languageOf(text: string): string {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const script = scripts.find(([, of]) => (text.match(of)?.length ?? 0) * (of === scripts[0]?.[1] ? 5 : 2) > letters);
  if (script && letters > 0) return script[0];
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const counted = frequentWords.map(([code, of]) => ({ code, count: words.filter((word) => of.has(word)).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).code;
}

const good =
  set(`amazing awesome beautiful best brilliant charming comfortable delicious delighted easy elegant enjoy enjoyed excellent
  fantastic fast favourite fine friendly glad good gorgeous great happy helpful impressed love loved lovely nice outstanding perfect perfectly
  pleasant pleased quick recommend recommended reliable satisfied smooth splendid sturdy superb thanks thrilled well wonderful
  bon bonne excellent génial magnifique merveilleux parfait rapide super gut hervorragend perfekt schnell schön toll wunderbar zufrieden
  bueno buena excelente perfecto rápido encantador bello buono ottimo perfetto veloce`);

const bad =
  set(`annoyed annoying awful bad broke broken complaint cracked damaged defective disappointed disappointing dirty dreadful expensive
  fail failed fails faulty filthy hate hated horrible late leaks lost mediocre mess missing noisy poor poorly regret returned rude sad scratched
  slow smelly terrible ugly unhappy unreliable useless waste weak worse worst wrong
  cassé déçu horrible lent mauvais mauvaise nul defekt enttäuscht kaputt langsam schlecht schlimm furchtbar
  lento malo mala horrible roto terrible brutto cattivo pessimo rotto`);

const negations = set('not no never hardly isn wasn don doesn didn nicht kein keine pas jamais non nunca mai');

/** A word after a negation counts as its opposite. */
function sentimentOf(text: string): 'positive' | 'negative' | 'neutral' | 'mixed' {
  const all = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const count = { good: 0, bad: 0 };
  all.forEach((word, index) => {
    const isGood = good.has(word);
    if (!isGood && !bad.has(word)) return;
    const isNegated = all.slice(Math.max(index - 3, 0), index).some((before) => negations.has(before));
    count[isGood === isNegated ? 'bad' : 'good'] += 1;
  });
  if (count.good > 0 && count.bad > 0 && Math.min(count.good, count.bad) * 3 >= Math.max(count.good, count.bad))
    return 'mixed';
  if (count.good === count.bad) return 'neutral';
  return count.good > count.bad ? 'positive' : 'negative';
}

export interface Entity {
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

function entitiesIn(text: string): Entity[] {
  const found: (Entity & { index: number })[] = [
    ...Array.from(text.matchAll(date), ({ 0: words, index }) => ({ text: words, type: 'DATE', index })),
    ...Array.from(text.matchAll(quantity), ({ 0: words, index }) => ({ text: words, type: 'QUANTITY', index })),
    ...properNames(text),
  ];
  const taken: [number, number][] = [];
  const entities = found.filter(({ text: words, index }) => {
    const isFree = taken.every(([start, end]) => index >= end || index + words.length <= start);
    if (isFree) taken.push([index, index + words.length]);
    return isFree;
  });
  const inOrder = entities.toSorted((one, other) => one.index - other.index);
  return [...new Map(inOrder.map(({ text: words, type }) => [`${type} ${words}`, { text: words, type }])).values()];
}

function* properNames(text: string): Generator<Entity & { index: number }> {
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

function personalDataIn(text: string): Entity[] {
  const people = entitiesIn(text).filter(({ type }) => type === 'PERSON');
  const streets = text.matchAll(
    /\b\d{1,5}[a-z]? (?:\p{Lu}[\p{L}\p{M}]* ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Square|Drive)\b\.?|\b\p{Lu}[\p{L}\p{M}]*(?:straße|strasse|weg|platz|gasse) \d{1,4}\b|\b\d{1,4},? (?:rue|avenue|place) (?:\p{L}+ ?){1,4}/gu,
  );
  return [...people, ...Array.from(streets, ([street]) => ({ text: street.trim(), type: 'ADDRESS' }))];
}

function set(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter(Boolean));
}
