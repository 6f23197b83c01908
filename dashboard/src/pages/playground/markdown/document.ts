/**
 * What a text is as Markdown: these kinds and no others. None of them loads anything, and there is no HTML. A link has an
 * `https:` or `mailto:` address.
 */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'strong' | 'emphasis' | 'deleted'; readonly content: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly content: readonly Inline[] };

export interface ListItem {
  /** Of a task; undefined where it is none. */
  readonly isDone: boolean | undefined;
  readonly blocks: readonly Block[];
}

export interface Cell {
  readonly align: 'left' | 'center' | 'right' | undefined;
  readonly content: readonly Inline[];
}

export type Block =
  | { readonly kind: 'paragraph' | 'tight'; readonly content: readonly Inline[] }
  | { readonly kind: 'heading'; readonly depth: number; readonly content: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly start: number | undefined; readonly items: readonly ListItem[] }
  | { readonly kind: 'table'; readonly header: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: 'rule' };
