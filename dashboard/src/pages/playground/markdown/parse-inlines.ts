import type { MarkedToken, Token } from 'marked';
import { decodeEntities } from './decode-entities.ts';
import type { Inline } from './document.ts';
import { safeUrl } from './safe-url.ts';

/** Deeper emphasis is shown as it came. */
const maxDepth = 20;

const text = (value: string): Inline[] => [{ kind: 'text', text: value }];

/** Inline content of the library's tokens. What has no kind of its own, HTML too, is the text that it came from. */
export const inlinesOf = (tokens: readonly Token[], depth = 0): Inline[] =>
  depth > maxDepth ? text(tokens.map(({ raw }) => raw).join('')) : tokens.flatMap((token) => inlineOf(token, depth));

/** Without extensions the library makes no other tokens. */
export const isKnown = (token: Token): token is MarkedToken => token.type !== '';

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
