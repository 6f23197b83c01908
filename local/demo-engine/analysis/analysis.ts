import * as v from 'valibot';
import { isCommon, meaningfulWords } from '../../sagemaker/words.ts';
import { languageOf } from './language.ts';
import { moodOf } from './moods.ts';
import { namedIn, personalIn } from './names.ts';

const Categories = v.object({ items: v.object({ enum: v.array(v.string()) }) });
const Format = v.object({
  name: v.literal('text_analysis'),
  schema: v.object({ properties: v.record(v.string(), v.unknown()) }),
});

/** The text between the two equal lines of the message, of the platform's prompt. */
const marked = /(?:^|\n)([\da-f]{32})\n([^]*)\n\1$/;

const maxItems = 200;

/** The analysis that the platform's schema requests, by lists of words; undefined for any other request. */
export function analysisOf(format: unknown, message: string): Record<string, unknown> | undefined {
  const text = marked.exec(message)?.[2];
  if (text === undefined || !v.is(Format, format)) return undefined;
  const { properties } = format.schema;
  const fields: Readonly<Record<string, () => unknown>> = {
    language: () => languageOf(text),
    sentiment: () => moodOf(text),
    entities: () => namedIn(text).slice(0, maxItems),
    key_phrases: () => phrasesOf(text),
    pii: () => personalIn(text).slice(0, maxItems),
    categories: () => fitting(text, properties['categories']),
  };
  return Object.fromEntries(Object.keys(properties).map((name) => [name, fields[name]?.() ?? null]));
}

/** Runs of two to four words without a common one among them, the longest first; single words where there are none. */
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

/** What people write of, by words that often stand beside them. */
const near: Readonly<Record<string, RegExp>> = {
  delivery: /\b(?:parcel|package|shipping|shipped|arrived|courier|late|deliver\w*)\b/i,
  quality: /\b(?:broke|broken|superb|excellent|sturdy|material|quality|defective|works?)\b/i,
  price: /\b(?:price|cheap|expensive|cost|money|worth|paid|refund)\b/i,
  service: /\b(?:staff|support|service|helpful|rude|friendly|waiter|replied)\b/i,
};

/** The labels whose words the text has, or that it is near to; the first where it has none. */
function fitting(text: string, schema: unknown): string[] {
  if (!v.is(Categories, schema)) return [];
  const labels = schema.items.enum;
  const stems = new Set(meaningfulWords(text).map(stemOf));
  const scored = labels.map((label) => {
    const words: string[] = label.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
    const shared = words.filter((word) => stems.has(stemOf(word))).length;
    const hints = Object.entries(near).filter(([name, pattern]) => words.includes(name) && pattern.test(text)).length;
    return { label, score: shared * 2 + hints };
  });
  const found = scored.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score);
  return (found.length > 0 ? found : scored.slice(0, 1)).map(({ label }) => label);
}

const stemOf = (word: string): string => (word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed|y)$/, '') : word);
