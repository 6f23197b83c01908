import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { guides } from '#contract/dashboard-config.ts';
import type { Block, Guide, GuideEntry, SearchEntry } from '../src/pages/guides/guide.ts';
import { blocksOf, textOf } from './markdown.ts';

const docs = join(import.meta.dirname, '../../docs');
/** Text that the search loads before its first result. */
const maxSearchCharacters = 64_000;

/** Where a guide's page lies below `docs`, if elsewhere than its others, and its sections, where not all are for callers of the API. */
const sources: Readonly<Partial<Record<string, { file: string; sections?: readonly string[] }>>> = {
  credits: { file: 'credits.md', sections: ['Grants', 'Subscriptions', 'Calls', 'What is shown', 'Six months of Ada'] },
  webhooks: { file: 'webhooks.md' },
};
/** Its page, below `docs`. */
export const fileOf = (slug: string): string => sources[slug]?.file ?? `guides/${slug}.md`;
const slugs: ReadonlyMap<string, string> = new Map(guides.map((slug) => [fileOf(slug), slug]));

interface LoadedGuide extends GuideEntry, Guide {
  readonly search: readonly SearchEntry[];
}

/** The files that guides are made of. */
export const guideFiles: readonly string[] = guides.map((slug) => join(docs, fileOf(slug)));

/** Every guide in its order. Throws for a page that cannot be shown. */
export function loadGuides(): LoadedGuide[] {
  const loaded = guides.map((slug) => guideOf(slug, readFileSync(join(docs, fileOf(slug)), 'utf8')));
  const characters = JSON.stringify(loaded.flatMap(({ search }) => search)).length;
  if (characters > maxSearchCharacters) throw new Error(`the search of the guides has ${characters} characters`);
  return loaded;
}

/** A guide from its page, which begins with a heading of the first level. */
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

/** Its title, introduction and the sections that the guide has of the page, without pictures, which show code. */
function cut(slug: string, markdown: string): string {
  const { sections } = sources[slug] ?? {};
  if (!sections) return markdown;
  const [head = '', ...parts] = markdown.split(/^(?=## )/m);
  const wanted = parts.filter((part) => sections.some((section) => part.startsWith(`## ${section}\n`)));
  return [head.replaceAll(/^!\[.*$/gm, ''), ...wanted].join('\n\n');
}

/** Where a link of a page leads in the dashboard. */
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

/** The parts below headings of the second level, each with its heading. */
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
