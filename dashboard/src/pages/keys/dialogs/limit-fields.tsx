import { Collapse, Group, MultiSelect, Select, Stack, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { LimitPeriod } from '#contract/accounts/limit-periods.ts';
import { serviceNames } from '#contract/billing/prices.ts';
import { models } from '#contract/inference/models.ts';
import { WholeNumberField } from '../../../components/forms/whole-number-field.tsx';
import { serviceTitle } from '../../../lib/names.ts';

/** What a key is limited to, as its form has it: nothing where it is null. `credits` is empty until a number is there. */
export type Limits = {
  readonly limit: { readonly credits: number | string; readonly period: LimitPeriod } | null;
  readonly models: string[] | null;
  readonly services: string[] | null;
};

export const unlimited: Limits = { limit: null, models: null, services: null };

const periods = [
  { value: 'none', label: 'None' },
  { value: 'day', label: 'Credits per day (UTC)' },
  { value: 'month', label: 'Credits per month (UTC)' },
  { value: 'total', label: 'Credits in total' },
];
const isPeriod = (value: string | null): value is LimitPeriod =>
  value === 'day' || value === 'month' || value === 'total';

const modelNames = models.map(({ id }) => id);
const serviceChoices = serviceNames.map((value) => ({ value, label: serviceTitle(value) }));
const listed = (names: string[]): string[] | null => (names.length === 0 ? null : names);

interface LimitFieldsProps {
  readonly value: Limits;
  readonly onChange: (value: Partial<Limits>) => void;
  /** By the contract's field. */
  readonly errors: Readonly<Record<string, ReactNode>>;
}

export function LimitFields({ value: { limit, models: allowed, services }, onChange, errors }: LimitFieldsProps) {
  return (
    <Stack gap="sm">
      <Group grow align="flex-start" wrap="wrap">
        <Select
          label="Spending limit"
          data={periods}
          allowDeselect={false}
          value={limit?.period ?? 'none'}
          onChange={(period) =>
            onChange({ limit: isPeriod(period) ? { credits: limit?.credits ?? '', period } : null })
          }
        />
        {limit && (
          <WholeNumberField
            label="Credits"
            value={limit.credits}
            error={errors['limit']}
            data-path="limit"
            onChange={(credits) => onChange({ limit: { ...limit, credits } })}
          />
        )}
      </Group>
      <MultiSelect
        label="Models"
        placeholder={allowed ? undefined : 'All models'}
        data={modelNames}
        clearable
        value={allowed ?? []}
        onChange={(names) => onChange({ models: listed(names) })}
      />
      <MultiSelect
        label="Services"
        placeholder={services ? undefined : 'All services'}
        data={serviceChoices}
        clearable
        value={services ?? []}
        onChange={(names) => onChange({ services: listed(names) })}
      />
    </Stack>
  );
}

/** The same behind a line that most will not open. */
export function OptionalLimits(props: LimitFieldsProps) {
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <>
      <UnstyledButton type="button" onClick={toggle} aria-expanded={isOpen} fz="sm" td="underline">
        {isOpen ? 'Hide limits' : 'Limit credits, models or services'}
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <LimitFields {...props} />
      </Collapse>
    </>
  );
}
