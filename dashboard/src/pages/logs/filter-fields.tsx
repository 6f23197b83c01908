import { NativeSelect } from '@mantine/core';
import { serviceNames } from '#contract/billing/prices.ts';
import type { KeyRecord } from '../../api/keys/key-list.ts';
import { keyTitle } from '../../api/keys/playground-keys.ts';
import { serviceTitle } from '../../lib/names.ts';
import css from './logs.module.css';
import { choices, type useFilters } from './use-filters.ts';

const services = [
  { value: 'all', label: 'All services' },
  ...serviceNames.map((name) => ({ value: name, label: serviceTitle(name) })),
];

interface FilterFieldsProps {
  readonly value: ReturnType<typeof useFilters>;
  readonly keys: readonly KeyRecord[];
}

/** Days, status, service, model and key. */
export function FilterFields({ value: { values, set }, keys }: FilterFieldsProps) {
  const named = [{ value: 'all', label: 'All keys' }, ...keys.map((key) => ({ value: key.id, label: keyTitle(key) }))];
  const known = named.some((key) => key.value === values.key);
  const fields = [
    { name: 'days', label: 'Days', data: choices.days },
    { name: 'status', label: 'Status', data: choices.status },
    { name: 'service', label: 'Service', data: services },
    { name: 'model', label: 'Model', data: choices.model },
    { name: 'key', label: 'Key', data: known ? named : [...named, { value: values.key, label: 'Deleted key' }] },
  ] as const;
  return (
    <div className={css.filters}>
      {fields.map(({ name, label, data }) => (
        <NativeSelect
          key={name}
          label={label}
          data={data}
          value={values[name]}
          onChange={(event) => set[name](event.currentTarget.value)}
        />
      ))}
    </div>
  );
}
