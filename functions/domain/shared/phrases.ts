import { iso } from '#contract/shared/time.ts';

/** A text of an email. `message`: the English text in ICU MessageFormat, which is the key of its translations. */
export interface Phrase {
  readonly message: string;
  readonly values: Readonly<Record<string, Value>>;
  readonly english: string;
}

/** Text, or a value that each language formats: `day` as `2026-12-31`, `minute` in epoch ms, `usd` in cents. */
export type Value =
  | string
  | number
  | Phrase
  | { readonly usd: number }
  | { readonly day: string }
  | { readonly minute: number }
  | { readonly region: string };

interface Plural {
  readonly count: number;
  readonly one: string;
  readonly other: string;
}

/** `#` stands for the number. */
export const plural = (count: number, one: string, other: string): Plural => ({ count, one, other });

/** English text whose values have names: en`Your plan ends on ${{ from: { day } }}`. */
export function en(
  strings: TemplateStringsArray,
  ...named: readonly Readonly<Record<string, Value | Plural>>[]
): Phrase {
  const values: Record<string, Value> = {};
  let message = strings[0] ?? '';
  let english = message;
  for (const [index, one] of named.entries()) {
    const rest = strings[index + 1] ?? '';
    for (const [name, value] of Object.entries(one)) {
      const isPlural = typeof value === 'object' && 'count' in value;
      values[name] = isPlural ? value.count : value;
      message += (isPlural ? `{${name}, plural, one {${value.one}} other {${value.other}}}` : `{${name}}`) + rest;
      english += (isPlural ? englishPlural(value) : englishOf(value)) + rest;
    }
  }
  return { message, values, english };
}

/** The formatter is created on use, because loading the first one takes 20 ms. */
const englishPlural = ({ count, one, other }: Plural): string =>
  (count === 1 ? one : other).replace('#', new Intl.NumberFormat('en-US').format(count));

function englishOf(value: Value): string {
  if (typeof value !== 'object') return String(value);
  if ('english' in value) return value.english;
  if ('usd' in value) return `${(value.usd / 100).toFixed(2)} USD`;
  if ('day' in value) return value.day;
  if ('minute' in value) return `${iso(value.minute).slice(0, 16).replace('T', ' ')} UTC`;
  return new Intl.DisplayNames('en', { type: 'region' }).of(value.region) ?? value.region;
}
