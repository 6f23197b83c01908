import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';

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

/** Addresses that a text names once, for links that refer to them by name. */
export type Definitions = Readonly<Record<string, Pick<Tokens.Link, 'href' | 'title'>>>;

/** Deeper quotes and lists are shown as they came. */
const maxDepth = 20;

const plain = (text: string): Block[] => [{ kind: 'paragraph', content: [{ kind: 'text', text }] }];

/** A text, cut into parts that make it up; the library changes white space at the end of some. */
export interface SplitText {
  readonly parts: readonly { readonly raw: string; readonly isShown: boolean }[];
  readonly definitions: Definitions;
}

/** Parts at the end of a text that what comes after them may change. */
const unsettled = 3;

/**
 * Cuts a text into its blocks: only those that changed need to be read again when it grows. Of a text that begins with the one of
 * `before`, only the end is cut again.
 */
export function splitBlocks(given: string, before?: SplitText): SplitText {
  const text = given.replaceAll(/\r\n?/g, '\n');
  const asItCame = { parts: [{ raw: text, isShown: true }], definitions: {} };
  if (isTooHard(text)) return asItCame;
  const settled = before?.parts.slice(0, -unsettled) ?? [];
  const start = settled.map(({ raw }) => raw).join('');
  const isGrown = text.startsWith(start);
  const kept = isGrown ? settled : [];
  try {
    const lexer = new Lexer({ gfm: true });
    const tokens = lexer.blockTokens(isGrown ? text.slice(start.length) : text, lexer.tokens);
    const parts = tokens.map(({ raw, type }) => ({ raw, isShown: type !== 'space' && type !== 'def' }));
    if (kept.length + parts.length > 2 * maxBlocks) return asItCame;
    return { parts: [...kept, ...parts], definitions: { ...(isGrown && before?.definitions), ...lexer.tokens.links } };
  } catch {
    return asItCame;
  }
}

/** A text that grows, without a last line that may become another thing with its next character: `-` a list or a heading. */
export const withoutUnsettledEnd = (text: string): string =>
  text.replace(/(?:^|\n)[ \t]*(?:[-=+*#>|~`_]{1,3}|\d{1,9}[.)]?)[ \t]*$/, '');

/** The blocks in the source of one. Never throws: what cannot be read is a paragraph of the text as it came. */
export function parseBlock(source: string, definitions: Definitions): readonly Block[] {
  if (isTooHard(source)) return plain(source);
  try {
    const lexer = new Lexer({ gfm: true });
    Object.assign(lexer.tokens.links, definitions);
    const tokens = lexer.blockTokens(source, lexer.tokens);
    if (tokens.length > maxBlocks) return plain(source);
    // As the library's own `lex` goes on, which has no bound.
    for (const { src, tokens: inlines } of lexer.inlineQueue) {
      if (isTooHardInline(src)) inlines.push({ type: 'text', raw: src, text: src, escaped: false });
      else lexer.inlineTokens(src, inlines);
    }
    return blocksOf(tokens, 0);
  } catch {
    return plain(source);
  }
}

const blocksOf = (tokens: readonly Token[], depth: number): Block[] =>
  depth > maxDepth ? plain(rawOf(tokens)) : tokens.flatMap((token) => blockOf(token, depth));

const rawOf = (tokens: readonly Token[]): string => tokens.map(({ raw }) => raw).join('');

function blockOf(token: Token, depth: number): Block[] {
  if (!isKnown(token)) return [];
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'heading':
      return [{ kind: 'heading', depth: token.depth, content: inlinesOf(token.tokens) }];
    case 'paragraph':
      return [{ kind: 'paragraph', content: inlinesOf(token.tokens) }];
    case 'text':
      return [{ kind: 'tight', content: inlinesOf([token]) }];
    case 'code':
      return [{ kind: 'code', language: token.lang?.split(/\s/)[0] ?? '', text: token.text }];
    case 'blockquote':
      return [{ kind: 'quote', blocks: blocksOf(token.tokens ?? [], depth + 1) }];
    case 'list':
      return [
        {
          kind: 'list',
          start: token.ordered ? Number(token.start) : undefined,
          items: token.items.map((item): ListItem => ({
            isDone: item.task ? item.checked === true : undefined,
            blocks: blocksOf(item.tokens, depth + 1),
          })),
        },
      ];
    case 'table':
      if (token.header.length * token.rows.length > maxTableCells) return plain(token.raw);
      return [
        {
          kind: 'table',
          header: token.header.map(cellOf),
          rows: token.rows.map((row) => row.map(cellOf)),
        },
      ];
    case 'hr':
      return [{ kind: 'rule' }];
    case 'br':
    case 'codespan':
    case 'del':
    case 'em':
    case 'escape':
    case 'html':
    case 'image':
    case 'link':
    case 'list_item':
    case 'strong':
      break;
  }
  return plain(token.raw.trimEnd());
}

const cellOf = ({ align, tokens }: Tokens.TableCell): Cell => ({
  align: align ?? undefined,
  content: inlinesOf(tokens),
});

const text = (value: string): Inline[] => [{ kind: 'text', text: value }];

/** Inline content of the library's tokens. What has no kind of its own, HTML too, is the text that it came from. */
const inlinesOf = (tokens: readonly Token[], depth = 0): Inline[] =>
  depth > maxDepth ? text(tokens.map(({ raw }) => raw).join('')) : tokens.flatMap((token) => inlineOf(token, depth));

/** Without extensions the library makes no other tokens. */
const isKnown = (token: Token): token is MarkedToken => token.type !== '';

function inlineOf(token: Token, depth: number): Inline[] {
  if (!isKnown(token)) return [];
  switch (token.type) {
    case 'text':
      return token.tokens ? inlinesOf(token.tokens, depth + 1) : text(decodeEntities(token.text));
    case 'escape':
      return text(token.text);
    case 'codespan':
      return [{ kind: 'code', text: token.text }];
    case 'br':
      return [{ kind: 'break' }];
    case 'strong':
      return [{ kind: 'strong', content: inlinesOf(token.tokens, depth + 1) }];
    case 'em':
      return [{ kind: 'emphasis', content: inlinesOf(token.tokens, depth + 1) }];
    case 'del':
      return [{ kind: 'deleted', content: inlinesOf(token.tokens, depth + 1) }];
    case 'link':
      return linkOf(token.href, token.text, inlinesOf(token.tokens, depth + 1));
    case 'image':
      // An image would be loaded from where the model wants: its address is a link, for the reader to open.
      return linkOf(token.href, token.text, text(token.text === '' ? 'Image' : `Image: ${token.text}`));
    case 'checkbox':
      return [];
    case 'blockquote':
    case 'code':
    case 'def':
    case 'heading':
    case 'hr':
    case 'list':
    case 'list_item':
    case 'paragraph':
    case 'space':
    case 'table':
      break;
    case 'html':
      // In tables there is no other way to break a line.
      if (/^<br\s*\/?>$/i.test(token.raw)) return [{ kind: 'break' }];
  }
  return text(token.raw);
}

/** A link, or its label and its address as text where it leads to what a link may not lead to. */
function linkOf(target: string, label: string, content: readonly Inline[]): Inline[] {
  const address = decodeEntities(target);
  const href = safeUrl(address);
  if (href !== undefined) return [{ kind: 'link', href, content }];
  const isShown = address === '' || address.endsWith(label);
  return isShown ? [...content] : [...content, ...text(` (${address})`)];
}

/** Named references that models write; others stay as they are. */
const named = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['copy', '©'],
  ['reg', '®'],
  ['trade', '™'],
  ['deg', '°'],
  ['plusmn', '±'],
  ['times', '×'],
  ['divide', '÷'],
  ['middot', '·'],
  ['bull', '•'],
  ['hellip', '…'],
  ['ndash', '–'],
  ['mdash', '—'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['larr', '←'],
  ['rarr', '→'],
  ['le', '≤'],
  ['ge', '≥'],
  ['ne', '≠'],
  ['euro', '€'],
]);

const reference = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi;

/** A text with its character references replaced, as Markdown has them outside of code. */
const decodeEntities = (text: string): string =>
  text.replaceAll(reference, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named.get(name) ?? whole;
    return fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
  });

