import { Trans } from '@lingui/react/macro';
import { Button, NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useQuery } from '../lib/hooks.ts';
import type { IconName } from './icon.tsx';
import { Empty } from './page.tsx';

interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

/** A filter of a list, whose value is in the URL's query. */
export interface Filter<Value extends string = string> {
  /** Name in the URL's query. */
  readonly name: string;
  readonly label: string;
  /** Label of the default, which does not filter. */
  readonly all: string;
  readonly choices: readonly Choice<Value>[];
  /** Undefined for the default. */
  readonly value: Value | undefined;
}

/** Milliseconds without typing after which a text is searched. */
const pauseMs = 400;

/** A text in the URL's query, which changes after a pause in typing. */
export function QueryField({ name, ...props }: { readonly name: string } & TextInputProps) {
  const [query, change] = useQuery();
  const value = query.get(name) ?? '';
  const [typed, setTyped] = useState(value);
  const [shown, setShown] = useState(value);
  // The URL changed otherwise, for example by clearing the filters.
  if (shown !== value) {
    setShown(value);
    if (value !== typed.trim()) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => change({ [name]: typed.trim() || undefined }), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, name, change]);
  return <TextInput {...props} value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} />;
}

export function useFilter<const Value extends string>(
  name: string,
  label: string,
  all: string,
  choices: readonly Choice<Value>[],
): Filter<Value> {
  const [query] = useQuery();
  const wanted = query.get(name);
  return { name, label, all, choices, value: choices.find(({ value }) => value === wanted)?.value };
}

/** Returns a function that resets the filters. */
export function useClear(filters: readonly Pick<Filter, 'name'>[]): () => void {
  const [, change] = useQuery();
  return () => change(Object.fromEntries(filters.map(({ name }) => [name, undefined])));
}

interface FilterFieldsProps {
  readonly filters: readonly Filter[];
  /** CSS `grid-template-columns`. */
  readonly columns: string;
}

export function FilterFields({ filters, columns }: FilterFieldsProps) {
  const [, change] = useQuery();
  return (
    <div style={{ display: 'grid', gridTemplateColumns: columns, gap: '0.75rem', marginBottom: '1.25rem' }}>
      {filters.map(({ name, label, all, choices, value = '' }) => (
        <NativeSelect
          key={name}
          label={label}
          data={[{ value: '', label: all }, ...choices]}
          value={value}
          onChange={({ currentTarget }) => change({ [name]: currentTarget.value || undefined })}
        />
      ))}
    </div>
  );
}

interface NoMatchProps {
  readonly icon: IconName;
  readonly title: string;
  readonly filters: readonly Pick<Filter, 'name'>[];
}

/** Shown in place of a list if no row matches its filters. */
export function NoMatch({ icon, title, filters }: NoMatchProps) {
  const clear = useClear(filters);
  return (
    <Empty
      icon={icon}
      title={title}
      action={
        <Button variant="default" onClick={clear}>
          <Trans>Clear filters</Trans>
        </Button>
      }
    />
  );
}
