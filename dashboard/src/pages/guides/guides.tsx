import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { entries, load } from 'virtual:guides';
import { Link, useLocation } from 'wouter';
import { PageSkeleton } from '../../components/feedback/page-skeleton.tsx';
import { DocsLayout } from '../../components/layout/docs-layout.tsx';
import { Page } from '../../components/layout/page.tsx';
import { useHash } from '../../lib/hooks/use-hash.ts';
import { orReload } from '../../lib/or-reload.ts';
import { Blocks } from './blocks.tsx';
import { ExampleKey } from './example-key.ts';
import type { Guide } from './guide.ts';
import css from './guides.module.css';
import { KeyChoice } from './key-choice.tsx';
import { SearchField } from './search-field.tsx';
import { useExampleKey } from './use-example-key.ts';

const groups = [
  { title: 'Guides', links: entries.map(({ slug, title }) => ({ href: `/guides/${slug}`, label: title })) },
];

const views: ReadonlyMap<string, ComponentType> = new Map(
  entries.map(({ slug, title }) => [
    slug,
    lazy(async () => {
      const loadGuide = load[slug];
      if (!loadGuide) throw new Error(`there is no guide ${slug}`);
      const { default: guide } = await orReload(loadGuide)();
      return { default: () => <GuideView title={title} guide={guide} /> };
    }),
  ]),
);

/** How the API is used, from docs/guides: a list of the guides, or one of them. */
export default function GuidesPage() {
  const [path] = useLocation();
  const [query, setQuery] = useState('');
  const View = views.get(path.slice('/guides/'.length));
  return (
    <DocsLayout
      label="Guides"
      groups={groups}
      current={path}
      search={<SearchField value={query} onChange={setQuery} />}
      isSearching={query.trim() !== ''}
    >
      {View ? (
        <Suspense key={path} fallback={<PageSkeleton />}>
          <View />
        </Suspense>
      ) : (
        <GuideList />
      )}
    </DocsLayout>
  );
}

function GuideList() {
  return (
    <Page title="Guides" lead="How to call the models, what calls cost, and what is sent to your server.">
      <ul className={css.list}>
        {entries.map(({ slug, title, lead }) => (
          <li key={slug}>
            <Link href={`/guides/${slug}`}>{title}</Link>
            <p>{lead}</p>
          </li>
        ))}
      </ul>
    </Page>
  );
}

function GuideView({ title, guide }: { title: string; guide: Guide }) {
  const hash = useHash();
  const choice = useExampleKey();
  // The guide comes after the browser has looked for the section.
  useEffect(() => {
    if (hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
  const hasCode = guide.blocks.some((block) => block.kind === 'code' && block.code.includes('API_KEY'));
  return (
    <Page title={title}>
      <div className={css.guide}>
        {hasCode && <KeyChoice choice={choice} />}
        <ExampleKey value={choice.apiKey}>
          <Blocks blocks={guide.blocks} />
        </ExampleKey>
      </div>
    </Page>
  );
}