const isCharacter = (code: number): boolean => code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
const fromCodePoint = (code: number): string => String.fromCodePoint(isCharacter(code) ? code : 0xff_fd);

const protocols = new Set(['https:', 'mailto:']);
/** A longer address is no link for people. */
const maxUrlLength = 2048;

/**
 * The address of a link as the browser would go to it; undefined where it is not absolute, not `https:` or `mailto:`, or
 * carries a name or a password, which only look like the host.
 */
function safeUrl(text: string): string | undefined {
  if (text.length > maxUrlLength) return undefined;
  const url = URL.parse(text);
  if (!url || !protocols.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}

/**
 * What the library takes the square of its length for, or makes far more of than it is: such a text is shown as it came.
 * Nothing that people or models write for people comes near.
 */
const maxLength = 400_000;
/** Of a paragraph, a heading, a table's cell: emphasis is looked for from each sign on to the end. */
const maxInlineLength = 10_000;
const maxInlineSigns = 600;
const maxBlocks = 4000;
/** Each row has as many cells as the first, however short it is. */
const maxTableCells = 10_000;
const maxPipes = 60_000;
/** A line of dashes under a line of text is a heading, but all that follows is read first as the rows of a table: headings times characters. */
const maxUnderlined = 16_000_000;
const dashes = /^ {0,3}-+[ \t]*$/;

/** A line that begins 20 quotes and lists, for each of which the rest is read again. */
const tooDeep = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){20}/m;

/** True for a text whose blocks are not looked for. */
function isTooHard(text: string): boolean {
  if (text.length > maxLength || tooDeep.test(text)) return true;
  const lines = text.split('\n');
  const underlined = lines.filter((line, index) => dashes.test(line) && lines[index - 1]?.trim()).length;
  if (underlined * text.length > maxUnderlined) return true;
  const pipes = lines.reduce((max, line) => Math.max(max, line.split('|').length - 1), 0);
  return pipes * lines.length > maxPipes;
}

/** True for the text of a block in which no emphasis, links or code are looked for. */
const isTooHardInline = (text: string): boolean =>
  text.length > maxInlineLength || (text.match(/[*_~[\]<`]/g)?.length ?? 0) > maxInlineSigns;
