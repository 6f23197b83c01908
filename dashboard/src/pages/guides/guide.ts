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
