import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { apiDocumentPath, guides, originMark } from '#contract/dashboard-config.ts';
import { offer } from '#contract/offer/current-offer.ts';
import { defaultOffer } from '#contract/offer/default-offer.ts';
import { canBeIncluded, isDocumentOffered } from '#contract/offered-services.ts';
import type { Block, Guide, GuideEntry, Inline, SearchEntry } from '../src/pages/guides/guide.ts';
import { blocksOf, textOf } from './markdown.ts';

/** Docs of the build's offer (bin/build.ts), otherwise the repository's. */
export const docs = process.env['DOCS_FOLDER'] ?? join(import.meta.dirname, '../../docs');
/** Maximum characters of the search index, which is loaded before the first result. */
const maxSearchCharacters = 80_000;

/** Sections with amounts of the default plans. */
const ofDefaultPlans = offer === defaultOffer ? ['Six months of Ada'] : [];

/**
 * Files of guides outside of docs/guides, relative to `docs`, with the sections to include if not all are for callers
 * of the API.
 */
const sources: Readonly<Partial<Record<string, { file: string; sections?: readonly string[] }>>> = {
  credits: {
    file: 'credits.md',
    sections: ['Grants', 'Subscriptions', 'Calls', 'Fields and headers', ...ofDefaultPlans],
  },
  webhooks: { file: 'webhooks.md' },
};
/** Returns the file of a guide, relative to `docs`. */
export const fileOf = (slug: string): string => sources[slug]?.file ?? `guides/${slug}.md`;
const slugs: ReadonlyMap<string, string> = new Map(guides.map((slug) => [fileOf(slug), slug]));

interface LoadedGuide extends GuideEntry, Guide {
  readonly search: readonly SearchEntry[];
}

export const guideFiles: readonly string[] = guides.map((slug) => join(docs, fileOf(slug)));

/** Loads all guides in their order. Throws for a page that cannot be shown. */
export function loadGuides(): LoadedGuide[] {
  const loaded = guides.map((slug) => guideOf(slug, readFileSync(join(docs, fileOf(slug)), 'utf8')));
  const characters = JSON.stringify(loaded.flatMap(({ search }) => search)).length;
  if (characters > maxSearchCharacters) throw new Error(`the search of the guides has ${characters} characters`);
  return loaded;
}

/** Converts a page to a guide. The page must begin with a first-level heading. */
export function guideOf(slug: string, markdown: string): LoadedGuide {
  const [first, ...rest] = blocksOf(cut(slug, markdown), (href) => resolveLink(fileOf(slug), href));
  if (first?.kind !== 'heading') throw new Error(`the guide ${slug} does not begin with its title`);
  const title = textOf(first);
  const lead = rest.find(({ kind }) => kind === 'paragraph' || kind === 'list');
  return {
    slug,
    title,
    lead: firstSentence(lead ? textOf(lead) : ''),
    blocks: rest,
    search: searchOf(slug, title, sectionsOf(rest)),
  };
}

/** Returns the title, the introduction and the selected sections of a page. Removes its pictures, which show code. */
function cut(slug: string, markdown: string): string {
  const { sections } = sources[slug] ?? {};
  if (!sections) return markdown;
  const [head = '', ...parts] = markdown.split(/^(?=## )/m);
  const wanted = parts.filter((part) => sections.some((section) => part.startsWith(`## ${section}\n`)));
  return [head.replaceAll(/^!\[.*$/gm, ''), ...wanted].join('\n\n');
}

/** Returns the dashboard URL for a link of a page. */
function resolveLink(from: string, href: string): string | undefined {
  if (href.startsWith('https://')) return href;
  const [target = '', anchor] = href.split('#', 2);
  const file = target === '' ? from : posix.normalize(posix.join(posix.dirname(from), target));
  const slug = slugs.get(file);
  if (file === 'openapi.json') return '/docs';
  return slug && `/guides/${slug}${anchor === undefined ? '' : `#${anchor}`}`;
}

interface Section {
  /** Empty before the first heading. */
  readonly name: string;
  readonly id: string;
  readonly blocks: Block[];
}

/** Splits blocks into sections at second-level headings. Each section contains its heading. */
function sectionsOf(blocks: readonly Block[]): Section[] {
  const sections: Section[] = [{ name: '', id: '', blocks: [] }];
  for (const block of blocks) {
    if (block.kind === 'heading' && block.level === 2)
      sections.push({ name: textOf(block), id: block.id, blocks: [block] });
    else sections.at(-1)?.blocks.push(block);
  }
  return sections;
}

const searchOf = (slug: string, guide: string, sections: readonly Section[]): SearchEntry[] =>
  sections.map(({ name, id, blocks }) => ({
    href: `/guides/${slug}${id && `#${id}`}`,
    guide,
    title: name || guide,
    text: blocks
      .filter(({ kind }) => kind !== 'heading')
      .map(textOf)
      .join(' ')
      .trim(),
  }));

const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/.exec(text)?.[0] ?? text;

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
  if (part.kind === 'link' && isGuideOffered(part.href)) return `[${plain(part.content)}](${addressOf(part.href)})`;
  return part.kind === 'strong' ? `**${plain(part.content)}**` : plain(part.content);
}

/** False for a guide about services that no account can have. True for other links. */
export const isGuideOffered = (href: string): boolean => isDocumentOffered({ href }, canBeIncluded);

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
