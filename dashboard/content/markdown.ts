import { lexer, type Token, type Tokens } from 'marked';
import { originMark } from '#contract/dashboard-config.ts';
import type { Block, Cell, Inline } from '../src/pages/guides/guide.ts';

/** Returns the dashboard URL for a link of a page, or undefined if the dashboard does not contain the target. */
export type ResolveLink = (href: string) => string | undefined;

/**
 * Parses a page of Markdown into blocks. They contain no HTML: the dashboard renders them as elements with text. Throws
 * for unsupported Markdown, because it would otherwise be dropped silently.
 */
export function blocksOf(markdown: string, resolve: ResolveLink): Block[] {
  return lexer(markdown).flatMap((token) => blockOf(token, resolve));
}

function blockOf(token: Token, resolve: ResolveLink): Block[] {
  const blocks = (tokens: readonly Token[]): Block[] => tokens.flatMap((inner) => blockOf(inner, resolve));
  const cells = (row: readonly Tokens.TableCell[]): Cell[] => row.map(({ tokens }) => inlines(tokens, resolve));
  switch (token.type) {
    case 'space':
      return [];
    case 'html':
      if (isComment(token.raw)) return [];
      throw unknown(token);
    case 'heading':
      return [
        {
          kind: 'heading',
          id: anchorOf(token['text']),
          level: token['depth'],
          content: inlines(token.tokens, resolve),
        },
      ];
    case 'paragraph':
    case 'text':
      return [{ kind: 'paragraph', content: inlines(token.tokens, resolve) }];
    case 'list': {
      const items: Tokens.ListItem[] = token['items'];
      return [{ kind: 'list', isOrdered: token['ordered'], items: items.map(({ tokens }) => blocks(tokens)) }];
    }
    case 'table': {
      const rows: Tokens.TableCell[][] = token['rows'];
      return [{ kind: 'table', head: cells(token['header']), rows: rows.map(cells) }];
    }
    case 'code':
      return [{ kind: 'code', language: token['lang'] ?? '', code: withOriginMark(token['text']) }];
    default:
      throw unknown(token);
  }
}

const isComment = (html: string): boolean => /^<!--[^]*-->\s*$/.test(html);

function inlines(tokens: readonly Token[] | undefined, resolve: ResolveLink): Inline[] {
  const shown = (tokens ?? []).filter(({ type, raw }) => type !== 'html' || !isComment(raw));
  return shown.map((token): Inline => {
    const content = inlines('tokens' in token ? token.tokens : [], resolve);
    switch (token.type) {
      case 'text':
      case 'escape':
        return token['text'];
      case 'codespan':
        return { kind: 'code', text: token['text'] };
      case 'strong':
      case 'em':
        return { kind: token.type, content };
      case 'link': {
        const href = resolve(token['href']);
        // A link to a target outside the dashboard becomes plain text.
        return href === undefined ? { kind: 'em', content } : { kind: 'link', href, content };
      }
      default:
        throw unknown(token);
    }
  });
}

const unknown = ({ type, raw }: Token): Error =>
  new Error(`the dashboard cannot show this Markdown (${type}): ${raw.slice(0, 200)}`);

/** Returns the text of a block, for search and leads. */
export function textOf(block: Block): string {
  if (block.kind === 'list') return block.items.map((item) => item.map(textOf).join(' ')).join(' ');
  if (block.kind === 'table') return [block.head, ...block.rows].map((row) => row.map(plain).join(' ')).join(' ');
  return block.kind === 'code' ? '' : plain(block.content);
}

const plain = (content: readonly Inline[]): string =>
  content
    .map((part) => {
      if (typeof part === 'string') return part;
      return part.kind === 'code' ? part.text : plain(part.content);
    })
    .join('');

/** Returns the anchor that GitHub creates for a heading, so that links work in both places. */
const anchorOf = (title: string): string =>
  title
    .replaceAll('`', '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

/** References to the service's address in examples, in every language. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^export API=.*$\n/gm, ''],
  [/^echo \$API$\n?/gm, ''],
  [/\$\{API_KEY:-tai_your_api_key\}/g, '"tai_your_api_key"'],
  [/const \{ API, API_KEY \} = /g, 'const { API_KEY } = '],
  [/\$\{(?:process\.env\.)?API\}/g, originMark],
  [/os\.environ\["API"\] \+ "/g, `"${originMark}`],
  [/\$API(?=\/)/g, originMark],
];

/** Replaces the variable `API` of an example with `originMark`. Throws if a reference remains. */
export function withOriginMark(code: string): string {
  const marked = names.reduce((text, [name, value]) => text.replaceAll(name, value), code);
  if (/\bAPI\b(?!_KEY)/.test(marked.replaceAll(/^\s*(?:#|\/\/).*$/gm, '')))
    throw new Error(`an example names the address in a way that is not known: ${marked}`);
  return marked;
}
