import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { dashboardPages, guides, originMark } from '#contract/dashboard-config.ts';
import { anchorsOf } from '#test/docs/citations.ts';
import { fileOf, guideOf, loadGuides } from '../../dashboard/content/guides.ts';
import { blocksOf, withOriginMark } from '../../dashboard/content/markdown.ts';
import { type Block, type Inline, search, withKey } from '../../dashboard/src/pages/guides/guide.ts';

const loaded = loadGuides();
const entries = loaded.flatMap((guide) => guide.search);

function inlinesOf(block: Block): Inline[] {
  if (block.kind === 'code') return [];
  if (block.kind === 'list') return block.items.flatMap((item) => item.flatMap(inlinesOf));
  if (block.kind === 'table') return [block.head, ...block.rows].flat(2);
  return [...block.content];
}
const linksIn = (content: readonly Inline[]): string[] =>
  content.flatMap((part) => {
    if (typeof part === 'string' || part.kind === 'code') return [];
    return [...(part.kind === 'link' ? [part.href] : []), ...linksIn(part.content)];
  });

describe('the guides', () => {
  it('are the pages of docs/guides, docs/credits.md and docs/webhooks.md', async () => {
    const pages = (await readdir('docs/guides')).map((name) => name.replace(/\.md$/, ''));
    expect([...guides].toSorted()).toEqual([...pages, 'credits', 'webhooks'].toSorted());
    expect(dashboardPages).toEqual(expect.arrayContaining(guides.map((slug) => `/guides/${slug}`)));
  });

  it('have a title and a lead, and docs/credits.md contributes only the sections for callers', () => {
    for (const { slug, title, lead } of loaded) {
      expect([slug, title.length > 3, lead.length > 20]).toEqual([slug, true, true]);
    }
    expect(loaded.find(({ slug }) => slug === 'credits')?.search.map(({ title }) => title)).toEqual([
      'Credits',
      'Grants',
      'Subscriptions',
      'Calls',
      'Fields and headers',
      'Six months of Ada',
    ]);
  });

  it('link only to existing sections', () => {
    const targets = new Set(
      loaded.flatMap(({ slug, blocks }) => [
        `/guides/${slug}`,
        ...blocks.flatMap((block) => (block.kind === 'heading' ? [`/guides/${slug}#${block.id}`] : [])),
      ]),
    );
    const links = loaded.flatMap(({ blocks }) => linksIn(blocks.flatMap(inlinesOf)));
    expect(links.length).toBeGreaterThan(10);
    const own = links.filter((link) => !link.startsWith('https://'));
    expect(own.filter((link) => link !== '/docs' && !targets.has(link))).toEqual([]);
  });

  it('have the anchors of their pages in the repository', () => {
    for (const { slug, blocks } of loaded.filter((guide) => guide.slug !== 'credits'))
      for (const block of blocks)
        if (block.kind === 'heading') expect(anchorsOf(`docs/${fileOf(slug)}`)).toContain(block.id);
  });

  it('use the reader’s origin and API_KEY in every example, and no other address', () => {
    const codes = loaded.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'code' ? [block.code] : [])),
    );
    const calls = codes.filter((code) => code.includes('/v1') || code.includes('/api/'));
    expect(calls.length).toBeGreaterThan(12);
    for (const code of calls) {
      expect(code).toContain(originMark);
      expect(code).toContain('API_KEY');
      expect(code).not.toMatch(/127\.0\.0\.1:8787|\bAPI\b(?!_KEY)/);
    }
    expect(() => withOriginMark('puts ENV["API"]')).toThrow('names the address');
  });
});

describe('a key selected by the reader', () => {
  const key = `tai_${'0aZ9'.repeat(12)}`;

  it('replaces the variable in every example that uses it', () => {
    const codes = loaded.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === 'code' && block.code.includes('API_KEY') ? [block.code] : [])),
    );
    expect(codes.length).toBeGreaterThan(12);
    for (const code of codes) {
      expect(withKey(code, key)).toContain(key);
      expect(withKey(code, key)).not.toMatch(/\$API_KEY|env\.API_KEY|process\.env;|os\.environ|tai_your/);
    }
  });

  it.each([`tai_'; rm -rf ~; '`, 'tai_`x`', 'tai_$(x)', '', 'tai_\n'])('must be a key: %j is refused', (text) => {
    expect(() => withKey('curl -H "Authorization: Bearer $API_KEY"', text)).toThrow('a key only');
  });
});

describe('the Markdown of a guide', () => {
  const known = (markdown: string) => blocksOf(markdown, (href) => (href.startsWith('/') ? href : undefined));

  it('is displayed as text, never as HTML', () => {
    expect(known('a `<img src=x onerror=alert(1)>` b')).toEqual([
      { kind: 'paragraph', content: ['a ', { kind: 'code', text: '<img src=x onerror=alert(1)>' }, ' b'] },
    ]);
    for (const html of ['<script>alert(1)</script>', 'a <b onclick="x">b</b>', '![x](x.png)'])
      expect(() => known(html)).toThrow('cannot show this Markdown');
    expect(known('<!-- a comment -->')).toEqual([]);
  });

  it('links only to this origin and to https', () => {
    const [block] = guideOf(
      'x',
      '# Title\n\n[a](javascript:alert(1)) [b](data:text/html,x) [c](https://example.com/)',
    ).blocks;
    expect(linksIn(inlinesOf(block!))).toEqual(['https://example.com/']);
  });

  it('may contain lists, tables and code', () => {
    const blocks = known('- one\n- **two**\n\n| a | b |\n| --- | --- |\n| `1` | 2 |\n\n```js\n1 < 2 && "x"\n```');
    expect(blocks.map(({ kind }) => kind)).toEqual(['list', 'table', 'code']);
    expect(blocks[1]).toMatchObject({ head: [['a'], ['b']], rows: [[[{ kind: 'code', text: '1' }], ['2']]] });
    expect(blocks[2]).toMatchObject({ language: 'js', code: '1 < 2 && "x"' });
  });
});

describe('the search of the guides', () => {
  it('finds sections that contain all words, titles first, with an excerpt', () => {
    const found = search(entries, 'stop stream');
    expect(found[0]?.entry.href).toBe('/guides/streams#stop-a-stream');
    expect(search(entries, 'Retry-After')[0]?.excerpt).toContain('Retry-After');
    expect(search(entries, 'retry zebra')).toEqual([]);
    expect(search(entries, '   ')).toEqual([]);
  });

  it('returns at most ten sections for any query', () => {
    expect(search(entries, 'a').length).toBeLessThanOrEqual(10);
    expect(search(entries, 'the '.repeat(10_000)).length).toBeLessThanOrEqual(10);
    expect(JSON.stringify(entries).length).toBeLessThan(80_000);
  });
});
