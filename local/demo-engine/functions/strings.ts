import type { Mentions } from './mentions.ts';
import type { Schema } from './schemas.ts';

/** Properties that stand for the whole request rather than for one word of it. */
const wholeText = /quer|text|message|prompt|question|content|descri|body|sentence|comment|note|reason/i;

const maxPoints = 4000;

/** A string of the required format and length: what the request mentions, or a plain example. */
export function fillString(schema: Schema, mentions: Mentions, { name, turn }: { name: string; turn: number }): string {
  const formatted = schema.format === undefined ? undefined : formats.get(schema.format);
  if (formatted) return formatted(mentions);
  const again = turn > 0 && mentions.namesLeft() === 0 ? ` ${turn + 1}` : '';
  const mentioned = wholeText.test(name) ? mentions.text.trim().slice(0, 200) : mentions.takeName();
  return fitLength((mentioned || 'example') + again, schema);
}

/** In code points, as JSON Schema counts. */
function fitLength(text: string, { minLength = 0, maxLength = maxPoints }: Schema): string {
  const points = Array.from(text).slice(0, Math.min(maxLength, maxPoints));
  const missing = Math.min(minLength, maxPoints) - points.length;
  if (missing <= 0) return points.join('');
  const filler = ' and more'.repeat(Math.ceil(missing / 9));
  return points.join('') + filler.slice(0, missing);
}

const dayPattern = /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])\b/;

const formats: ReadonlyMap<string, (mentions: Mentions) => string> = new Map([
  ['date', (mentions: Mentions) => mentions.find(dayPattern) ?? '2026-01-01'],
  ['date-time', (mentions: Mentions) => `${mentions.find(dayPattern) ?? '2026-01-01'}T12:00:00Z`],
  ['time', (mentions: Mentions) => `${mentions.find(/\b(?:[01]\d|2[0-3]):[0-5]\d\b/) ?? '12:00'}:00Z`],
  [
    'email',
    (mentions: Mentions) =>
      mentions.find(/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+\b/) ?? 'person@example.com',
  ],
  ['uri', (mentions: Mentions) => mentions.find(/\bhttps?:\/\/[\w./?=&%#:~-]+[\w/]/) ?? 'https://example.com/'],
  ['url', (mentions: Mentions) => mentions.find(/\bhttps?:\/\/[\w./?=&%#:~-]+[\w/]/) ?? 'https://example.com/'],
  ['uuid', () => '00000000-0000-4000-8000-000000000000'],
  ['hostname', () => 'example.com'],
  ['ipv4', () => '192.0.2.1'],
  ['ipv6', () => '2001:db8::1'],
]);
