import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, use, useEffect, useState } from 'react';
import { entries, load } from 'virtual:guides';
import { Link, useLocation } from 'wouter';
import { originMark } from '#contract/dashboard-config.ts';
import { isDocumentOffered } from '#contract/offered-services.ts';
import { useIsOffered, useMember } from '../../api/reads.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { DocsLayout, lazyViews, useHash } from '../../components/docs.tsx';
import { Page } from '../../components/page.tsx';
import { orReload } from '../../lib/load.ts';
import { ExampleKey, KeyChoice, useExampleKey } from './example-key.tsx';
import { type Block, type Cell, type Guide, type Inline, search, withKey, type SearchEntry } from './guide.ts';
import css from './guides.module.css';

const hrefOf = ({ slug }: { readonly slug: string }): string => `/guides/${slug}`;

/** Omits documents of services that are not offered. */
function useOffered(): (document: { readonly href: string; readonly path?: string }) => boolean {
  const { data: member } = useMember();
  const isOffered = useIsOffered(Boolean(member));
  return (document) => isDocumentOffered(document, isOffered);
}

/** Guides are not translated. */
const english = { lang: 'en', dir: 'ltr' } as const;

const titleOf = (id: string): string => entries.find(({ slug }) => slug === id)?.title ?? id;
const views = lazyViews(load, (guide, id) => <GuideView title={titleOf(id)} guide={guide} />);

export default function GuidesPage() {
  const [path] = useLocation();
  const [query, setQuery] = useState('');
  const isOffered = useOffered();
  const links = entries
    .map((entry) => ({ href: hrefOf(entry), label: <span {...english}>{entry.title}</span> }))
    .filter(isOffered);
  return (
    <DocsLayout
      label={t`Guides`}
      groups={[{ title: t`Guides`, links }]}
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
  const isOffered = useOffered();
  const offered = entries.filter((entry) => isOffered({ href: hrefOf(entry) }));
  return (
    <Page title={t`Guides`} lead={t`How to call the models, with prices, limits and webhooks.`}>
      <ul className={css.list} {...english}>
        {offered.map((entry) => (
          <li key={entry.slug}>
            <Link href={hrefOf(entry)}>{entry.title}</Link>
            <p>{entry.lead}</p>
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
        <div className={css.guide} {...english}>
          <ExampleKey value={choice.apiKey}>
            <Blocks blocks={guide.blocks} />
          </ExampleKey>
        </div>
      </div>
    </Page>
  );
}

const maxQueryLength = 100;

/** Loads the search index: sections of guides, and operations. */
const loadSearch = orReload(async (): Promise<readonly SearchEntry[]> => {
  const [sections, { entries: operations }] = await Promise.all([
    import('virtual:guide-search'),
    import('virtual:reference'),
  ]);
  return [
    ...sections.default,
    ...operations.map(({ id, method, path, summary }) => ({
      href: `/docs#${id}`,
      path,
      guide: t`API reference`,
      title: summary,
      text: `${method} ${path}`,
    })),
  ];
});

interface SearchFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Searches guides and operations. The index is loaded at the first letter. */
function SearchField({ value, onChange }: SearchFieldProps) {
  const { data } = useQuery({
    queryKey: ['guide-search'],
    queryFn: loadSearch,
    enabled: value !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isOffered = useOffered();
  const found = search((data ?? []).filter(isOffered), value);
  return (
    <div role="search">
      <TextInput
        type="search"
        aria-label={t`Search the documentation`}
        placeholder={t`Search the documentation`}
        maxLength={maxQueryLength}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div aria-live="polite">
        {value.trim() !== '' && data && found.length === 0 && (
          <Text size="sm" c="dimmed" mt="sm">
            <Trans>No results.</Trans>
          </Text>
        )}
        {found.length > 0 && (
          <ul className={css.results} aria-label={t`Search results`}>
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

/** Renders a guide. Code shows the origin of this service and the reader's key, if chosen. */
function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, index) => <BlockView key={index} block={block} />);
}

function BlockView({ block }: { block: Block }): ReactNode {
  if (block.kind === 'heading') return <Heading block={block} />;
  if (block.kind === 'table') return <Table head={block.head} rows={block.rows} />;
  if (block.kind === 'code') return <Example block={block} />;
  if (block.kind === 'paragraph')
    return (
      <p>
        <Inlines content={block.content} />
      </p>
    );
  const List = block.isOrdered ? 'ol' : 'ul';
  return (
    <List>
      {block.items.map((item, index) => (
        <li key={index}>
          <Blocks blocks={item} />
        </li>
      ))}
    </List>
  );
}

const names: Readonly<Record<string, string>> = {
  js: 'JavaScript',
  python: 'Python',
  go: 'Go',
  java: 'Java',
  json: 'JSON',
  http: 'HTTP',
};
const nameOf = (language: string): string =>
  language === 'sh' ? t`shell example` : t`${{ language: names[language] ?? language }} example`;

function Example({ block: { code, language } }: { block: Extract<Block, { kind: 'code' }> }) {
  const key = use(ExampleKey);
  const here = code.replaceAll(originMark, window.location.origin);
  return <CodeBlock code={key === undefined ? here : withKey(here, key)} what={nameOf(language)} />;
}

function Heading({ block: { id, level, content } }: { block: Extract<Block, { kind: 'heading' }> }) {
  const Level = level === 2 ? 'h2' : 'h3';
  return (
    <Level id={id} className={css.heading}>
      <Inlines content={content} />
      <a className={css.anchor} href={`#${id}`} aria-label={t`Link to this section`}>
        #
      </a>
    </Level>
  );
}

/** Scrolls horizontally, including by keyboard. Roles are explicit, because browsers drop those of restyled tables. */
function Table({ head, rows }: { head: readonly Cell[]; rows: readonly (readonly Cell[])[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css.table} role="region" aria-label={t`Table`} tabIndex={0}>
      <table className={css.cells} role="table">
        <thead role="rowgroup">
          <tr role="row">
            {head.map((cell, index) => (
              <th key={index} role="columnheader" scope="col">
                <Inlines content={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, at) => (
            <tr key={at} role="row">
              {row.map((cell, index) => (
                <td key={index} role="cell" data-label={textOf(head[index] ?? [])}>
                  <span>
                    <Inlines content={cell} />
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf(content: readonly Inline[]): string {
  const texts = content.map((part) => {
    if (typeof part === 'string') return part;
    return part.kind === 'code' ? part.text : textOf(part.content);
  });
  return texts.join('');
}

const Inlines = ({ content }: { content: readonly Inline[] }): ReactNode =>
  content.map((part, index) => <InlineView key={index} part={part} />);

function InlineView({ part }: { part: Inline }): ReactNode {
  if (typeof part === 'string') return part;
  if (part.kind === 'code') return <code>{part.text}</code>;
  const content = <Inlines content={part.content} />;
  if (part.kind !== 'link') return part.kind === 'strong' ? <strong>{content}</strong> : <em>{content}</em>;
  if (part.href.startsWith('/')) return <Link href={part.href}>{content}</Link>;
  return (
    <a href={part.href} rel="noreferrer">
      {content}
    </a>
  );
}
