import { Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { entries, load } from 'virtual:guides';
import { Link, useLocation } from 'wouter';
import { DocsLayout, lazyViews, useHash } from '../../components/docs.tsx';
import { Page } from '../../components/page.tsx';
import { orReload } from '../../lib/load.ts';
import { Blocks } from './blocks.tsx';
import { ExampleKey, KeyChoice, useExampleKey } from './example-key.tsx';
import type { Guide } from './guide.ts';
import css from './guides.module.css';
import { search } from './search.ts';

const groups = [
  { title: 'Guides', links: entries.map(({ slug, title }) => ({ href: `/guides/${slug}`, label: title })) },
];

const titleOf = (id: string): string => entries.find(({ slug }) => slug === id)?.title ?? id;
const views = lazyViews(load, (guide, id) => <GuideView title={titleOf(id)} guide={guide} />);

export default function GuidesPage() {
  const [path] = useLocation();
  const [query, setQuery] = useState('');
  return (
    <DocsLayout
      label="Guides"
      groups={groups}
      current={path}
      search={<SearchField value={query} onChange={setQuery} />}
      isSearching={query.trim() !== ''}
      view={views.get(path.slice('/guides/'.length))}
    >
      <GuideList />
    </DocsLayout>
  );
}

function GuideList() {
  return (
    <Page title="Guides" lead="How to call the models, with prices, limits and webhooks.">
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
  // The browser looked for the section before the guide had loaded.
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

const maxQueryLength = 100;
const loadSearch = orReload(() => import('./load-search.ts'));

interface SearchFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Searches guides and operations. The index is loaded at the first letter. */
function SearchField({ value, onChange }: SearchFieldProps) {
  const { data } = useQuery({
    queryKey: ['guide-search'],
    queryFn: async () => (await loadSearch()).searchEntries,
    enabled: value !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  const found = search(data ?? [], value);
  return (
    <div role="search">
      <TextInput
        type="search"
        aria-label="Search the documentation"
        placeholder="Search the documentation"
        maxLength={maxQueryLength}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div aria-live="polite">
        {value.trim() !== '' && data && found.length === 0 && (
          <Text size="sm" c="dimmed" mt="sm">
            No results.
          </Text>
        )}
        {found.length > 0 && (
          <ul className={css.results} aria-label="Search results">
            {found.map(({ entry, excerpt }) => (
              <li key={entry.href}>
                <Link href={entry.href} onClick={() => onChange('')}>
                  <strong>{entry.title}</strong>
                  {entry.title !== entry.guide && <span>{entry.guide}</span>}
                  <small>{excerpt}</small>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
