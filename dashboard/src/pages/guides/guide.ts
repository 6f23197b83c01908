/** A piece of a sentence. A link is of this origin, or begins with https:. */
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
  /** `originMark` stands in the code for the origin that the page is of. */
  | { readonly kind: 'code'; readonly language: string; readonly code: string };

export type Cell = readonly Inline[];

/** A page of docs/guides, without the heading that is its title. */
export interface Guide {
  readonly blocks: readonly Block[];
}

export interface GuideEntry {
  readonly slug: string;
  readonly title: string;
  /** Its first sentences. */
  readonly lead: string;
}

/** A part of a guide under one heading, as the search looks through it. */
export interface SearchEntry {
  readonly href: string;
  readonly guide: string;
  readonly title: string;
  readonly text: string;
}

export const originMark = '{{origin}}';

/** How examples read the key, in every language they are in, and what stands there in place of that. */
const readings: readonly (readonly [RegExp, (key: string) => string])[] = [
  [/"tai_your_api_key"/g, (key) => `"${key}"`],
  [/\$API_KEY\b/g, (key) => key],
  [/const \{ API_KEY \} = process\.env;/g, (key) => `const API_KEY = '${key}';`],
  [/process\.env\.API_KEY\b/g, (key) => `'${key}'`],
  [/os\.environ\["API_KEY"\]/g, (key) => `"${key}"`],
];

/** An example with the key in it. A key is letters, digits and `_`, so it ends no string in any language. */
export function withKey(code: string, key: string): string {
  if (!/^\w+$/.test(key)) throw new Error('an example is filled with a key only');
  return readings.reduce((text, [reading, value]) => text.replaceAll(reading, () => value(key)), code);
}
