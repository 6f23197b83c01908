import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Collapse, Group, MultiSelect, Select, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import * as v from 'valibot';
import { KeyChange, KeyLimits } from '#contract/accounts/keys.ts';
import { serviceNames } from '#contract/billing/prices.ts';
import { knownModels } from '#contract/inference/models.ts';
import { serviceOfCharge } from '#contract/offered-services.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import type { LimitPeriod } from '#contract/shared/limits.ts';
import { call } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import type { KeyRecord } from '../../api/keys.ts';
import { useIsOffered } from '../../api/reads.ts';
import { Modal } from '../../components/dialogs.tsx';
import { FormFoot } from '../../components/notice.tsx';
import { WholeNumberField } from '../../components/whole-number-field.tsx';
import { serviceTitle } from '../../lib/offer.ts';

interface LimitsDialogProps {
  readonly apiKey: KeyRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function LimitsDialog({ apiKey, isOpen, onClose }: LimitsDialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Limits of “${{ name: apiKey.name }}”`} size="lg">
      <LimitsForm apiKey={apiKey} onDone={onClose} />
    </Modal>
  );
}

function LimitsForm({ apiKey, onDone }: { apiKey: KeyRecord; onDone: () => void }) {
  const { limit, models, services } = apiKey;
  const initial: Limits = { limit: limit && { credits: limit.credits, period: limit.period }, models, services };
  const { form, submit, isRunning, error } = useApiForm({
    initial,
    schema: KeyChange,
    labels: limitLabels(),
    act: (values) => call(keyRoutes.changeKey, { path: { id: apiKey.id }, body: limitBody(values) }),
    onDone,
    invalidates: [keyRoutes.listKeys],
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">
          <Trans>Limits apply from the next call.</Trans>
        </Text>
        <LimitFields value={form.values} onChange={form.setValues} errors={form.errors} />
        <FormFoot error={error} isRunning={isRunning}>
          <Trans>Save</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}

/** Form values; null means unlimited. `credits` is an empty string until a number is entered. */
type Limits = {
  readonly limit: { readonly credits: number | string; readonly period: LimitPeriod } | null;
  readonly models: string[] | null;
  readonly services: string[] | null;
};

export const unlimited: Limits = { limit: null, models: null, services: null };

const periods = () => [
  { value: 'none', label: t`None` },
  { value: 'day', label: t`Credits per day (UTC)` },
  { value: 'month', label: t`Credits per month (UTC)` },
  { value: 'total', label: t`Credits in total` },
];
const isPeriod = (value: string | null): value is LimitPeriod =>
  value === 'day' || value === 'month' || value === 'total';

const modelNames = knownModels().map(({ id }) => id);
const titled = (names: readonly string[]) => names.map((value) => ({ value, label: serviceTitle(value) }));
const listed = (names: string[]): string[] | null => (names.length === 0 ? null : names);

interface LimitFieldsProps {
  readonly value: Limits;
  readonly onChange: (value: Partial<Limits>) => void;
  /** Errors by field name of the contract. */
  readonly errors: Readonly<Record<string, ReactNode>>;
}

function LimitFields({ value: { limit, models: allowed, services }, onChange, errors }: LimitFieldsProps) {
  const isOffered = useIsOffered(true);
  const choices = serviceNames.filter((name) => isOffered(serviceOfCharge[name]) || services?.includes(name));
  return (
    <Stack gap="sm">
      <Group grow align="flex-start" wrap="wrap">
        <Select
          label={t`Spending limit`}
          data={periods()}
          allowDeselect={false}
          value={limit?.period ?? 'none'}
          onChange={(period) =>
            onChange({ limit: isPeriod(period) ? { credits: limit?.credits ?? '', period } : null })
          }
        />
        {limit && (
          <WholeNumberField
            label={t`Credits`}
            value={limit.credits}
            error={errors['limit']}
            data-path="limit"
            onChange={(credits) => onChange({ limit: { ...limit, credits } })}
          />
        )}
      </Group>
      <MultiSelect
        label={t`Models`}
        placeholder={allowed ? undefined : t`All models`}
        data={modelNames}
        clearable
        value={allowed ?? []}
        onChange={(names) => onChange({ models: listed(names) })}
      />
      <MultiSelect
        label={t`Services`}
        placeholder={services ? undefined : t`All services`}
        data={titled(choices)}
        clearable
        value={services ?? []}
        onChange={(names) => onChange({ services: listed(names) })}
      />
    </Stack>
  );
}

/** The fields behind a toggle, since most keys have no limits. */
export function OptionalLimits(props: LimitFieldsProps) {
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <>
      <UnstyledButton type="button" onClick={toggle} aria-expanded={isOpen} fz="sm" td="underline">
        {isOpen ? t`Hide limits` : t`Limit credits, models or services`}
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <LimitFields {...props} />
      </Collapse>
    </>
  );
}

export const limitLabels = () => ({ limit: t`Credits`, models: t`Models`, services: t`Services` });

/** Converts valid form values to the request body. */
export const limitBody = ({ limit, models, services }: Limits) => v.parse(KeyLimits, { limit, models, services });
