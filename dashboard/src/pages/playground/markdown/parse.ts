import { t } from '@lingui/core/macro';
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';

/**
 * The closed set of Markdown elements. They load nothing and contain no HTML, and links lead to `https:` or `mailto:`
 * only.
 */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'strong' | 'emphasis' | 'deleted'; readonly content: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly content: readonly Inline[] };

export interface ListItem {
  /** Undefined if the item is not a task. */
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

/** Link reference definitions by label. */
export type Definitions = Readonly<Record<string, Pick<Tokens.Link, 'href' | 'title'>>>;

/** Deeper quotes, lists and emphasis are shown as plain text. */
const maxDepth = 20;

const plain = (text: string): Block[] => [{ kind: 'paragraph', content: [{ kind: 'text', text }] }];

/** The pieces of source that make up a text. The library changes trailing whitespace in some tokens. */
export interface SplitText {
  readonly parts: readonly { readonly raw: string; readonly isShown: boolean }[];
  readonly definitions: Definitions;
}

/** Number of parts at the end that more text may still change. */
const unsettled = 3;

/**
 * Splits a text into blocks, so that only changed blocks are parsed again. If the text extends that of `before`, only
 * its end is split.
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

/**
 * Removes an incomplete last line whose meaning depends on the next character: `-` may start a list or underline a
 * heading.
 */
export const withoutUnsettledEnd = (text: string): string =>
  text.replace(/(?:^|\n)[ \t]*(?:[-=+*#>|~`_]{1,3}|\d{1,9}[.)]?)[ \t]*$/, '');

/** Parses the source of a block. Never throws: unreadable source becomes a plain paragraph. */
export function parseBlock(source: string, definitions: Definitions): readonly Block[] {
  if (isTooHard(source)) return plain(source);
  try {
    const lexer = new Lexer({ gfm: true });
    Object.assign(lexer.tokens.links, definitions);
    const tokens = lexer.blockTokens(source, lexer.tokens);
    if (tokens.length > maxBlocks) return plain(source);
    // The library's own `lex` has no nesting limit.
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

/** Converts inline tokens. Unsupported ones, including HTML, become their source text. */
const inlinesOf = (tokens: readonly Token[], depth = 0): Inline[] =>
  depth > maxDepth ? text(tokens.map(({ raw }) => raw).join('')) : tokens.flatMap((token) => inlineOf(token, depth));

/** Without extensions, the library creates only MarkedTokens. */
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
      // Loading an image would send a request to an address that the model chose, so it becomes a link.
      return linkOf(token.href, token.text, text(token.text === '' ? t`Image` : t`Image: ${{ label: token.text }}`));
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
      // Markdown has no other line break in tables.
      if (/^<br\s*\/?>$/i.test(token.raw)) return [{ kind: 'break' }];
  }
  return text(token.raw);
}

/** A link, or its label and address as text if the address is not allowed. */
function linkOf(target: string, label: string, content: readonly Inline[]): Inline[] {
  const address = decodeEntities(target);
  const href = safeUrl(address);
  if (href !== undefined) return [{ kind: 'link', href, content }];
  const isShown = address === '' || address.endsWith(label);
  return isShown ? [...content] : [...content, ...text(` (${address})`)];
}

/** Character references that models often write. Others remain text. */
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

/** Decodes character references outside of code. */
const decodeEntities = (text: string): string =>
  text.replaceAll(reference, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named.get(name) ?? whole;
    return fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
  });

const isCharacter = (code: number): boolean => code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
const fromCodePoint = (code: number): string => String.fromCodePoint(isCharacter(code) ? code : 0xff_fd);

const protocols = new Set(['https:', 'mailto:']);
/** Maximum length of a link's address. */
const maxUrlLength = 2048;

/**
 * The normalized address of a link. Undefined unless it is an absolute `https:` or `mailto:` URL without credentials,
 * which could imitate a host.
 */
function safeUrl(text: string): string | undefined {
  if (text.length > maxUrlLength) return undefined;
  const url = URL.parse(text);
  if (!url || !protocols.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}

/**
 * Limits on input whose parse time or output grows faster than its length. Longer input is shown as plain text; real
 * texts stay far below.
 */
const maxLength = 400_000;
/** Limits per paragraph, heading or cell: the library searches to the end from each delimiter. */
const maxInlineLength = 10_000;
const maxInlineSigns = 600;
const maxBlocks = 4000;
/** Each row is filled up to the length of the first. */
const maxTableCells = 10_000;
const maxPipes = 60_000;
/** Maximum of setext headings times characters: the library first reads the rest of the text as a table after each. */
const maxUnderlined = 16_000_000;
const dashes = /^ {0,3}-+[ \t]*$/;

/** A line with 20 nested quotes or lists. The library reads the rest of the line again for each of them. */
const tooDeep = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){20}/m;

/** True if a text must not be parsed into blocks. */
function isTooHard(text: string): boolean {
  if (text.length > maxLength || tooDeep.test(text)) return true;
  const lines = text.split('\n');
  const underlined = lines.filter((line, index) => dashes.test(line) && lines[index - 1]?.trim()).length;
  if (underlined * text.length > maxUnderlined) return true;
  const pipes = lines.reduce((max, line) => Math.max(max, line.split('|').length - 1), 0);
  return pipes * lines.length > maxPipes;
}

/** True if a block must not be parsed for emphasis, links or code. */
const isTooHardInline = (text: string): boolean =>
  text.length > maxInlineLength || (text.match(/[*_~[\]<`]/g)?.length ?? 0) > maxInlineSigns;
