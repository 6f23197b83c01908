import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  NativeSelect,
  Stack,
  Text,
  TextInput,
  Collapse,
  Group,
  MultiSelect,
  Select,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as v from 'valibot';
import { KeyRotation, NewKey, KeyChange, KeyLimits } from '#contract/accounts/keys.ts';
import { serviceNames } from '#contract/billing/prices.ts';
import { knownModels } from '#contract/inference/models.ts';
import { serviceOfCharge } from '#contract/offered-services.ts';
import { keyRoutes } from '#contract/routes/keys.ts';
import type { LimitPeriod } from '#contract/shared/limits.ts';
import { dayMs, dayOf, iso } from '#contract/shared/time.ts';
import { call } from '../../api/call.ts';
import { serverNow, useNow } from '../../api/config.ts';
import { useApiForm } from '../../api/form.ts';
import type { KeyRecord } from '../../api/keys.ts';
import { useMe, useIsOffered } from '../../api/reads.ts';
import { Unconfirmed } from '../../components/emails.tsx';
import { FormFoot } from '../../components/notice.tsx';
import { type DialogProps, Modal } from '../../components/overlays.tsx';
import { RotateForm, SecretDialog, type SecretKind } from '../../components/secret-dialog.tsx';
import { WholeNumberField } from '../../components/whole-number-field.tsx';
import { serviceTitle } from '../../lib/offer.ts';

/** Explains first that the account cannot create keys yet if its email is not confirmed. */
export function NewKeyDialog({ isOpen, onClose }: DialogProps) {
  const { data: me } = useMe();
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      kind={shownKey()}
      title={t`Create API key`}
      secretTitle={t`Copy your API key`}
      form={(show) => (me?.isConfirmed === false ? <Unconfirmed email={me.email} /> : <NewKeyForm onCreated={show} />)}
    />
  );
}

function NewKeyForm({ onCreated }: { onCreated: (key: string) => void }) {
  const now = useNow();
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '', expiry: 'never', date: '', ...unlimited },
    schema: NewKey,
    labels: { name: t`Name`, expiresAt: t`Expiry date`, ...limitLabels() },
    act: async ({ name, expiry, date, ...limits }) => {
      const expiresAt = expiryOf(expiry, date, await serverNow());
      const body = { name, ...(expiresAt !== undefined && { expiresAt }), ...limitBody(limits) };
      return call(keyRoutes.createKey, { body });
    },
    onDone: ({ key }) => onCreated(key),
    invalidates: [keyRoutes.listKeys],
  });
  const tomorrow = dayOf(now + dayMs);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label={t`Name`}
          description={t`Where the key is used, such as “website, production”`}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <NativeSelect label={t`Expires`} data={expiryChoices()} {...form.getInputProps('expiry')} />
        {form.values.expiry === 'date' && (
          <TextInput
            label={t`Expiry date (UTC)`}
            type="date"
            min={tomorrow}
            required
            {...form.getInputProps('date')}
            // Errors of the API name this field of the contract.
            data-path="expiresAt"
            error={form.errors['expiresAt']}
            onChange={({ currentTarget }) => {
              form.setFieldValue('date', currentTarget.value);
              form.clearFieldError('expiresAt');
            }}
          />
        )}
        <OptionalLimits value={form.values} onChange={form.setValues} errors={form.errors} />
        <FormFoot
          error={error}
          isRunning={isRunning}
          disabled={form.values.expiry === 'date' && form.values.date === ''}
        >
          <Trans>Create</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}

const expiryChoices = () => [
  { value: 'never', label: t({ message: 'Never', context: 'expiry' }) },
  { value: '7', label: t`In 7 days` },
  { value: '30', label: t`In 30 days` },
  { value: '90', label: t`In 90 days` },
  { value: '365', label: t`In a year` },
  { value: 'date', label: t`Custom date` },
];

/** Expiry in ISO 8601, at the end of the chosen date (UTC). Null means never, undefined that no date is chosen yet. */
function expiryOf(choice: string, date: string, now: number): string | null | undefined {
  if (choice === 'never') return null;
  if (choice !== 'date') return iso(now + Number(choice) * dayMs);
  return date === '' ? undefined : `${date}T23:59:59.000Z`;
}

interface RotateDialogProps extends DialogProps {
  readonly apiKey: KeyRecord;
}

const graces = () => [
  { value: '3600', label: t`1 hour` },
  { value: '86400', label: t`24 hours` },
  { value: '604800', label: t`7 days` },
  { value: '0', label: t`None, revoke immediately` },
];

export function RotateDialog({ apiKey, isOpen, onClose }: RotateDialogProps) {
  const client = useQueryClient();

  function close(): void {
    onClose();
    // Refresh only now: it may remove the old key's row, and this dialog with it.
    void client.invalidateQueries({ queryKey: [keyRoutes.listKeys.id] });
  }

  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={close}
      kind={shownKey()}
      title={t`Rotate “${{ name: apiKey.name }}”`}
      secretTitle={t`Copy your new API key`}
      form={(show) => (
        <RotateForm
          text={t`Creates a new key with the same name, expiry and limits.`}
          label={t`Grace period for old key`}
          graces={graces()}
          schema={KeyRotation}
          act={(body) => call(keyRoutes.rotateKey, { path: { id: apiKey.id }, body })}
          onRotated={({ key }) => show(key)}
        />
      )}
    />
  );
}

const shownKey = (): SecretKind => ({
  what: t({ message: 'key', comment: 'After “Copy”' }),
  label: t`New API key`,
  notice: t`This key is shown only once. Store it in a secret manager or an environment variable, not in code.`,
  hint: (
    <Text size="sm" c="dimmed">
      <Trans>
        As an environment variable: <code className="mono">export API_KEY=…</code>
      </Trans>
    </Text>
  ),
});

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

const unlimited: Limits = { limit: null, models: null, services: null };

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
function OptionalLimits(props: LimitFieldsProps) {
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

const limitLabels = () => ({ limit: t`Credits`, models: t`Models`, services: t`Services` });

/** Converts valid form values to the request body. */
const limitBody = ({ limit, models, services }: Limits) => v.parse(KeyLimits, { limit, models, services });
