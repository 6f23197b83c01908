import { Lexer, type Token, type Tokens } from 'marked';
import { isTooHard, isTooHardInline, maxBlocks, maxTableCells } from './bounds.ts';
import type { Block, Cell, ListItem } from './document.ts';
import { inlinesOf, isKnown } from './parse-inlines.ts';

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
