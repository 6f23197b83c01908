import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NativeSelect, Skeleton, Stack, Switch, Text } from '@mantine/core';
import * as v from 'valibot';
import { alertRoutes, Alerts, maxAlertRules } from '#contract/routes/alerts.ts';
import { call } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { keyTitle } from '../../api/keys.ts';
import { useData, useKeys } from '../../api/reads.ts';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice, FormFoot } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Panel } from '../../components/page.tsx';
import { Allowed, RoleNotice } from '../../components/roles.tsx';
import { WholeNumberField } from '../../components/whole-number-field.tsx';

/** Form values of a rule. The value is an empty string until a number is entered. */
interface Rule {
  readonly kind: string;
  readonly value: number | string;
  readonly keyId?: string | undefined;
}

const kinds = () => [
  { value: 'month_percent', label: t`Monthly credits used, %` },
  { value: 'balance_below', label: t`Balance below, credits` },
  { value: 'key_percent', label: t`Key limit used, %` },
  { value: 'cap_percent', label: t`Spending cap used, %` },
];

/** Path of a rule's value in the contract's errors. */
const valuePath = (index: number): string => `rules.${index}.value`;
const valueLabels = () =>
  Object.fromEntries(Array.from({ length: maxAlertRules }, (_, index) => [valuePath(index), t`Value`]));

const channelLabels = [
  ['email', msg`Send by email`],
  ['webhook', msg`Send to webhooks`],
] as const;

export function AlertsPanel() {
  const { data, error, refetch } = useData(alertRoutes.getAlerts, {});
  const alertChanges = {
    access: 'manage',
    what: t({ message: 'change alerts', comment: 'After “Only owners and admins can”' }),
  } as const;
  return (
    <Panel title={t`Alerts`}>
      {error && !data && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={120} radius="md" />}
      {data && (
        <Stack gap="sm">
          <RoleNotice {...alertChanges} />
          <Allowed {...alertChanges}>
            <AlertsForm alerts={data} />
          </Allowed>
        </Stack>
      )}
    </Panel>
  );
}

function AlertsForm({ alerts }: { alerts: Alerts }) {
  const initial: { rules: readonly Rule[]; channels: readonly string[] } = alerts;
  const { form, submit, isRunning, error } = useApiForm({
    initial: { ...initial },
    schema: Alerts,
    labels: { rules: t`Alerts`, ...valueLabels() },
    act: (values) => call(alertRoutes.setAlerts, { body: v.parse(Alerts, values) }),
    onDone: () => notify({ message: t`Alerts saved.` }),
    invalidates: [alertRoutes.getAlerts],
  });
  const { rules, channels } = form.values;
  const setRules = (next: readonly Rule[]) => form.setFieldValue('rules', next);

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          <Trans>
            Each alert is sent once per billing month, about the spending cap once per calendar month (UTC), and about a
            key once per period of its limit.
          </Trans>
        </Text>
        {rules.map((rule, index) => (
          <RuleRow
            key={index}
            rule={rule}
            path={valuePath(index)}
            error={form.errors[valuePath(index)]}
            onChange={(next) => setRules(rules.with(index, next))}
            onRemove={() => setRules(rules.toSpliced(index, 1))}
          />
        ))}
        {form.errors['rules'] && (
          <Text size="sm" c="var(--danger-ink)">
            {form.errors['rules']}
          </Text>
        )}
        <Group justify="space-between">
          <Button
            variant="default"
            leftSection={<Icon name="plus" />}
            onClick={() => setRules([...rules, { kind: 'balance_below', value: '' }])}
          >
            <Trans>Add alert</Trans>
          </Button>
          <Group gap="lg">
            {channelLabels.map(([channel, label]) => (
              <Switch
                key={channel}
                label={i18n._(label)}
                checked={channels.includes(channel)}
                onChange={({ currentTarget }) => {
                  const others = channels.filter((other) => other !== channel);
                  form.setFieldValue('channels', currentTarget.checked ? [channel, ...others] : others);
                }}
              />
            ))}
          </Group>
        </Group>
        <FormFoot error={error} isRunning={isRunning} w="fit-content">
          <Trans>Save alerts</Trans>
        </FormFoot>
      </Stack>
    </form>
  );
}

interface RuleRowProps {
  readonly rule: Rule;
  /** Path of the value field. */
  readonly path: string;
  readonly error: string | undefined;
  readonly onChange: (rule: Rule) => void;
  readonly onRemove: () => void;
}

function RuleRow({ rule: { kind, value, keyId }, path, error, onChange, onRemove }: RuleRowProps) {
  const { data: keys = [] } = useKeys();
  const limited = keys.filter(({ limit }) => limit !== null).map((key) => ({ value: key.id, label: keyTitle(key) }));
  return (
    <Group align="flex-start" gap="xs" wrap="wrap">
      <NativeSelect
        label={t({ message: 'When', comment: 'Label of an alert’s condition' })}
        data={kinds()}
        value={kind}
        onChange={({ currentTarget }) => onChange({ kind: currentTarget.value, value })}
        flex="1 1 180px"
      />
      <WholeNumberField
        label={t`Value`}
        value={value}
        error={error}
        data-path={path}
        onChange={(next) => onChange({ kind, value: next, keyId })}
        flex="1 1 90px"
      />
      {kind === 'key_percent' && (
        <NativeSelect
          label={t`Key`}
          data={[{ value: '', label: t`All limited keys` }, ...limited]}
          value={keyId ?? ''}
          onChange={({ currentTarget }) => onChange({ kind, value, keyId: currentTarget.value || undefined })}
          flex="1 1 160px"
        />
      )}
      {/* Aligned with the inputs, below their labels. An error below an input does not move it. */}
      <Button variant="subtle" color="gray" aria-label={t`Remove alert`} mt={22} onClick={onRemove}>
        <Trans>Remove</Trans>
      </Button>
    </Group>
  );
}
