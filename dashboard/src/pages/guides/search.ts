import type { SearchEntry } from './guide.ts';

export interface Found {
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
