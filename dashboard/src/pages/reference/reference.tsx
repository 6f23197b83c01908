import { Anchor, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { entries, load, tags } from 'virtual:reference';
import { Link } from 'wouter';
import { DocsLayout, lazyViews, useHash } from '../../components/docs.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { MethodBadge, OperationView, Prose } from './operation-view.tsx';
import type { OperationEntry } from './operation.ts';
import css from './reference.module.css';

const hrefOf = ({ id }: OperationEntry): string => `/docs#${id}`;

const views = lazyViews(load, (operation) => <OperationView operation={operation} />);

export default function ReferencePage() {
  // Links of earlier versions contain the tag before the operation.
  const id = useHash().split('/').at(-1) ?? '';
  const [query, setQuery] = useState('');
  const found = entries.filter((entry) => matches(entry, query));
  return (
    <DocsLayout
      label="Operations"
      groups={tags.map(({ name }) => ({
        title: name,
        links: found.filter(({ tag }) => tag === name).map((entry) => ({ href: hrefOf(entry), label: entry.summary })),
      }))}
      current={`/docs#${id}`}
      search={
        <TextInput
          type="search"
          aria-label="Filter operations"
          placeholder="Filter"
          maxLength={100}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
      }
      isSearching={false}
      view={views.get(id)}
    >
      <OperationList />
    </DocsLayout>
  );
}

const matches = ({ summary, path, method }: OperationEntry, query: string): boolean =>
  `${method} ${path} ${summary}`.toLowerCase().includes(query.trim().toLowerCase());

function OperationList() {
  return (
    <Page
      title="API reference"
      lead={
        <>
          Every operation of <code>{window.location.origin}</code>, with its fields and a form to try it. See also{' '}
          <Anchor href="/docs/openapi.json" inherit>
            openapi.json
          </Anchor>{' '}
          and the{' '}
          <Anchor component={Link} href="/guides" inherit>
            guides
          </Anchor>
          .
        </>
      }
    >
      {tags.map(({ name, description }) => (
        <Panel key={name} title={name}>
          <Text size="sm" c="dimmed" mb="xs">
            <Prose text={description} />
          </Text>
          <ul className={css.operations}>
            {entries
              .filter(({ tag }) => tag === name)
              .map((entry) => (
                <li key={entry.id}>
                  <Link href={hrefOf(entry)}>
                    <MethodBadge method={entry.method} size="xs" />
                    <code>{entry.path}</code>
                    <span>{entry.summary}</span>
                  </Link>
                </li>
              ))}
          </ul>
        </Panel>
      ))}
    </Page>
  );
}
