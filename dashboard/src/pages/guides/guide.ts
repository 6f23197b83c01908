/** A piece of a sentence. Links are paths of this origin or begin with "https:". */
export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly content: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly content: readonly Inline[] };

export type Block =
  | { readonly kind: 'heading'; readonly id: string; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'table'; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  /** The code contains `originMark` in place of the service's origin. */
  | { readonly kind: 'code'; readonly language: string; readonly code: string };

export type Cell = readonly Inline[];

/** A page of docs/guides, without its title. */
export interface Guide {
  readonly blocks: readonly Block[];
}

export interface GuideEntry {
  readonly slug: string;
  readonly title: string;
  /** First sentences of the guide. */
  readonly lead: string;
}

/** A section of a guide, or an operation, in the search index. */
export interface SearchEntry {
  readonly href: string;
  /** Path of an operation. */
  readonly path?: string;
  readonly guide: string;
  readonly title: string;
  readonly text: string;
}

/** The expression that reads the key from the environment in each language, and the literal that replaces it. */
const readings: readonly (readonly [RegExp, (key: string) => string])[] = [
  [/"tai_your_api_key"/g, (key) => `"${key}"`],
  [/\$API_KEY\b/g, (key) => key],
  [/const \{ API_KEY \} = process\.env;/g, (key) => `const API_KEY = '${key}';`],
  [/process\.env\.API_KEY\b/g, (key) => `'${key}'`],
  [/os\.environ\["API_KEY"\]/g, (key) => `"${key}"`],
];

/** Puts a key into an example. Only letters, digits and `_` are accepted, so a key cannot end a string literal. */
export function withKey(code: string, key: string): string {
  if (!/^\w+$/.test(key)) throw new Error('an example is filled with a key only');
  return readings.reduce((text, [reading, value]) => text.replaceAll(reading, () => value(key)), code);
}

interface Found {
  readonly entry: SearchEntry;
  /** Text around the first word found. */
  readonly excerpt: string;
}

const maxWords = 8;
const maxResults = 10;
/** Characters of an excerpt before and after the first word found. */
const around = 70;

/** Returns the sections that contain every word, best match first: title, then guide, then text. */
export function search(entries: readonly SearchEntry[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxResults)
    .map(({ entry }) => ({ entry, excerpt: excerptOf(entry.text, words) }));
}

function scoreOf({ title, guide, text }: SearchEntry, words: readonly string[]): number {
  const [inTitle, inGuide, inText] = [title, guide, text].map((part) => part.toLowerCase());
  const scores = words.map((word) => {
    if (inTitle?.includes(word)) return 4;
    if (inGuide?.includes(word)) return 2;
    return inText?.includes(word) ? 1 : 0;
  });
  return scores.includes(0) ? 0 : scores.reduce<number>((sum, score) => sum + score, 0);
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - around);
  const end = Math.min(text.length, start + 2 * around);
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
