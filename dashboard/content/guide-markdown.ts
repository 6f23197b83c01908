import { apiDocumentPath, originMark } from '#contract/dashboard-config.ts';
import type { Block, Inline } from '../src/pages/guides/guide.ts';

/** A guide as Markdown whose links and examples have whole addresses. */
export const guideMarkdown = (title: string, blocks: readonly Block[]): string =>
  [`# ${title}`, ...blocks.map(blockText)].join('\n\n');

function blockText(block: Block): string {
  if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${plain(block.content)}`;
  if (block.kind === 'paragraph') return plain(block.content);
  if (block.kind === 'code') return `\`\`\`${block.language}\n${block.code}\n\`\`\``;
  if (block.kind === 'table')
    return markdownTable(
      block.head.map(plain),
      block.rows.map((row) => row.map(plain)),
    );
  return block.items.map((item, index) => listItem(item, block.isOrdered ? `${index + 1}. ` : '- ')).join('\n');
}

const listItem = (item: readonly Block[], mark: string): string =>
  mark +
  item
    .map(blockText)
    .join('\n\n')
    .replaceAll(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`);

const plain = (content: readonly Inline[]): string => content.map(inlineText).join('');

function inlineText(part: Inline): string {
  if (typeof part === 'string') return part;
  if (part.kind === 'code') return `\`${part.text}\``;
  if (part.kind === 'link') return `[${plain(part.content)}](${addressOf(part.href)})`;
  return part.kind === 'strong' ? `**${plain(part.content)}**` : plain(part.content);
}

/** Address of a dashboard page's text: a guide's Markdown, or the API document. */
function addressOf(href: string): string {
  if (!href.startsWith('/')) return href;
  if (href === '/docs') return originMark + apiDocumentPath;
  const [path = '', anchor] = href.split('#', 2);
  return `${originMark}${path}.md${anchor === undefined ? '' : `#${anchor}`}`;
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
