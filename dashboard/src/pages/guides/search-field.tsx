import { Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { orReload } from '../../lib/or-reload.ts';
import css from './guides.module.css';
import { search } from './search.ts';

const maxQueryLength = 100;
const loadSearch = orReload(() => import('./load-search.ts'));

interface SearchFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Looks through guides and operations; their text is loaded with the first letter. */
export function SearchField({ value, onChange }: SearchFieldProps) {
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
